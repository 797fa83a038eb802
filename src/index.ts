/** The API for strategies: `import { defineStrategy, setQuotes, share, z } from "touchline"`. Helpers of ladders: `touchline/ladder`. */
export { z } from "zod";
export { TouchlineError } from "./base/error.ts";
export { Prng } from "./base/prng.ts";
export type { MarketCandle, Resolution } from "./domain/candle.ts";
export type { StopKind } from "./domain/command.ts";
export { Decimal } from "./domain/decimal.ts";
export type { MarketId, TokenId } from "./domain/ids.ts";
export type { Market } from "./domain/market.ts";
export type { MarketRules, MarketRulesSpec } from "./domain/market-rules.ts";
export { type BaseAmount, baseAmount, inBase } from "./domain/base-amount.ts";
export type { RiskStep } from "./domain/risk-step.ts";
export { amount, duration, percentText, price, share, sourceName } from "./domain/setting.ts";
export { opposite, type Side, sides } from "./domain/side.ts";
export type { UnixMs } from "./domain/time.ts";
export {
  type DecideInput,
  type Decision,
  defineStrategy,
  inMarkets,
  keepQuotes,
  type MarketDecision,
  noQuotes,
  setQuotes,
  type StateKeeping,
  type StrategyDefinition,
  type WakeOn,
  type WantedQuote,
  type WantedStop,
} from "./strategy/contract.ts";
export type { TakePrices, WantedTake, WantedWork } from "./strategy/wanted-take.ts";
export type {
  BookView,
  Level,
  MarketView,
  OwnFill,
  OwnLeg,
  OwnOrder,
  OwnStop,
  OwnTake,
  PositionView,
  PublicTrade,
  RiskView,
  SourceView,
} from "./strategy/view.ts";
export type { CandlesView, WarmUp } from "./strategy/warm-up.ts";
export type { WantedTpsl } from "./strategy/wanted-tpsl.ts";
