import { type Fixed, fixedFromNumber, ZERO } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";

/** The simulated venue's fees in a market, as shares of the amount that a fill brings the account. A rebate is negative. */
export type FeeRates = Pick<Market, "makerFee" | "takerFee">;

/** The configuration's fees, as shares. */
export interface FeeSettings {
  /** Undefined: the market's own rate. */
  readonly maker: number | undefined;
  readonly taker: number | undefined;
  /** By ascending volume. */
  readonly tiers: readonly FeeTier[];
}

/** Fees from this volume of own fills on, in a market's quote token. */
export interface FeeTier {
  readonly volume: Fixed;
  readonly maker: number;
  readonly taker: number;
}

export interface FeeModel {
  /** The rates after own fills of this volume in the market, in its quote token. */
  ratesOf(market: Market, volume: Fixed): FeeRates;
}

/** Charges the settings' rates, and those of the highest tier that the volume has reached. */
export function feeModel({ maker, taker, tiers }: FeeSettings): FeeModel {
  const steps = tiers.map((tier) => ({
    volume: tier.volume,
    rates: { makerFee: fixedFromNumber(tier.maker), takerFee: fixedFromNumber(tier.taker) },
  }));
  return {
    ratesOf({ makerFee, takerFee }, volume) {
      const reached = steps.findLast((step) => step.volume <= volume);
      if (reached !== undefined) return reached.rates;
      return {
        makerFee: maker === undefined ? makerFee : fixedFromNumber(maker),
        takerFee: taker === undefined ? takerFee : fixedFromNumber(taker),
      };
    },
  };
}

/** The markets with their rates replaced by the model's first ones. */
export function withFees(markets: readonly Market[], model: FeeModel): readonly Market[] {
  return markets.map((market) => ({ ...market, ...model.ratesOf(market, ZERO) }));
}

/** Each market's own rates. */
export const marketFees: FeeSettings = { maker: undefined, taker: undefined, tiers: [] };
