/** Tools for testing strategies: `import { conforms, replayStrategy, tryStrategy } from "touchline/testing"`. */
export * from "./replay.ts";
export {
  conforms,
  type Conformance,
  type ConformanceOptions,
  type ConformanceResult,
} from "./conforms.ts";
export type { AttackLoss } from "./conformance-subject.ts";
export type { ConformanceMarket } from "./attacked-market.ts";
export type { RandomMarketOptions } from "./random-market.ts";
export { replayStrategy, type ReplayTrial, type ReplayTrialOptions } from "./replay-strategy.ts";
export type { TestTrade, TrialHistory, TrialOptions } from "./setup.ts";
export { type StrategyTrial, tryStrategy } from "./try-strategy.ts";
export type { TestLevel, TestOrder, TestStop, TrialMarket } from "./trial-market.ts";
