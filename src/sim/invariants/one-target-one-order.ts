import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";
import { isQuote } from "../oracle.ts";

const sides: readonly Side[] = ["BUY", "SELL"];

/** How long a surplus order may be open before the bot has sent what ends it. */
const SURPLUS_MS = 100;
/** The same while orders that the disk lost are found. */
const FOUND_MS = 15_000;

/**
 * One target, one order: on each side the venue never has more open quotes than the strategy wants, but for those that a cancel or
 * a modify that was sent is to end. A quote is sent only if that stays true whatever the venue still takes. Orders that the disk lost are
 * found and canceled beside new ones.
 */
export const oneTargetOneOrder: Invariant = {
  name: "one-target-one-order",
  watch({ oracle, sent, elapsedMs, venueNowMs, isBotAlive, quotesPerSide }) {
    /** Since when there is a surplus on a side, and since when without orders that the disk lost. */
    const since: Partial<Record<Side, number | undefined>> = {};
    const keptSince: Partial<Record<Side, number | undefined>> = {};
    /** Sides on which a quote was sent while others may be open, and since when. */
    const sentSince: Partial<Record<Side, number>> = {};
    const mayTrade = (side: Side): number => {
      const open = oracle
        .openAtVenue()
        .filter(
          (order) => order.side === side && isQuote(order) && !oracle.lost.has(order.orderId),
        );
      const ids = new Set(open.map(({ orderId }) => orderId));
      for (const { command, hash } of sent.underWay(venueNowMs())) {
        if (command.type !== "place" || command.side !== side) continue;
        if (command.marketId !== oracle.market.marketId || oracle.lost.has(hash)) continue;
        // A copy of a command that the venue has taken: its order is open, or over.
        if (oracle.exchange.orderStatus(hash) === undefined) ids.add(hash);
      }
      return [...ids].filter((id) => !sent.leaving.has(id)).length;
    };
    return {
      request(transaction) {
        if (transaction?.command.type !== "place") return undefined;
        const { side } = transaction.command;
        if (mayTrade(side) > quotesPerSide) sentSince[side] ??= elapsedMs();
        return undefined;
      },
      runStarts() {
        for (const side of sides) {
          delete since[side];
          delete keptSince[side];
          delete sentSince[side];
        }
      },
      tick() {
        const nowMs = elapsedMs();
        const open = isBotAlive() ? oracle.openAtVenue() : [];
        for (const side of sides) {
          const atMs = sentSince[side];
          if (atMs !== undefined && nowMs - atMs > SURPLUS_MS && isBotAlive()) {
            delete sentSince[side];
            const count = mayTrade(side);
            if (count > quotesPerSide) {
              return `a quote of ${side} was sent while others may be open: ${count}, the strategy wants ${quotesPerSide}`;
            }
          }
          const surplus = open.filter(
            (order) => order.side === side && isQuote(order) && !sent.leaving.has(order.orderId),
          );
          const kept = surplus.filter(({ orderId }) => !oracle.lost.has(orderId));
          const keptSinceMs = kept.length > quotesPerSide ? (keptSince[side] ?? nowMs) : undefined;
          const sinceMs = surplus.length > quotesPerSide ? (since[side] ?? nowMs) : undefined;
          keptSince[side] = keptSinceMs;
          since[side] = sinceMs;
          if (
            nowMs - (keptSinceMs ?? nowMs) > SURPLUS_MS ||
            nowMs - (sinceMs ?? nowMs) > FOUND_MS
          ) {
            return `${surplus.length} quotes of ${side} are open and none of them is leaving, the strategy wants ${quotesPerSide}`;
          }
        }
        return undefined;
      },
    };
  },
};
