import {
  addFixed,
  divUp,
  type Fixed,
  fixed,
  maxFixed,
  minFixed,
  mulFixed,
  ZERO,
} from "../domain/fixed.ts";

/** What is known of a market before its first quote. */
export interface LimitBasis {
  /** Total balance of the base token. */
  readonly base: Fixed;
  /** Total balance of the quote token. */
  readonly quote: Fixed;
  readonly mid: Fixed;
  /** Base quantity of all quotes of one side; undefined when the strategy does not say. */
  readonly quotedPerSide: Fixed | undefined;
  /** Base quantity of the largest single quote; undefined when the strategy does not say. */
  readonly largestQuote: Fixed | undefined;
}

export interface DerivedLimits {
  /** Base token. */
  readonly maxPosition: Fixed;
  /** Quote token. */
  readonly maxOrderNotional: Fixed;
  /** Quote token. */
  readonly dayLoss: Fixed;
}

const POSITION_ROUNDS = fixed("50");
const NOTIONAL_TIMES = fixed("5");
const LOSS_SHARE = fixed("0.1");
const DECIMALS = 8;

/** Limits for what the configuration leaves out. Undefined without a mid or without balances, since a limit of 0 would deny every quote. */
export function deriveLimits(basis: LimitBasis): DerivedLimits | undefined {
  const { base, quote, mid, quotedPerSide, largestQuote } = basis;
  if (mid <= ZERO || base < ZERO || quote < ZERO) return undefined;
  const baseValue = mulFixed(base, mid);
  const equity = addFixed(baseValue, quote);
  if (equity <= ZERO) return undefined;
  // The balance allows no larger position, long or short, at this mid.
  const affordable = maxFixed(base, divUp(quote, mid, DECIMALS));
  const wanted = quotedPerSide && mulFixed(quotedPerSide, POSITION_ROUNDS);
  const usual = largestQuote && mulFixed(mulFixed(largestQuote, mid), NOTIONAL_TIMES);
  return {
    maxPosition: wanted === undefined ? affordable : minFixed(wanted, affordable),
    maxOrderNotional: usual === undefined ? equity : minFixed(usual, equity),
    dayLoss: mulFixed(equity, LOSS_SHARE),
  };
}
