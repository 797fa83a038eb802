import type { Invariant } from "../invariant.ts";

/** 2. After the stop nothing of ours is open, or the bot says what may be. Foreign orders are never touched. */
export const cleanEnd: Invariant = {
  name: "clean-end",
  watch: ({ scenario, witness }) => ({
    diskEnded({ ok, inQuestion, reason }) {
      if (ok) return `a run without a journal ended well: ${reason}`;
      const unsaid = witness.openAtVenue().find(({ orderId }) => !inQuestion.includes(orderId));
      return unsaid === undefined ? undefined : `${unsaid.orderId} is left open, unsaid`;
    },
    ended({ ok, inQuestion, summary, reason }) {
      // Fills that the venue forgot before they were told cannot be waited for to the end.
      const isExcused = scenario.stopsInTrouble || witness.hasForgotten;
      if (!ok && !isExcused) return `it ended badly without a fault: ${reason}`;
      for (const { orderId, status } of witness.openAtVenue()) {
        if (!inQuestion.includes(orderId)) return `${orderId} is left open as ${status}, unsaid`;
      }
      if (ok && (summary.ordersLeft !== 0 || summary.unknownOutcomes !== 0)) {
        return `a good end with ${summary.ordersLeft} orders left, ${summary.unknownOutcomes} unknown`;
      }
      // A venue that started anew may have done so after its last list.
      if (ok && !witness.hasForgotten && summary.foreignOrders !== witness.openForeign()) {
        return `${summary.foreignOrders} foreign orders, there are ${witness.openForeign()}`;
      }
      for (const orderId of witness.foreign) {
        const status = witness.exchange.order(orderId)?.status;
        if (status === "CANCELED") return `the foreign order ${orderId} is ${status}`;
      }
      return undefined;
    },
  }),
};
