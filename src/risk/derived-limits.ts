import { addFixed, divUp, type Fixed, fixed, mulRoundHalfUp, ZERO } from "../domain/fixed.ts";

/** What an account holds of a market's tokens, locked amounts included, with the market's mid. */
export interface MarketHolding {
  readonly base: Fixed;
  readonly quote: Fixed;
  readonly mid: Fixed;
}

export interface MarketBounds {
  /** Base token: what the account would hold if all of it were base token. */
  readonly maxPosition: Fixed;
  /** Quote token: a share of what the account holds. */
  readonly maxOrderNotional: Fixed;
}

const NOTIONAL_SHARE = fixed("0.5");
const LOSS_SHARE = fixed("0.1");
const POSITION_DECIMALS = 8;
/** Decimals of a valuation, as in the risk ladder. */
const VALUE_DECIMALS = 18;

/** Undefined without balances, since a limit of 0 would deny every quote. */
export function deriveBounds({ base, quote, mid }: MarketHolding): MarketBounds | undefined {
  const equity = addFixed(valueAt(base, mid), quote);
  if (equity <= ZERO || mid <= ZERO) return undefined;
  return {
    maxPosition: addFixed(base, divUp(quote, mid, POSITION_DECIMALS)),
    maxOrderNotional: mulRoundHalfUp(equity, NOTIONAL_SHARE, VALUE_DECIMALS),
  };
}

/** The loss of a day that halts, in quote token; undefined without equity. */
export function deriveDayLoss(equity: Fixed): Fixed | undefined {
  return equity <= ZERO ? undefined : mulRoundHalfUp(equity, LOSS_SHARE, VALUE_DECIMALS);
}

export function valueAt(base: Fixed, mid: Fixed): Fixed {
  return mulRoundHalfUp(base, mid, VALUE_DECIMALS);
}
