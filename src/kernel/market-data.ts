import type { BookQuery } from "../book/book-sync.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import { notePublicTrade } from "./freshness/account.ts";
import { comesLate } from "./freshness/venue-time.ts";
import { followCandles } from "./history.ts";
import { followTouch, noteTradePrice } from "./impossible/impossible-book.ts";
import { closeRead } from "./read-responses.ts";
import type { MarketState } from "./market-state.ts";
import { followQueue } from "./orders/queue-ahead.ts";
import { shownTrade } from "./shown-trade.ts";
import { quotesOf } from "./slots.ts";
import { followSourceMarket } from "./sources/sources.ts";
import type { KernelState } from "./state.ts";

const NEVER = Number.POSITIVE_INFINITY;

/*
 * Public market data: depth events, snapshots and books over REST go to the market's `BookFact`, which says how old the book is; what follows
 * from its change is done here. Trades only hint, and go to the strategies.
 */

export function onDepth(state: KernelState, event: DepthEvent): void {
  const market = state.markets.get(event.marketId);
  if (market === undefined) return;
  if (comesLate(state, event.timeMs, market.staleMs))
    market.book.fresh.suspect(state.nowMs, "its events are late");
  followBook(state, market, market.sync.onDepth(event));
  if (market.sync.live !== undefined) market.audit.dueSinceMs ??= state.nowMs;
}

export function onDepthAudit(state: KernelState, snapshot: BookSnapshot): void {
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  const isLate = comesLate(state, snapshot.timeMs, market.staleMs);
  followBook(state, market, market.book.snapshot(snapshot, state.nowMs, isLate));
}

export function onBook(state: KernelState, snapshot: BookSnapshot): void {
  const queriedMs = closeRead(state, "book", snapshot.marketId);
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  followBook(state, market, market.book.read(snapshot, queriedMs, state.nowMs));
}

export function onTrade(state: KernelState, trade: Trade): void {
  const { marketId, price } = trade;
  const market = state.markets.get(marketId);
  if (market !== undefined) {
    market.lastTrade = price;
    noteTradePrice(state, market, price);
    const { live } = market.sync;
    if (live !== undefined && goesThrough(live, price)) {
      market.book.fresh.suspect(state.nowMs, "a trade went through the book's touch");
    }
    followTouch(state, market);
    notePublicTrade(state, market, trade);
  }
  followCandles(state, trade);
  const shown = shownTrade(state, trade);
  for (const slot of state.slots) {
    if (slot.marketId !== marketId) continue;
    slot.noteTrade(shown);
    followQueue(quotesOf(state, slot), trade);
  }
}

/** After an input to a market's book: requests the read it needs, notes its state, and marks its strategies for a decision. */
export function followBook(
  state: KernelState,
  market: MarketState,
  query: BookQuery | undefined,
): void {
  const {
    sync,
    market: { marketId },
  } = market;
  noteAudits(state, market);
  if (query !== undefined) state.reads.want(query, state.nowMs + syncWaitMs(state, market));
  const isLive = sync.live !== undefined;
  if (isLive !== (market.blindSinceMs === undefined)) {
    state.notes.push({ type: "bookState", marketId, state: sync.state });
    market.blindSinceMs = isLive ? undefined : state.nowMs;
    market.audit.dueSinceMs = undefined;
  }
  followTouch(state, market);
  followSourceMarket(state, market);
  for (const slot of state.slots) {
    if (slot.marketId === marketId) slot.runner.news.market = true;
  }
}

/** Notes new comparisons of a book with the venue's. */
function noteAudits(state: KernelState, market: MarketState): void {
  const { book, sync, audit } = market;
  const count = book.settle(state.nowMs);
  if (count === 0) return;
  const { marketId } = market.market;
  const isLive = sync.live !== undefined;
  for (let at = 1; at <= count; at += 1) {
    state.notes.push({ type: "bookAudit", marketId, isSame: isLive || at < count });
  }
  audit.dueSinceMs = undefined;
  audit.hasWarned = false;
  // The second in a row means that the channel is behind, which is noted once.
  if (isLive || book.fresh.misses > 1) return;
  state.notes.push({
    type: "warning",
    code: "BOOK_MISMATCH",
    message: `market ${marketId}: the local book differs from the venue's and will be fetched again`,
  });
}

/** The book of a channel that failed several times in a row is not read more often than a suspect one. */
function syncWaitMs({ facts }: KernelState, { book }: MarketState): number {
  return facts === undefined || book.fresh.misses < 2 ? 0 : 2 * facts.checkMs;
}

/** Whether a trade at this price went through the touch of the book. */
export function goesThrough({ bids, asks }: Touch, price: number): boolean {
  return price > (asks.bestPrice ?? NEVER) || price < (bids.bestPrice ?? 0);
}

interface Touch {
  readonly bids: { readonly bestPrice: number | undefined };
  readonly asks: { readonly bestPrice: number | undefined };
}

/** Warns once about each live book that changes without being compared: an error in it would stay unnoticed. */
export function warnUnaudited(state: KernelState): void {
  for (const market of state.markets.values()) {
    if (unauditedMs(state, market) > state.nowMs) continue;
    market.audit.hasWarned = true;
    state.notes.push({
      type: "warning",
      code: "BOOK_UNAUDITED",
      message: `market ${market.market.marketId}: no depthSnapshot message could be compared with the local book for ${state.config.timing.auditMs / 1000} s`,
    });
  }
}

/** When the next such warning is due, our clock; Infinity when there is none. */
export function nextAuditWarningMs(state: KernelState): number {
  let nextMs = NEVER;
  for (const market of state.markets.values())
    nextMs = Math.min(nextMs, unauditedMs(state, market));
  return nextMs;
}

function unauditedMs({ config }: KernelState, { audit }: MarketState): number {
  if (audit.hasWarned || audit.dueSinceMs === undefined) return NEVER;
  return audit.dueSinceMs + config.timing.auditMs;
}
