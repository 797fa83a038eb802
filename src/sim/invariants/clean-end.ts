import type { Invariant } from "../invariant.ts";

/** 2. After the stop nothing of ours is open, or the bot says what may be. Foreign orders are never touched. */
export const cleanEnd: Invariant = {
  name: "clean-end",
  watch: ({ scenario, oracle }) => ({
    diskEnded({ ok, inQuestion, reason }) {
      if (ok) return `a run without a journal ended well: ${reason}`;
      const unsaid = oracle.openAtVenue().find(({ orderId }) => !inQuestion.includes(orderId));
      return unsaid === undefined ? undefined : `${unsaid.orderId} is left open, unsaid`;
    },
    ended({ ok, inQuestion, summary, reason }) {
      // Fills that the venue forgot before they were told cannot be waited for to the end.
      const isExcused = scenario.stopsInTrouble || oracle.hasForgotten;
      if (!ok && !isExcused) return `it ended badly without a fault: ${reason}`;
      for (const { orderId, status } of oracle.openAtVenue()) {
        if (!inQuestion.includes(orderId)) return `${orderId} is left open as ${status}, unsaid`;
      }
      if (ok && (summary.ordersLeft !== 0 || summary.unknownOutcomes !== 0)) {
        return `a good end with ${summary.ordersLeft} orders left, ${summary.unknownOutcomes} unknown`;
      }
      // A venue that started anew may have done so after its last list.
      if (ok && !oracle.hasForgotten && summary.foreignOrders !== oracle.openForeign()) {
        return `${summary.foreignOrders} foreign orders, there are ${oracle.openForeign()}`;
      }
      for (const orderId of oracle.foreign) {
        const status = oracle.exchange.order(orderId)?.status;
        if (status === "CANCELED") return `the foreign order ${orderId} is ${status}`;
      }
      return undefined;
    },
  }),
};
