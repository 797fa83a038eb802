import { durationText } from "../../domain/setting.ts";
import type { MarketState } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import type { Fact } from "./facts.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** The reason shown while quotes are down because the venue is silent. */
export const NO_MESSAGE = "no message from the venue";

/** Why quotes in a market are pulled because a fact that they need is too old; undefined while none is. */
export function staleReason(
  { facts, nowMs, lastMessageMs }: KernelState,
  market: MarketState,
): string | undefined {
  const { blindSinceMs, staleMs } = market;
  if (nowMs - lastMessageMs > staleMs) return NO_MESSAGE;
  if (blindSinceMs !== undefined && nowMs - blindSinceMs > staleMs) {
    return "the book is not in sync";
  }
  if (facts === undefined) return undefined;
  for (const fact of facts.all) {
    const { fresh, marketId, name } = fact;
    if (marketId !== undefined && marketId !== market.market.marketId) continue;
    const limitMs = limitOf(fact, market);
    if (nowMs - fresh.provenMs <= limitMs) continue;
    const hint = fresh.suspectMs === NEVER ? "" : `: ${fresh.reason}`;
    return `${name} may be older than ${durationText(limitMs)}${hint}`;
  }
  return undefined;
}

/** When staleness would pull quotes in a market next, our clock; Infinity for never. */
export function nextStaleMs(
  { facts, nowMs, lastMessageMs }: KernelState,
  market: MarketState,
): number {
  const { blindSinceMs = lastMessageMs } = market;
  let nextMs = later(Math.min(lastMessageMs, blindSinceMs) + market.staleMs + 1, nowMs);
  if (facts === undefined) return nextMs;
  for (const fact of facts.all) {
    if (fact.marketId !== undefined && fact.marketId !== market.market.marketId) continue;
    nextMs = Math.min(nextMs, later(fact.fresh.provenMs + limitOf(fact, market) + 1, nowMs));
  }
  return nextMs;
}

/** Whether the newest copy of a book is young enough to quote by. */
export function isBookFresh({ facts, nowMs }: KernelState, market: MarketState): boolean {
  return facts === undefined || nowMs - market.book.fresh.provenMs <= market.staleMs;
}

/** The copies of the facts that an order of a market needs were right at this time. */
export function provenMs(
  { facts, lastMessageMs }: KernelState,
  { book, blindSinceMs }: MarketState,
): number {
  if (facts === undefined) return Math.min(lastMessageMs, blindSinceMs ?? NEVER);
  return Math.min(lastMessageMs, book.fresh.provenMs, facts.account.fresh.provenMs);
}

/** How old a fact may be that a quote needs. The own orders are read by the shortest `staleBook`, each market's quotes need them by its own. */
function limitOf({ kind, limitMs }: Fact, { staleMs }: MarketState): number {
  return kind === "account" ? staleMs : limitMs;
}

function later(atMs: number, nowMs: number): number {
  return atMs > nowMs ? atMs : NEVER;
}
