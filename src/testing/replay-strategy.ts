import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
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
export async function replayStrategy<Schema extends z.ZodType, State, Role extends string>(
  definition: StrategyDefinition<Schema, State, Role>,
  options: ReplayTrialOptions<z.input<Schema>> = {},
): Promise<ReplayTrial> {
  const keccak256 = await loadKeccak256();
  const { market, byRole, delays: _delays, ...setup } = trialSetup(definition, options);
  if (byRole.size > 1) {
    throw new TouchlineError(
      "OPTIONS_INVALID",
      `The strategy ${definition.name} trades in ${[...byRole.keys()].join(" and ")}, and a random market is one.`,
      { hint: "Script its markets with `tryStrategy`, or replay a recording of them." },
    );
  }
  const steps = randomMarket(market.marketId, options.market);
  const played = runAll(playedSteps({ setup, steps, keccak256, wallMs: () => 1 }, () => 0));
  const { wallMs: _, levelChangesPerSecond: __, ...result } = played.result;
  return { ...result, warnings: played.warnings };
}
