import type { StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";

type Book = StrategyPanelSnapshot["book"];

/** What stands beside the mid: the spread, or why there is none. */
export function bookState({ bids, asks, mid, spread, state }: Book): string {
  if (state !== "live") return "not in sync";
  if (bids.length + asks.length === 0) return "the book is empty";
  if (spread === null || mid === null) return bids.length === 0 ? "no bids" : "no asks";
  return `spread ${((spread / mid) * 10_000).toFixed(1)} bps`;
}
