import type { BookQuery } from "../../book/book-sync.ts";
import { followTouch } from "../doubts/doubt-book.ts";
import type { KernelState, MarketState } from "../state.ts";

/**
 * After an input to a market's book: requests the read it needs, notes its state, and marks its strategies for a decision. `queriedMs`: when
 * the input was requested, if it is a book over REST.
 */
export function followBook(
  state: KernelState,
  market: MarketState,
  query: BookQuery | undefined,
  queriedMs: number = state.nowMs,
): void {
  const { marketId } = market.market;
  if (query !== undefined) state.reads.want(query, state.nowMs + syncWaitMs(state, market));
  const isLive = market.sync.live !== undefined;
  if (!isLive) market.channels?.depth.lost();
  else if (market.blindSinceMs !== undefined) {
    market.channels?.depth.synced(market.sync.lastId, state.nowMs, queriedMs);
  }
  if (isLive !== (market.blindSinceMs === undefined)) {
    state.notes.push({ type: "bookState", marketId, state: market.sync.state });
  }
  followTouch(state, market);
  market.blindSinceMs = isLive ? undefined : (market.blindSinceMs ?? state.nowMs);
  for (const { runner } of state.slots) {
    if (runner.binding.marketId === marketId) runner.news.market = true;
  }
}

/** The book of a channel that makes wrong ones over and over is not read more often than a sign is checked. */
function syncWaitMs({ channels }: KernelState, market: MarketState): number {
  const { depth } = market.channels ?? {};
  if (channels === undefined || depth?.isWrong !== true) return 0;
  return depth.behindSinceMs === Number.POSITIVE_INFINITY ? 0 : 2 * channels.checkMs;
}
