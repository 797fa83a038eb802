/** What strategies are written with: `import { defineStrategy, setQuotes, share, z } from "touchline"`. */
export { z } from "zod";
export { Decimal } from "./domain/decimal.ts";
export type { Trade } from "./domain/depth.ts";
export type { Market } from "./domain/market.ts";
export { isLegalPrice, tickAt } from "./domain/price.ts";
export { amount, duration, price, share } from "./domain/setting.ts";
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
  type StrategyDefinition,
  type WantedQuote,
} from "./strategy/contract.ts";
export type {
  BookView,
  Level,
  MarketView,
  OwnFill,
  OwnOrder,
  PositionView,
} from "./strategy/view.ts";
