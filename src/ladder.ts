/**
 * Building blocks of strategies that quote ladders: `import { ladderDistances, quoteParams } from "touchline/ladder"`. The built-in
 * `pure-market-making` is made of them.
 */
export { perLevel } from "./domain/setting.ts";
// Settings: groups of parameters, and warnings about them for `review`.
export {
  fairParams,
  hangingParams,
  inventoryParams,
  limitParams,
  quoteParams,
} from "./strategy/params.ts";
export {
  inventoryWarnings,
  ladderWarnings,
  quoteWarnings,
  tickWarnings,
} from "./strategy/warnings.ts";
// Prices: the centre, the levels around it, and their limits.
export {
  type FairMemory,
  type FairPrice,
  type FairSettings,
  followFairPrice,
  newFairMemory,
  type PriceSource,
} from "./strategy/fair-price.ts";
export { type DepthPrice, depthPrice } from "./strategy/depth-price.ts";
export { ladderDistances, ladderSizes, mergeLevels } from "./strategy/ladder.ts";
export { costBound } from "./strategy/cost-bound.ts";
export { asksAbove } from "./strategy/asks-above.ts";
export {
  priceLimits,
  type QuoteLimit,
  smallestOrder,
  withinLimits,
} from "./strategy/quote-limit.ts";
export { withinBalance } from "./strategy/within-balance.ts";
// When quotes are decided anew.
export {
  newRequoteMemory,
  nowhere,
  quotesSet,
  type Requote,
  requoteDue,
  type RequoteLimits,
  type RequoteMemory,
  requoteOf,
  unquoted,
} from "./strategy/requote.ts";
// Inventory: how far it is from its target, and what that does to prices and sizes.
export {
  inventoryDeviation,
  inventoryOf,
  type InventoryTarget,
  reservationPrice,
  sizeSkew,
} from "./strategy/inventory.ts";
// Orders that stay: young ones, and those that hang at their price until they are filled.
export { keepYoung } from "./strategy/keep-young.ts";
export {
  followPairs,
  forgetFar,
  hangingQuotes,
  newPairs,
  type Pairs,
} from "./strategy/pairs.ts";
// One bid and one ask from a model of the market: volatility and market orders, measured.
export {
  checkModel,
  followMarket,
  type MarketModel,
  marketModel,
  modelParams,
  type MarketModelSettings,
  type ModelState,
  startMarket,
} from "./strategy/market-model.ts";
export {
  type ModelMemory,
  modelQuoteParams,
  type ModelQuotes,
  modelState,
  modelWarnings,
  quoteFromModel,
  quoteOneASide,
} from "./strategy/model-quotes.ts";
