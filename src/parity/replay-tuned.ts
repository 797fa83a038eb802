import type { ReplayResult } from "../backtest/replay-result.ts";
import { playedSteps } from "../backtest/run-replay.ts";
import { TouchlineError } from "../base/error.ts";
import type { BatchEntry, RunHeader } from "../journal/entry.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import type { Steps } from "../recordings/steps.ts";
import { defaultFills } from "../simulated/queue-models.ts";
import { marketFees } from "../simulated/fee-model.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { measuredLatency, plainLatency } from "./latency-choice.ts";
import { liveRun } from "./live-run.ts";
import { marketSteps } from "./market-steps.ts";
import { paritySetup } from "./parity-setup.ts";
import { withoutDelay } from "./run-parity.ts";

export interface TunedReplayRequest {
  readonly header: RunHeader;
  /** Of a run, or of its end. */
  readonly batches: readonly BatchEntry[];
  /** The strategies with the parameters before a change, and after it. */
  readonly before: readonly StrategyBinding[];
  readonly after: readonly StrategyBinding[];
  readonly keccak256: Keccak256;
}

export interface TunedReplay {
  readonly fromMs: number;
  readonly toMs: number;
  readonly latency: string;
  readonly before: ReplayResult;
  readonly after: ReplayResult;
}

/** Where the journal shows no delay. */
const USUAL_LATENCY = "20ms";

/**
 * Replays the market data of a run with the parameters before and after a change, with the delays that the run had. Both get the run's
 * pauses and halts, and none of its changes of parameters. Throws TouchlineError `JOURNAL_NO_MARKET`.
 */
export function* replayTuned(request: TunedReplayRequest): Steps<TunedReplay> {
  const { header, batches, keccak256 } = request;
  const run = liveRun(header, batches);
  const { steps } = marketSteps(run);
  const fromMs = steps[0]?.atMs;
  if (fromMs === undefined) {
    throw new TouchlineError("JOURNAL_NO_MARKET", "The journal has no market data to replay yet.", {
      hint: "Wait until the bot has received a book of its market.",
    });
  }
  const latency = measuredLatency(run.latency, fromMs) ?? plainLatency(USUAL_LATENCY);
  if (latency === undefined) throw new Error(`${USUAL_LATENCY} is a latency`);
  const played = latency.usesRecordedFeed ? steps : steps.map(withoutDelay);
  const models = { fills: defaultFills, latency: latency.settings, fees: marketFees };
  const options = { steps: played, keccak256, commands: run.commands, sources: run.sources };
  const results: ReplayResult[] = [];
  for (const strategies of [request.before, request.after]) {
    let done = 0;
    const counted = (function* () {
      for (const step of played) {
        done += 1;
        yield step;
      }
    })();
    const setup = paritySetup(run, strategies, models);
    const share = (): number => (results.length + done / played.length) / 2;
    const { result } = yield* playedSteps(
      { ...options, setup, steps: counted, wallMs: () => 1 },
      share,
    );
    results.push(result);
  }
  const [before, after] = results;
  if (before === undefined || after === undefined) throw new Error("two replays have two results");
  return { fromMs, toMs: run.stopMs, latency: latency.name, before, after };
}
