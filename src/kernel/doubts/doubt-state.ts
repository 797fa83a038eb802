import { OldestKeyCursor } from "../../base/oldest-key-cursor.ts";
import type { MarketId } from "../../domain/ids.ts";

/**
 * What the kernel doubts of the venue's statements (docs/venue-doubts.md). `ask`: the statement is not used, and the venue is asked
 * over REST. `hold`: nothing new is quoted while it lasts. `note`: it is used, and noted. `leave`: quotes of the market are pulled
 * until an operator resumes.
 */
const doubtCodes = {
  FILL_BEYOND_LIMIT: "ask",
  FILL_TOO_LARGE: "ask",
  FILL_CHANGED: "note",
  FILLS_TOO_MANY: "ask",
  FEE_IMPOSSIBLE: "ask",
  FEE_TOKEN_MISMATCH: "ask",
  FEE_BEYOND_RATE: "note",
  ORDER_MISMATCH: "ask",
  EXECUTED_TOO_LARGE: "ask",
  ORDER_RETURNED: "note",
  BALANCES_OLD: "ask",
  BOOK_CROSSED: "hold",
  TOUCH_JUMPED: "hold",
  MARKET_CHANGED: "note",
  MARKET_LEFT: "leave",
} as const;

export type DoubtCode = keyof typeof doubtCodes;

export interface DoubtState {
  readonly counts: Map<DoubtCode, number>;
  /** When each code was last noted. */
  readonly notedMs: Map<DoubtCode, number>;
  /** Why a market is left. */
  readonly left: Map<MarketId, string>;
  /** Fills that were doubted already, so that the same fill in the next list is no new doubt; the oldest are dropped first. */
  readonly seen: Set<string>;
  readonly oldestSeen: OldestKeyCursor<string>;
  /** Orders that came back after the venue had ended them, by market. */
  readonly returned: Map<MarketId, number>;
  /**
   * Own fills are listed since `sinceMs`, venue time, because of fills that were doubted. `isRequested`: the list was requested after the
   * newest of these doubts. Undefined once it has come.
   */
  awaitedFills: { readonly sinceMs: number; isRequested: boolean } | undefined;
}

export function makeDoubts(): DoubtState {
  const seen = new Set<string>();
  return {
    counts: new Map(),
    notedMs: new Map(),
    left: new Map(),
    seen,
    oldestSeen: new OldestKeyCursor(seen),
    returned: new Map(),
    awaitedFills: undefined,
  };
}
