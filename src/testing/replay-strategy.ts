import type { z } from "zod";
import type { ReplayResult } from "../backtest/replay-result.ts";
import { playedSteps } from "../backtest/run-replay.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import { runAll } from "../recordings/steps.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { randomMarket, type RandomMarketOptions } from "./random-market.ts";
import { type TrialOptions, trialSetup } from "./setup.ts";

export interface ReplayTrialOptions<Params> extends TrialOptions<Params> {
  readonly market?: RandomMarketOptions;
}

/** The result of a replay. `warnings` has its warnings, for instance why no quote was placed. */
export type ReplayTrial = Omit<ReplayResult, "wallMs" | "levelChangesPerSecond"> & {
  readonly warnings: readonly string[];
};

/**
 * Replays a strategy over a random market in virtual time, as `touchline replay` does over a recording. The same options give the
 * same result. Rejects with TouchlineError `PARAMS_INVALID`, `FEES_INVALID` or `USAGE` for invalid options.
 */
export async function replayStrategy<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
  options: ReplayTrialOptions<z.input<Schema>> = {},
): Promise<ReplayTrial> {
  const keccak256 = await loadKeccak256();
  const { market, delays: _delays, ...setup } = trialSetup(definition, options);
  const steps = randomMarket(market.marketId, options.market);
  const played = runAll(playedSteps({ setup, steps, keccak256, wallMs: () => 1 }, () => 0));
  const { wallMs: _, levelChangesPerSecond: __, ...result } = played.result;
  return { ...result, warnings: played.warnings };
}
