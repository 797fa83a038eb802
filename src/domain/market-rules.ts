import type { Fixed } from "./fixed.ts";

/**
 * The rules of a market as plain data, as `Market` and the journal carry them; `rulesOf` turns them into functions.
 * `grid`: the venue's price grid of §4.5. `fixed`: one tick and one lot at every price, as most other venues have them.
 */
export type MarketRulesSpec = { readonly type: "grid" } | FixedRulesSpec;

export interface FixedRulesSpec {
  readonly type: "fixed";
  /** Price step in quote token, decimal text with at most 8 decimals. */
  readonly tick: string;
  /** Quantity step in base token, decimal text with at most 18 decimals. */
  readonly lot: string;
  /** Smallest order size in base token; one lot when left out. */
  readonly minSize?: string | undefined;
}

export type PriceProblem =
  | "not-positive"
  | "too-many-significant-digits"
  | "too-many-decimals"
  | "off-tick";

/** Which prices and sizes a market admits for orders. */
export interface MarketRules {
  readonly spec: MarketRulesSpec;
  /** Quantity step in base token. */
  readonly lot: Fixed;
  /** Highest legal price at or below `price`; 0 when there is none. Use it for bids. */
  readonly roundDown: (price: number) => number;
  /** Lowest legal price at or above `price`. Use it for asks. */
  readonly roundUp: (price: number) => number;
  /** Highest legal price strictly below `price`, which need not be legal; 0 when there is none. */
  readonly nextBelow: (price: number) => number;
  /** Lowest legal price strictly above `price`, which need not be legal. */
  readonly nextAbove: (price: number) => number;
  readonly isLegal: (price: number) => boolean;
  /** Distance from the legal price at or below `price` to the next one up, in quote token. */
  readonly tickAt: (price: number) => number;
  /** Smallest order size in base token at this price. */
  readonly minSizeAt: (price: number) => Fixed;
  /** Largest multiple of the lot at or below `size`. */
  readonly roundSize: (size: Fixed) => Fixed;
  readonly isWholeLots: (size: Fixed) => boolean;
  /** Judges decimal text exactly; undefined when the price is legal. Trailing zeros never count (D22). */
  readonly priceProblem: (text: string) => PriceProblem | undefined;
}
