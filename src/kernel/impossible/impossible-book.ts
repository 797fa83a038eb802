import type { MarketState } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import { doubt, leaveMarket } from "./left-markets.ts";
import type { Touch } from "./touch.ts";

/** A kept mid is replaced by the present one at this age, and says nothing about it at twice that. */
const KEEP_MS = 5_000;
/** A public trade says nothing about a mid any more at this age. */
const TRADE_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;

/** A public trade of a market. */
export function noteTradePrice({ nowMs }: KernelState, market: MarketState, price: number): void {
  const { touch } = market;
  const mid = midOf(market);
  if (mid > 0 && farFrom(touch, price, mid)) {
    touch.hasFarTrade = true;
    return;
  }
  touch.trade = price;
  touch.tradeMs = nowMs;
}

/** Called after every change of a market's book. */
export function followTouch(state: KernelState, market: MarketState): void {
  const { live } = market.sync;
  const { touch } = market;
  const { nowMs } = state;
  if (live === undefined) return;
  const bid = live.bids.bestPrice;
  const ask = live.asks.bestPrice;
  if (bid === undefined || ask === undefined) return accept(touch);
  const mid = (bid + ask) / 2;
  if (bid >= ask) {
    refuse(state, market, true, `the best bid ${bid} is not below the best ask ${ask}`);
  } else if (nowMs - touch.tradeMs < TRADE_MS) {
    if (!farFrom(touch, mid, touch.trade)) accept(touch);
    else refuse(state, market, touch.hasFarTrade, jumpText(mid, `${touch.trade}, the last trade,`));
  } else if (nowMs - touch.midMs < 2 * KEEP_MS && farFrom(touch, mid, touch.mid)) {
    // Without trades it may have moved so far.
    refuse(state, market, false, jumpText(mid, `the mid ${touch.mid} of some seconds ago`));
  } else {
    accept(touch);
    if (nowMs - touch.midMs < KEEP_MS) return;
    touch.mid = mid;
    touch.midMs = nowMs;
  }
}

/** The mid of a market's book; 0 when it is not known or has only one side. */
export function midOf({ sync: { live } }: MarketState): number {
  const { bestPrice: bid } = live?.bids ?? {};
  const { bestPrice: ask } = live?.asks ?? {};
  return bid === undefined || ask === undefined ? 0 : (bid + ask) / 2;
}

/** Whether a price is farther from another one than the price collar. */
export function farFrom({ collar }: Touch, price: number, reference: number): boolean {
  return Math.abs(price / reference - 1) > collar;
}

function jumpText(mid: number, reference: string): string {
  return `the mid ${mid} is farther from ${reference} than the price collar`;
}

function accept(touch: Touch): void {
  touch.isImpossible = false;
  touch.hasFarTrade = false;
  touch.leavesMs = NEVER;
}

function refuse(state: KernelState, market: MarketState, leaves: boolean, text: string): void {
  const { touch, book } = market;
  if (leaves && touch.leavesMs === NEVER) touch.leavesMs = state.nowMs + market.staleMs + 1;
  if (touch.isImpossible) return;
  touch.isImpossible = true;
  book.fresh.suspect(state.nowMs, "it is impossible");
  doubt(state, "BOOK_IMPOSSIBLE", market.market.marketId, text);
}

/** Leaves the markets whose books have been impossible for longer than quotes may rest on one. What a book was compared with grows old. */
export function leaveImpossible(state: KernelState): void {
  for (const [marketId, market] of state.markets) {
    const { touch, sync } = market;
    if (touch.isImpossible) followTouch(state, market);
    // A book that is being read again may turn out to be possible.
    if (touch.leavesMs > state.nowMs || sync.live === undefined) continue;
    touch.leavesMs = NEVER;
    leaveMarket(state, marketId, "its book stayed crossed, or far from the trades");
  }
}
