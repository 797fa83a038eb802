import { limitsFor } from "../../risk/settings.ts";
import { doubt } from "./doubts.ts";
import type { KernelState, MarketState } from "../state.ts";

/** Kept mids are this far apart, so the older one is at least this old. */
const KEEP_MS = 5_000;
/** Older prices say nothing about the present one. */
const REFERENCE_MS = 60_000;

/** Called after every change of a market's book. */
export function followTouch(state: KernelState, market: MarketState): void {
  const { live } = market.sync;
  if (state.doubts === undefined) return;
  const { touch } = market;
  const bid = live?.bids.bestPrice;
  const ask = live?.asks.bestPrice;
  if (bid === undefined || ask === undefined) {
    touch.crossedSinceMs = undefined;
    return;
  }
  followCross(state, market, bid, ask);
  const mid = (bid + ask) / 2;
  followJump(state, market, mid);
  const { nowMs } = state;
  if (touch.mid !== undefined && nowMs - touch.mid.atMs < KEEP_MS) return;
  touch.midBefore = touch.mid;
  touch.mid = { price: mid, atMs: nowMs };
}

/** A public trade of a market. */
export function followTradePrice({ doubts, nowMs }: KernelState, market: MarketState): void {
  if (doubts === undefined || market.lastTrade === undefined) return;
  market.touch.trade = { price: market.lastTrade, atMs: nowMs };
}

/** Prices that an order may not be worse than by more than the price collar: a mid some seconds ago, and the last trade. */
export function referencePrices({ doubts, nowMs }: KernelState, { touch }: MarketState): number[] {
  if (doubts === undefined) return [];
  const prices: number[] = [];
  for (const kept of [touch.midBefore, touch.trade]) {
    if (kept !== undefined && nowMs - kept.atMs <= REFERENCE_MS) prices.push(kept.price);
  }
  return prices;
}

function followCross(state: KernelState, market: MarketState, bid: number, ask: number): void {
  const { touch } = market;
  const { marketId } = market.market;
  if (bid < ask) {
    touch.crossedSinceMs = undefined;
    return;
  }
  if (touch.crossedSinceMs !== undefined) return;
  touch.crossedSinceMs = state.nowMs;
  doubt(state, "BOOK_CROSSED", marketId, `the best bid ${bid} is not below the best ask ${ask}`);
  state.reads.want({ type: "book", marketId }, state.nowMs);
}

function followJump(state: KernelState, market: MarketState, mid: number): void {
  const { marketId } = market.market;
  const collar = limitsFor(state.config.risk, marketId).priceCollar ?? Number.POSITIVE_INFINITY;
  const far = referencePrices(state, market).find((price) => Math.abs(mid / price - 1) > collar);
  const { touch } = market;
  if (far !== undefined && !touch.hasJumped) {
    const text = `the mid ${mid} is farther from ${far}, an earlier mid or the last trade, than the price collar`;
    doubt(state, "TOUCH_JUMPED", marketId, text);
    state.reads.want({ type: "book", marketId }, state.nowMs);
  }
  touch.hasJumped = far !== undefined;
}
