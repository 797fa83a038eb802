import { fixedToNumber } from "../../domain/fixed.ts";
import type { Side } from "../../domain/side.ts";
import type { Effect } from "../../kernel/effect.ts";
import type { Invariant } from "../invariant.ts";
import { LimitOracle } from "../limit-oracle.ts";
import type { Oracle } from "../oracle.ts";

/** A limit is rounded when it is derived. */
const ROUNDING = 1 + 1e-6;

/**
 * Limits that the configuration leaves unset are those that follow from the first balances and mid, once for all runs: a restart and a
 * deposit change none. No order is placed before they are known, or is worth more than they allow unless it only closes a position.
 */
export const derivedLimits: Invariant = {
  name: "derived-limits",
  watch({ scenario, oracle }) {
    const expected = new LimitOracle(oracle);
    return {
      entry(entry) {
        if (!scenario.derivesLimits) return undefined;
        const problem = expected.entry(entry);
        if (problem !== undefined) return problem;
        for (const effect of entry.effects) {
          const order = orderOf(effect);
          if (order === undefined) continue;
          const { limits } = expected;
          if (limits === undefined) return "an order was placed before limits were derived";
          if (order.notional <= limits.maxOrderNotional * ROUNDING) continue;
          if (mayClose(oracle, order)) continue;
          return `an order of ${order.notional} was placed, the limit is ${limits.maxOrderNotional}`;
        }
        return undefined;
      },
    };
  },
};

interface PlacedOrder {
  readonly side: Side;
  readonly size: number;
  readonly notional: number;
}

/** Undefined for what makes no order of a known price. */
function orderOf(effect: Effect): PlacedOrder | undefined {
  if (effect.type === "modify") {
    const size = fixedToNumber(effect.newQty);
    return { side: effect.side, size, notional: size * effect.newPrice };
  }
  if (effect.type !== "place" || effect.orderType !== "LIMIT") return undefined;
  const size = fixedToNumber(effect.quantity);
  return { side: effect.side, size, notional: size * effect.price };
}

/**
 * The bot may know of an execution before its fill and its fee, of one before another, and not know fills of orders that the disk lost.
 */
function mayClose(oracle: Oracle, { side, size }: PlacedOrder): boolean {
  const sign = side === "SELL" ? 1 : -1;
  const most = ROUNDING * (1 + fixedToNumber(oracle.market.takerFee));
  const untold = oracle
    .tradesAtVenue()
    .filter((trade) => trade.side !== side && !oracle.money.has(trade))
    .reduce((sum, { quantity }) => sum + fixedToNumber(quantity), 0);
  const told = fixedToNumber(oracle.money.all.position.base) * sign + untold;
  const known = oracle.knownPositions().map((held) => fixedToNumber(held) * sign);
  return size <= Math.max(told, ...known) * most;
}
