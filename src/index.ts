/** The API for strategies: `import { defineStrategy, setQuotes, share, z } from "touchline"`. */
export { z } from "zod";
export { Decimal } from "./domain/decimal.ts";
export type { Trade } from "./domain/depth.ts";
export type { Market } from "./domain/market.ts";
/** Rules of the grid of §4.5 for every market, kept for older strategies. Newer ones use the market's own `view.rules`. */
export { isLegalPrice, tickAt } from "./domain/grid-rules.ts";
export type { MarketRules, MarketRulesSpec } from "./domain/market-rules.ts";
export { amount, duration, percentText, perLevel, price, share } from "./domain/setting.ts";
export type { Side } from "./domain/side.ts";
export type { UnixMs } from "./domain/time.ts";
export { Prng } from "./base/prng.ts";
export {
  type DecideInput,
  type Decision,
  defineStrategy,
  keepQuotes,
  noQuotes,
  setQuotes,
  type StateKeeping,
  type StrategyDefinition,
  type WakeOn,
  type WantedQuote,
  type WantedStop,
} from "./strategy/contract.ts";
export type { WantedTpsl } from "./strategy/wanted-tpsl.ts";
export { asksAbove } from "./strategy/asks-above.ts";
export { fairPrice, type PriceSource } from "./strategy/fair-price.ts";
export {
  inventoryDeviation,
  inventoryOf,
  type InventoryTarget,
  reservationPrice,
  sizeSkew,
} from "./strategy/inventory.ts";
export { keepYoung } from "./strategy/keep-young.ts";
export { ladderDistances, ladderSizes } from "./strategy/ladder.ts";
export {
  followPairs,
  forgetFar,
  hangingQuotes,
  newPairs,
  type Pairs,
} from "./strategy/pairs.ts";
export { hangingParams, inventoryParams, limitParams, quoteParams } from "./strategy/params.ts";
export {
  priceLimits,
  type QuoteLimit,
  smallestOrder,
  withinLimits,
} from "./strategy/quote-limit.ts";
export { touchBehind } from "./strategy/touch.ts";
export {
  inventoryWarnings,
  ladderWarnings,
  quoteWarnings,
  tickWarnings,
} from "./strategy/warnings.ts";
export type {
  BookView,
  Level,
  MarketView,
  OwnFill,
  OwnLeg,
  OwnOrder,
  OwnStop,
  PositionView,
  RiskView,
} from "./strategy/view.ts";
