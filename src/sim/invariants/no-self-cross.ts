import { fixedToNumber } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";

/**
 * No quote is sent that would meet an own quote in the book, of whichever strategy. The venue would end one of the two instead of letting
 * them trade. Orders of unknown outcome block nothing, and nobody knows when the venue fires stop orders and legs, so they are left out
 * (risk/rules/self-cross.ts).
 */
export const noSelfCross: Invariant = {
  name: "no-self-cross",
  watch: ({ oracle, sent }) => ({
    request(transaction) {
      if (transaction?.command.type !== "place") return undefined;
      const { side, orderType, price, marketId } = transaction.command;
      if (orderType !== "LIMIT") return undefined;
      const met = oracle
        .openAtVenue()
        .find(
          (order) =>
            oracle.isQuote(order) &&
            order.marketId === marketId &&
            order.side !== side &&
            oracle.orders.get(order.orderId) === "live" &&
            !sent.isInDoubt(order.orderId) &&
            (side === "BUY" ? price >= order.price : price <= order.price),
        );
      return met === undefined
        ? undefined
        : `a ${side} at ${fixedToNumber(price)} was sent while ${met.orderId} of the other side rests at ${fixedToNumber(met.price)}`;
    },
  }),
};
