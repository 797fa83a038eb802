import { type Side, sides } from "../../domain/side.ts";
import { ZERO } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";
import { fewestQuotes } from "../quotes-of.ts";

/** How long after the request the order that it replaces may wait for its cancel, which leaves in the same step. */
const SAME_STEP_MS = 100;

/**
 * One target, one order, or a partly filled one and a second one for the rest: a quote is sent only if no more quotes than the strategy wants
 * are open on its side then or on their way. Orders that are leaving do not count, nor those in doubt, lost by the disk, or refused although
 * the venue took a copy: they are found and canceled beside new ones.
 */
export const oneTargetOneOrder: Invariant = {
  name: "one-target-one-order",
  isOfMaker: true,
  watch({ oracle, sent, elapsedMs, venueNowMs, isBotAlive, quotesPerSide }) {
    /** Sides on which a quote was sent while others may be open, and since when. */
    const sentSince: Partial<Record<Side, number>> = {};
    const mayTrade = (side: Side): number => {
      const orders = new Map(
        oracle
          .openAtVenue()
          .filter((order) => order.side === side && oracle.isQuote(order))
          .map((order) => [order.orderId, { executedQty: order.executedQty }]),
      );
      for (const { command, hash } of sent.underWay(venueNowMs())) {
        if (command.type !== "place" || command.side !== side) continue;
        if (command.marketId !== oracle.market.marketId || !sent.isAwaited(hash)) continue;
        if (oracle.takes.has(hash)) continue;
        // A copy of a command that the venue has taken: its order is open, or over.
        if (oracle.exchange.orderStatus(hash) === undefined) {
          orders.set(hash, { executedQty: ZERO });
        }
      }
      const staying = [...orders].filter(
        ([id]) => !sent.isLeaving(id) && !oracle.lost.has(id) && !sent.refused.has(id),
      );
      return fewestQuotes(staying.map(([, order]) => order));
    };
    return {
      request(transaction) {
        if (transaction?.command.type !== "place") return undefined;
        const { side } = transaction.command;
        if (mayTrade(side) > quotesPerSide) sentSince[side] ??= elapsedMs();
        return undefined;
      },
      runStarts() {
        for (const side of sides) delete sentSince[side];
      },
      tick() {
        if (!isBotAlive()) return undefined;
        for (const side of sides) {
          const atMs = sentSince[side];
          if (atMs === undefined || elapsedMs() - atMs <= SAME_STEP_MS) continue;
          delete sentSince[side];
          const count = mayTrade(side);
          if (count > quotesPerSide) {
            return `a quote of ${side} was sent while others may be open: ${count}, the strategy wants ${quotesPerSide}`;
          }
        }
        return undefined;
      },
    };
  },
};
