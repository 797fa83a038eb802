import { assert } from "../base/assert.ts";
import type { FlatLevels, Trade } from "../domain/depth.ts";
import { fixedFromNumber, fixedToNumber, minFixed, subFixed, ZERO } from "../domain/fixed.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RecordedLiquidity } from "../exchange/recorded-liquidity.ts";
import { riskAverseQueue } from "../exchange/queue-model.ts";
import type { FillModel } from "../simulated/fill-model.ts";

/** Most levels that a trade goes through. */
const MAX_LEVELS = 10_000;

/**
 * A market that a test moves. Unlike a recorded book, this one is complete: nothing rests where it shows nothing. A trade is an
 * order of another account: it takes the best levels first, own orders among them by price and time, and no more than its quantity.
 */
export const scriptedFills: FillModel = {
  open(exchange, marketId) {
    const market = exchange.recordedLiquidity(marketId, riskAverseQueue);
    let isWhole = false;
    let shown = { bids: new Float64Array(), asks: new Float64Array() };
    return {
      play(event, nowMs) {
        if (event.type === "trade") take(exchange, market, event.trade, nowMs);
        else if (event.type === "book") {
          const { bids, asks } = event.snapshot;
          if (!isWhole) market.clear(nowMs);
          isWhole = true;
          market.depth(withRemovals(bids, shown.bids), withRemovals(asks, shown.asks), nowMs);
          shown = { bids: Float64Array.from(bids), asks: Float64Array.from(asks) };
        } else assert(false, "a scripted market plays books and trades");
      },
      get ignored() {
        return market.ignored;
      },
      depthLevels: (side) => market.depthLevels(side),
    };
  },
};

/** The levels, and a removal for each earlier level that is missing now. */
function withRemovals(levels: FlatLevels, before: FlatLevels): FlatLevels {
  const prices = new Set(pricesOf(levels));
  const gone = pricesOf(before).filter((price) => !prices.has(price));
  if (gone.length === 0) return levels;
  return Float64Array.from([...levels, ...gone.flatMap((price) => [price, 0])]);
}

function pricesOf(levels: FlatLevels): number[] {
  const prices: number[] = [];
  for (let at = 0; at < levels.length; at += 2) prices.push(levels[at] ?? 0);
  return prices;
}

/** What the book cannot fill trades with hidden orders. */
function take(exchange: Exchange, market: RecordedLiquidity, trade: Trade, nowMs: UnixMs): void {
  const { price, isBuyerMaker } = trade;
  const { bids, asks } = exchange.book(trade.marketId, MAX_LEVELS);
  let left = fixedFromNumber(trade.quantity);
  for (const level of isBuyerMaker ? bids : asks) {
    if (left === ZERO || (isBuyerMaker ? level.price < price : level.price > price)) break;
    const quantity = minFixed(left, level.quantity);
    market.trade({ ...trade, price: level.price, quantity: fixedToNumber(quantity) }, nowMs);
    left = subFixed(left, quantity);
  }
  if (left > ZERO) market.trade({ ...trade, quantity: fixedToNumber(left) }, nowMs);
}
