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
      const open = oracle.openUnnamed(left);
      return open === undefined
        ? undefined
        : `${open.orderId} is open and not named although the watchdog has ended the bot`;
    },
  }),
};
