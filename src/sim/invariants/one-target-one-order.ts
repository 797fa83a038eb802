import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";
import { isQuote } from "../oracle.ts";

const sides: readonly Side[] = ["BUY", "SELL"];

/** How long a surplus order may be open before the bot has sent what ends it. */
const SURPLUS_MS = 1_000;
/** The same while orders that the disk lost are found. */
const FOUND_MS = 15_000;

/**
 * One target, one order: on each side the venue never has more open quotes than the strategy wants, but for those that a cancel or
 * a modify that was sent is to end.
 */
export const oneTargetOneOrder: Invariant = {
  name: "one-target-one-order",
  watch({ oracle, sent, elapsedMs, isBotAlive, quotesPerSide }) {
    const since: Partial<Record<Side, number>> = {};
    return {
      runStarts() {
        for (const side of sides) delete since[side];
      },
      tick() {
        const nowMs = elapsedMs();
        const open = isBotAlive() ? oracle.openAtVenue() : [];
        for (const side of sides) {
          const surplus = open.filter(
            (order) => order.side === side && isQuote(order) && !sent.leaving.has(order.orderId),
          );
          if (surplus.length <= quotesPerSide) {
            delete since[side];
            continue;
          }
          const sinceMs = (since[side] ??= nowMs);
          if (nowMs - sinceMs > (oracle.hasLostOrders ? FOUND_MS : SURPLUS_MS)) {
            return `${surplus.length} quotes of ${side} are open and none of them is leaving, the strategy wants ${quotesPerSide}`;
          }
        }
        return undefined;
      },
    };
  },
};
