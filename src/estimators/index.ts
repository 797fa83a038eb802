/** Estimators of volatility, trading and prices for strategies: `import { volatility } from "touchline/estimators"`. */
export type { Estimator, EstimatorOptions, TradeSample } from "./estimator.ts";
export { basis, ewma, type EwmaOptions, type PricePair } from "./ewma.ts";
export { markout, type MarkoutSample, type MarkoutState } from "./markout.ts";
export { microPrice, type MicroPriceSample, type MicroPriceState } from "./micro-price.ts";
export {
  orderFlowImbalance,
  type OrderFlowState,
  signImbalance,
  type TouchSample,
} from "./order-flow.ts";
export {
  type Intensity,
  type IntensityOptions,
  type IntensitySample,
  type IntensityState,
  tradeIntensity,
} from "./trade-intensity.ts";
export {
  type PriceSample,
  realisedVolatility,
  type RealisedVolatilityState,
  secondVolatility,
  volatility,
  type VolatilityState,
} from "./volatility.ts";
export type { WeightedMean } from "./weighted-mean.ts";
