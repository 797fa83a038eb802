import type { BookSnapshot } from "../../domain/depth.ts";
import { addFixed, fixed, type Fixed, mulRoundHalfUp, subFixed, ZERO } from "../../domain/fixed.ts";
import type { MarketId, TokenId } from "../../domain/ids.ts";
import { bookLessOwn, type KernelState, type MarketState } from "../state.ts";

/** Two readings agree when they differ by at most this share of the smaller one. */
const SHARE = 0.1;
const SHARE_OF_TOTAL = fixed(String(SHARE));
const DECIMALS = 18;
/** Wait before the second reading, so that a cache has time to expire. */
const AGAIN_MS = 1_000;

const UNSURE = "limits are derived once balances and mid were read twice and agree";

/** A report of the balances was believed. Two in a row that agree are what limits are derived from. */
export function agreeOnBalances(state: KernelState): void {
  const readings = state.derived?.readings;
  if (readings === undefined || state.derived?.missing.size === 0) return;
  if (readings.hasBalances && !readings.comparesOn) return;
  const totals = totalsOf(state);
  const before = readings.totals;
  readings.totals = totals;
  readings.hasBalances = false;
  // An account without money has nothing to derive from.
  if ([...totals.values()].every((total) => total === ZERO)) return;
  readings.hasBalances =
    before !== undefined &&
    [...totals].every(([tokenId, total]) => agreeFixed(total, before.get(tokenId) ?? ZERO));
  if (readings.hasBalances) return;
  state.reads.want({ type: "balances" }, state.nowMs + AGAIN_MS, { again: true });
}

/** A book came that was requested at `queriedMs`; called before it changes the live one. */
export function agreeOnBook(
  state: KernelState,
  market: MarketState,
  { bids, asks }: BookSnapshot,
  queriedMs: number,
): void {
  const readings = state.derived?.readings;
  const { marketId } = market.market;
  const wantedMs = readings?.wantedMs.get(marketId);
  if (readings === undefined || wantedMs === undefined || queriedMs < wantedMs) return;
  readings.wantedMs.delete(marketId);
  const [bid] = bids;
  const [ask] = asks;
  const mid = bookLessOwn(state, market)?.mid;
  if (bid === undefined || ask === undefined || mid === undefined) return;
  if (agree(mid, (bid + ask) / 2)) readings.mids.set(marketId, mid);
}

/** Compares first mids with the last public trade, and reads the book again where there is none that agrees. */
export function agreeOnMids(state: KernelState): void {
  const { derived, markets, nowMs } = state;
  const readings = derived?.readings;
  if (readings === undefined) return;
  for (const market of markets.values()) {
    const { marketId } = market.market;
    const agreed = readings.mids.get(marketId);
    if (agreed !== undefined && !readings.comparesOn) continue;
    const mid = bookLessOwn(state, market)?.mid;
    if (mid === undefined || (agreed !== undefined && agree(mid, agreed))) continue;
    readings.mids.delete(marketId);
    if (market.lastTrade !== undefined && agree(mid, market.lastTrade)) {
      readings.mids.set(marketId, mid);
    } else if (!readings.wantedMs.has(marketId)) {
      readings.wantedMs.set(marketId, nowMs + AGAIN_MS);
      state.reads.want({ type: "book", marketId }, nowMs + AGAIN_MS, { again: true });
    }
  }
}

/** Whether limits of a market may be derived from the balances and its mid; always where they are not read twice. */
export function hasAgreed({ derived }: KernelState, marketId: MarketId): boolean {
  const readings = derived?.readings;
  return readings === undefined || (readings.hasBalances && readings.mids.has(marketId));
}

/** Why a market is not quoted yet; undefined once its limits can be derived. */
export function unsureReason(state: KernelState, marketId: MarketId): string | undefined {
  const isMissing = (state.derived?.missing.size ?? 0) > 0;
  return isMissing && !hasAgreed(state, marketId) ? UNSURE : undefined;
}

function totalsOf({ balances, markets }: KernelState): ReadonlyMap<TokenId, Fixed> {
  const totals = new Map<TokenId, Fixed>();
  for (const { market } of markets.values()) {
    for (const tokenId of [market.baseToken, market.quoteToken]) {
      const { locked = ZERO, unlocked = ZERO } = balances.of(tokenId) ?? {};
      totals.set(tokenId, addFixed(locked, unlocked));
    }
  }
  return totals;
}

function agree(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.min(one, other) * SHARE;
}

function agreeFixed(one: Fixed, other: Fixed): boolean {
  const [low, high] = one < other ? [one, other] : [other, one];
  return subFixed(high, low) <= mulRoundHalfUp(low, SHARE_OF_TOTAL, DECIMALS);
}
