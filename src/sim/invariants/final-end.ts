import { fixedText } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";

/** A run that ended as ok left nothing that may trade: no own order is open then or appears later, and no fill or balance changes. */
export const finalEnd: Invariant = {
  name: "final-end",
  watch({ oracle }) {
    const { baseToken, quoteToken } = oracle.market;
    const state = (): string =>
      `${oracle.tradesAtVenue().length} fills, ${fixedText(oracle.total(baseToken))} and ${fixedText(oracle.total(quoteToken))}`;
    let atEnd: string | undefined;
    /** An operator has stopped the bot as ok, and it has not been started again. */
    let isStopped = false;
    const openOrder = (): string | undefined => {
      const [order] = oracle.openAtVenue();
      return order === undefined ? undefined : `${order.orderId} is ${order.status}`;
    };
    return {
      stopped({ ok }) {
        if (!ok) return undefined;
        atEnd = state();
        return openOrder();
      },
      operatorEnded({ ok }) {
        isStopped = ok;
        return ok ? openOrder() : undefined;
      },
      runStarts() {
        isStopped = false;
      },
      tick: () => (atEnd === undefined && !isStopped ? undefined : openOrder()),
      ended() {
        if (atEnd === undefined || atEnd === state()) return undefined;
        return `at the end ${atEnd}; later ${state()}`;
      },
    };
  },
};
