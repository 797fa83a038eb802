/**
 * The room `parity`: how well the simulated venue predicts what happened to a run (docs/parity.md).
 *
 * `liveRun` reads the journal: the market as the bot received it, less its own orders (`OwnLiquidity`), its orders and fills. `parityRuns` replays it
 * with each combination of models, the strategies deciding again or repeating the run's targets (`recordedDecisions`). `parityReport` matches fills and
 * orders of both and scores the models; `runWarnings` says what a reader has to know.
 *
 * An application: may import every room above it.
 */

import { TouchlineError } from "../base/error.ts";
import type { Entry, RunHeader } from "../journal/entry.ts";
import { batchesAmong } from "../journal/journal-tables.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import type { Steps } from "../recordings/steps.ts";
import type { FillSettings } from "../simulated/queue-models.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { type LatencyChoice, MEASURED, measuredLatency, plainLatency } from "./latency-choice.ts";
import { type LiveRun, liveRun } from "./live-run.ts";
import { type ModelRow, parityReport, type ParityReport } from "./parity-report.ts";
import { recordedDecisions } from "./recorded-decisions.ts";
import { earlierStart, parityRuns } from "./run-parity.ts";
import { runWarnings } from "./run-warnings.ts";

export interface ComparisonRequest {
  readonly header: RunHeader;
  /** The whole run. */
  readonly entries: Iterable<Entry>;
  readonly strategies: readonly StrategyBinding[];
  /** `strategy`: the strategies decide again. `recorded`: the replay repeats the targets that they set in the run. */
  readonly decisions: "strategy" | "recorded";
  readonly fills: readonly FillSettings[];
  /** Names as `plainLatency` reads them, and `measured`. */
  readonly latencies: readonly string[];
  readonly windowMs: number;
  readonly keccak256: Keccak256;
}

export interface ComparedRun {
  readonly report: ParityReport;
  /** From the first order to the stop, Unix milliseconds. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  /** The best combination once more with strategies that decide again, as `touchline replay` runs them; only of recorded decisions. */
  readonly decidedAgain: ModelRow | undefined;
  readonly warnings: readonly string[];
}

/**
 * Replays a run with each combination of models, and compares the replays with the run (docs/parity.md). Throws TouchlineError
 * `PARITY_NO_MARKET`, `PARITY_NO_ORDERS` or `PARITY_OTHER_VERSION`.
 */
export function* comparedRun(request: ComparisonRequest): Steps<ComparedRun> {
  const { header, strategies, decisions, windowMs } = request;
  const batches = [...batchesAmong(request.entries)];
  const run = liveRun(header, batches);
  const quotesFromMs = run.orders[0]?.timeMs;
  const isSilent = [...run.market.values()].every((events) =>
    events.every((event) => event === "lost"),
  );
  if (isSilent) {
    throw new TouchlineError(
      "PARITY_NO_MARKET",
      "The run received no market data, so there is nothing to replay.",
    );
  }
  if (quotesFromMs === undefined) {
    throw new TouchlineError(
      "PARITY_NO_ORDERS",
      "The run placed no order, so there is nothing to compare.",
      { hint: "Choose another run with --run; `touchline journal ls` lists them." },
    );
  }
  const isRecorded = decisions === "recorded";
  const bound = isRecorded
    ? recordedDecisions(header, batches, strategies, quotesFromMs)
    : strategies;
  if (bound === undefined) {
    throw new TouchlineError(
      "PARITY_OTHER_VERSION",
      "This version does not decide as the run did, so its decisions are not known.",
      {
        hint: "Use the version of the run, which `touchline journal ls` shows, or --decisions strategy.",
      },
    );
  }
  const { chosen, missing } = latenciesOf(request, run, quotesFromMs);
  const all = {
    run,
    quotesFromMs,
    fills: request.fills,
    latencies: chosen,
    keccak256: request.keccak256,
  };
  const start = isRecorded ? "earlier" : "first-order";
  const runs = yield* parityRuns({ ...all, strategies: bound, start });
  const report = parityReport(run, runs, windowMs);
  const { best } = report;
  const winner = runs.replayed.find(
    ({ fills, latency }) => fills.queue === best?.queue && latency.name === best.latency,
  );
  let decidedAgain: ModelRow | undefined;
  if (isRecorded && winner !== undefined) {
    const { fills, latency } = winner;
    const again = yield* parityRuns({
      ...all,
      strategies,
      start: "first-order",
      fills: [fills],
      latencies: [latency],
    });
    decidedAgain = parityReport(run, again, windowMs).models[0];
  }
  return {
    report,
    decidedAgain,
    span: { fromMs: quotesFromMs, toMs: run.stopMs },
    warnings: [...missing, ...runWarnings(run, batches), ...(winner?.warnings ?? [])],
  };
}

function latenciesOf(
  { latencies }: ComparisonRequest,
  run: LiveRun,
  quotesFromMs: number,
): { readonly chosen: readonly LatencyChoice[]; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const chosen = latencies.flatMap((name) => {
    const choice =
      name === MEASURED
        ? measuredLatency(run.latency, earlierStart(quotesFromMs))
        : plainLatency(name);
    if (choice !== undefined) return [choice];
    missing.push(`the journal does not show the latency of the run, so ${name} is left out`);
    return [];
  });
  if (chosen.length > 0) return { chosen, missing };
  throw new TouchlineError(
    "PARITY_NO_LATENCY",
    "The journal does not show the latency of the run.",
    {
      hint: "Name a delay, such as --latency 20ms.",
    },
  );
}
