import { isTerminal } from "../../domain/order.ts";
import type { Invariant } from "../invariant.ts";

/** The bot takes no order for ended that is open at the venue. It cannot know of one whose copy the venue refused (docs/decisions/007). */
export const trueEnds: Invariant = {
  name: "true-ends",
  watch({ oracle, sent }) {
    return {
      entry({ notes }) {
        for (const note of notes) {
          if (note.type !== "order" || note.order.state !== "ended") continue;
          const { orderId, status, reason } = note.order;
          if (orderId === undefined || sent.refused.has(orderId)) continue;
          const atVenue = oracle.exchange.orderStatus(orderId);
          if (atVenue === undefined || isTerminal(atVenue)) continue;
          return `${orderId} is ${status} in the bot (${reason}) and ${atVenue} at the venue`;
        }
        return undefined;
      },
    };
  },
};
