import type { BookQuery } from "../book/book-sync.ts";
import type { KernelState, MarketState } from "./state.ts";

/** After anything that a market's book took in: what it asks for, whether it can be seen, and who wants to know. */
export function followBook(
  state: KernelState,
  market: MarketState,
  target: BookQuery | undefined,
): void {
  const { marketId } = market.market;
  if (target !== undefined) state.reads.want(target, state.nowMs);
  const isLive = market.sync.live !== undefined;
  if (isLive !== (market.blindSinceMs === undefined)) {
    state.notes.push({ type: "bookState", marketId, state: market.sync.state });
  }
  market.blindSinceMs = isLive ? undefined : (market.blindSinceMs ?? state.nowMs);
  for (const { runner } of state.slots) {
    if (runner.binding.marketId === marketId) runner.needsDecision = true;
  }
}
