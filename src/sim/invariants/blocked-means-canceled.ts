import type { Invariant } from "../invariant.ts";

/**
 * A watchdog that ends a blocked bot sends nothing but cancels, and when the process ends, no own order is open that it does not name.
 */
export const blockedMeansCanceled: Invariant = {
  name: "blocked-means-canceled",
  watch: ({ oracle }) => ({
    watchdogRequest: ({ command }) =>
      command.type === "cancel" ? undefined : `the watchdog sent a ${command.type}`,
    watchdogEnded(left) {
      // Orders that the disk lost are in no journal until they are found.
      const open = oracle
        .openAtVenue()
        .find(({ orderId }) => !left.includes(orderId) && !oracle.lost.isUnfound(orderId));
      return open === undefined
        ? undefined
        : `${open.orderId} is open and not named although the watchdog has ended the bot`;
    },
  }),
};
