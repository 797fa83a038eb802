import type { MarketId } from "../../domain/ids.ts";
import type { CarriedLeftMarket } from "../../orders/carried.ts";
import type { KernelState } from "../state.ts";
import type { DoubtCode } from "./doubt-state.ts";

/** Notes of one code follow each other no faster, after the first few. */
const NOTE_EVERY_MS = 1_000;
const FIRST_NOTES = 5;

/** Counts an impossible statement and notes it. What else is said of a market that is left counts no more. */
export function doubt(
  { doubts, nowMs, notes }: KernelState,
  code: DoubtCode,
  marketId: MarketId | undefined,
  message: string,
): void {
  if (marketId !== undefined && code !== "MARKET_LEFT" && doubts.left.has(marketId)) return;
  const { count: before = 0, notedMs = 0 } = doubts.counts.get(code) ?? {};
  const count = before + 1;
  const isNoted = count <= FIRST_NOTES || nowMs - notedMs >= NOTE_EVERY_MS;
  doubts.counts.set(code, { count, notedMs: isNoted ? nowMs : notedMs });
  if (isNoted) notes.push({ type: "doubt", code, marketId, count, message });
}

/** Pulls the quotes of a market until an operator resumes. The first reason stays. */
export function leaveMarket(state: KernelState, marketId: MarketId, reason: string): void {
  const { left } = state.doubts;
  if (left.has(marketId)) return;
  left.set(marketId, reason);
  state.step.carried.push({ type: "left", marketId, reason });
  const text = `market ${marketId} is not quoted any more: ${reason}; \`touchline resume\` quotes it again`;
  doubt(state, "MARKET_LEFT", marketId, text);
}

/** Why a market is left; undefined while it is not. */
export function leftReason({ doubts }: KernelState, marketId: MarketId): string | undefined {
  const reason = doubts.left.get(marketId);
  return reason === undefined ? undefined : `the venue is not believed: ${reason}`;
}

/** An operator resumed: what the venue said before counts no more against the markets. */
export function resumeMarkets({ doubts, step }: KernelState): void {
  for (const marketId of doubts.left.keys()) step.carried.push({ type: "left", marketId });
  doubts.left.clear();
  doubts.returned.clear();
}

/** An earlier run left the market, and nobody has resumed since. */
export function restoreLeftMarket(
  state: KernelState,
  { marketId, reason }: CarriedLeftMarket,
): void {
  if (reason === undefined || !state.markets.has(marketId)) return;
  state.doubts.left.set(marketId, reason);
  const text = `market ${marketId} is not quoted since an earlier run: ${reason}; \`touchline resume\` quotes it again`;
  doubt(state, "MARKET_LEFT", marketId, text);
}
