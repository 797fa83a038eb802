import type { BookWish } from "../book/book-sync.ts";
import type { KernelState, MarketState } from "./state.ts";

/** After anything that a market's book took in: what it asks for, whether it can be seen, and who wants to know. */
export function followBook(
  state: KernelState,
  market: MarketState,
  wish: BookWish | undefined,
): void {
  const { marketId } = market.market;
  if (wish !== undefined) state.reads.want(wish, state.nowMs);
  const isLive = market.sync.live !== undefined;
  if (isLive !== (market.blindSinceMs === undefined)) {
    state.notes.push({ type: "bookState", marketId, state: market.sync.state });
  }
  market.blindSinceMs = isLive ? undefined : (market.blindSinceMs ?? state.nowMs);
  for (const { runner } of state.desks) {
    if (runner.binding.marketId === marketId) runner.hasNews = true;
  }
}
