import type { Effect } from "../effect.ts";
import { followBook } from "../market-data.ts";
import type { KernelState } from "../state.ts";
import { nextAccountMs, watchAccount } from "./account.ts";
import { healChannels } from "./heal-channels.ts";
import { nextRereadMs, reread } from "./rereads.ts";

const none: readonly Effect[] = [];

/** Once a step: corrects books that events did not reach, looks for own orders, reads what is suspect or old. Returns what brings channels back. */
export function watchFacts(state: KernelState): readonly Effect[] {
  const { facts, nowMs } = state;
  if (facts === undefined) return none;
  for (const market of state.markets.values()) {
    if (market.book.replace(nowMs)) followBook(state, market, undefined);
  }
  watchAccount(state, facts);
  reread(state, facts);
  return healChannels(state, facts);
}

/** When a fact has to be looked at next, our clock; Infinity for never. */
export function nextFactMs(state: KernelState): number {
  const { facts, nowMs } = state;
  if (facts === undefined) return Number.POSITIVE_INFINITY;
  let nextMs = nextRereadMs(state, facts);
  const accountMs = nextAccountMs(state, facts);
  if (accountMs > nowMs) nextMs = Math.min(nextMs, accountMs);
  for (const { book } of state.markets.values()) {
    if (book.replacesMs > nowMs) nextMs = Math.min(nextMs, book.replacesMs);
  }
  return nextMs;
}
