import type { z } from "zod";
import { replay } from "../backtest/replay.ts";
import { ReplayRecorder } from "../backtest/replay-recorder.ts";
import type { ReplayResult } from "../backtest/replay-result.ts";
import { loadCrypto } from "../platform/crypto.ts";
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
  const crypto = await loadCrypto();
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const { market, ...setup } = trialSetup(definition, options);
  const recorder = new ReplayRecorder(setup, keccak256);
  const steps = randomMarket(market.marketId, options.market);
  const moments = replay({ setup, steps, keccak256, watcher: recorder });
  let moment = moments.next();
  while (moment.done !== true) moment = moments.next();
  const end = moment.value;
  const whole = recorder.result(end, 1);
  const { wallMs: _, levelChangesPerSecond: __, ...result } = whole;
  return { ...result, warnings: recorder.warnings.list(end, whole) };
}
