import { fixedFromNumber } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";

/** What the simulated venue charges in a market, as shares of what a fill brings. */
export type FeeRates = Pick<Market, "makerFee" | "takerFee">;

export interface FeeModel {
  ratesOf(market: Market): FeeRates;
}

/** `fees` of the configuration in every market; without them each market's own rates. */
export function flatFees(
  fees: { readonly maker: number; readonly taker: number } | undefined,
): FeeModel {
  if (fees === undefined) return { ratesOf: ({ makerFee, takerFee }) => ({ makerFee, takerFee }) };
  const rates = { makerFee: fixedFromNumber(fees.maker), takerFee: fixedFromNumber(fees.taker) };
  return { ratesOf: () => rates };
}

/** The markets at the rates that the model charges. */
export function withFees(markets: readonly Market[], model: FeeModel): readonly Market[] {
  return markets.map((market) => ({ ...market, ...model.ratesOf(market) }));
}
