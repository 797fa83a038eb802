import type { MarketId } from "../../domain/ids.ts";

/**
 * Impossible statements of the venue (docs/freshness.md). None is used, and its fact is read again over REST. When the venue repeats it
 * there, or a book stays impossible for longer than `staleBook`, the market is left: its quotes are pulled until an operator resumes, also
 * over restarts. BALANCES_OLD is believed after ten seconds; MARKET_CHANGED and FILL_FAR_FROM_BOOK only note what the venue says.
 */
export type DoubtCode =
  /** A fill worse than the limit, larger than what the order had left, of another side or market, booked otherwise, or one too many. */
  | "FILL_IMPOSSIBLE"
  /** A fill beyond the price collar from both its order's limit and the mid, to our good. It is booked. */
  | "FILL_FAR_FROM_BOOK"
  /** A fee that is a large part of what was received, or in a token that the market does not trade. */
  | "FEE_IMPOSSIBLE"
  /** An own order on another side or in another market, executed beyond its size, or open again although it had ended. */
  | "ORDER_IMPOSSIBLE"
  /** A book that is crossed, or has jumped beyond the price collar although trades stay. */
  | "BOOK_IMPOSSIBLE"
  /** A report of the balances of an earlier block than the last one. */
  | "BALANCES_OLD"
  | "MARKET_CHANGED"
  | "MARKET_LEFT";

export interface DoubtState {
  /** How many there were of each code, and when it was last noted. */
  readonly counts: Map<DoubtCode, { readonly count: number; readonly notedMs: number }>;
  /** Why a market is left. */
  readonly left: Map<MarketId, string>;
  /** Impossible statements about own orders, by order and code; the next one of a kind is a repetition. */
  readonly said: Set<string>;
  /** Orders that came back after the venue had ended them, by market. */
  readonly returned: Map<MarketId, number>;
}

export function makeDoubts(): DoubtState {
  return {
    counts: new Map(),
    left: new Map(),
    said: new Set(),
    returned: new Map(),
  };
}
