import type { MarketId } from "../domain/ids.ts";
import type { KernelState } from "./state.ts";

/**
 * What the kernel doubts of the venue's statements (docs/venue-doubts.md). `ask`: the statement is not used, and the venue is asked
 * over REST. `hold`: nothing new is quoted while it lasts. `note`: it is used, and noted. `leave`: quotes of the market are pulled
 * until an operator resumes.
 */
export const doubtCodes = {
  FILL_BEYOND_LIMIT: "ask",
  FILL_TOO_LARGE: "ask",
  FEE_IMPOSSIBLE: "ask",
  FEE_BEYOND_RATE: "note",
  ORDER_MISMATCH: "ask",
  EXECUTED_TOO_LARGE: "ask",
  ORDER_RETURNED: "note",
  BOOK_CROSSED: "hold",
  TOUCH_JUMPED: "hold",
  MARKET_CHANGED: "note",
  MARKET_LEFT: "leave",
} as const;

export type DoubtCode = keyof typeof doubtCodes;

/** Notes of one code follow each other no faster, after the first few. */
const NOTE_EVERY_MS = 1_000;
const FIRST_NOTES = 5;

export interface DoubtState {
  readonly counts: Map<DoubtCode, number>;
  /** When each code was last noted. */
  readonly notedMs: Map<DoubtCode, number>;
  /** Why a market is left. */
  readonly left: Map<MarketId, string>;
  /** Fills that were doubted already, so that the same fill in the next list is no new doubt; the oldest are dropped first. */
  readonly seen: Set<string>;
  /** Orders that came back after the venue had ended them, by market. */
  readonly returned: Map<MarketId, number>;
}

export function makeDoubts(): DoubtState {
  return {
    counts: new Map(),
    notedMs: new Map(),
    left: new Map(),
    seen: new Set(),
    returned: new Map(),
  };
}

/** Counts a doubt and notes it. Only for kernels with `config.doubts`. */
export function doubt(
  state: KernelState,
  code: DoubtCode,
  marketId: MarketId,
  message: string,
): void {
  const { doubts, nowMs } = state;
  if (doubts === undefined) return;
  const count = (doubts.counts.get(code) ?? 0) + 1;
  doubts.counts.set(code, count);
  const notedMs = doubts.notedMs.get(code) ?? Number.NEGATIVE_INFINITY;
  if (count > FIRST_NOTES && nowMs - notedMs < NOTE_EVERY_MS) return;
  doubts.notedMs.set(code, nowMs);
  state.notes.push({ type: "doubt", code, marketId, count, message });
}

/** Pulls the quotes of a market until an operator resumes. The first reason stays. */
export function leaveMarket(state: KernelState, marketId: MarketId, reason: string): void {
  const { doubts } = state;
  if (doubts === undefined || doubts.left.has(marketId)) return;
  doubts.left.set(marketId, reason);
  const text = `market ${marketId} is not quoted any more: ${reason}; \`touchline resume\` quotes it again`;
  doubt(state, "MARKET_LEFT", marketId, text);
}

/** Why a market is left; undefined while it is not. */
export function leftReason({ doubts }: KernelState, marketId: MarketId): string | undefined {
  const reason = doubts?.left.get(marketId);
  return reason === undefined ? undefined : `the venue is not believed: ${reason}`;
}

/** An operator resumed: what was doubted before counts no more against the markets. */
export function resumeMarkets({ doubts }: KernelState): void {
  doubts?.left.clear();
  doubts?.returned.clear();
}
