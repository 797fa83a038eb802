import { fixedFromNumber } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";

/** The simulated venue's fees in a market, as shares of the amount that a fill brings the account. */
export type FeeRates = Pick<Market, "makerFee" | "takerFee">;

export interface FeeModel {
  ratesOf(market: Market): FeeRates;
}

/** Charges the configuration's `fees` in every market; without them, each market's own rates. */
export function flatFees(
  fees: { readonly maker: number; readonly taker: number } | undefined,
): FeeModel {
  if (fees === undefined) return { ratesOf: ({ makerFee, takerFee }) => ({ makerFee, takerFee }) };
  const rates = { makerFee: fixedFromNumber(fees.maker), takerFee: fixedFromNumber(fees.taker) };
  return { ratesOf: () => rates };
}

/** The markets with their rates replaced by the model's. */
export function withFees(markets: readonly Market[], model: FeeModel): readonly Market[] {
  return markets.map((market) => ({ ...market, ...model.ratesOf(market) }));
}
