import { partsOf } from "../domain/market-roles.ts";
import type { RecordedStep } from "../backtest/recorded-step.ts";
import { replay, type ReplayOptions } from "../backtest/replay.ts";
import { ReplayDetails } from "../backtest/replay-details.ts";
import { type StatisticsFields, statisticsFields } from "../backtest/replay-result.ts";
import { ReplayStatistics } from "../backtest/replay-statistics.ts";
import type { TableRows } from "../backtest/replay-tables.ts";
import { playedSteps } from "../backtest/run-replay.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import type { Steps } from "../recordings/steps.ts";
import { marketFees } from "../simulated/fee-model.ts";
import type { FillSettings } from "../simulated/queue-models.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { LiveFills } from "./live-fills.ts";
import type { LatencyChoice } from "./latency-choice.ts";
import type { StrategyFill } from "../journal/entry.ts";
import type { LiveRun } from "./live-run.ts";
import { type MarketSteps, marketSteps } from "./market-steps.ts";
import { paritySetup } from "./parity-setup.ts";

/** The figures of the live run or of a replay of it; of several strategies also of each. */
export interface SideFigures extends Pick<StatisticsFields, "pnl" | "markouts"> {
  readonly fills: number;
  readonly strategies: ReadonlyMap<string, Pick<StatisticsFields, "pnl" | "markouts">>;
}

/** A combination of models and what the replay with it did. */
export interface ReplayedRun {
  readonly fills: FillSettings;
  readonly latency: LatencyChoice;
  readonly figures: SideFigures;
  readonly tables: Pick<TableRows, "fills" | "orders">;
  /** Sentences of the replay for the user. */
  readonly warnings: readonly string[];
}

export interface ParityRequest {
  readonly run: LiveRun;
  /** The strategies of the run, or ones that repeat its decisions. */
  readonly strategies: readonly StrategyBinding[];
  /** The first step of the run that placed an order. */
  readonly quotesFromMs: number;
  /** `first-order`: the replay starts so that its first order has the time of the run's. `earlier`: some seconds before. */
  readonly start: "first-order" | "earlier";
  readonly fills: readonly FillSettings[];
  readonly latencies: readonly LatencyChoice[];
  readonly keccak256: Keccak256;
}

export interface ParityRuns {
  readonly live: SideFigures;
  readonly replayed: readonly ReplayedRun[];
  readonly market: MarketSteps;
}

/** How long before its first order a bot starts that repeats decisions: enough for its first reads with any latency. */
const EARLIER_MS = 2_000;

/** When a bot starts that repeats decisions, unless the market data begin later. */
export function earlierStart(quotesFromMs: number): number {
  return quotesFromMs - EARLIER_MS;
}

/** Replays the run with every combination of models. The same run gives the same result. */
export function* parityRuns(request: ParityRequest): Steps<ParityRuns> {
  const { run, fills, latencies } = request;
  const market = marketSteps(run);
  const replayed: ReplayedRun[] = [];
  const total = fills.length * latencies.length;
  for (const latency of latencies) {
    const steps = latency.usesRecordedFeed ? market.steps : market.steps.map(withoutDelay);
    const fromMs = startOf(request, latency, steps);
    for (const model of fills) {
      const done = replayed.length;
      replayed.push(
        yield* replayedRun(
          request,
          { model, latency, steps, fromMs },
          (share) => (done + share) / total,
        ),
      );
    }
  }
  return { live: liveFigures(request, market), replayed, market };
}

/** A step that is received when it happens. */
export function withoutDelay(step: RecordedStep): RecordedStep {
  const { atUs, atMs, marketId, event } = step;
  return { atUs, atMs, marketId, event };
}

interface Combination {
  readonly model: FillSettings;
  readonly latency: LatencyChoice;
  readonly steps: readonly RecordedStep[];
  readonly fromMs: number;
}

function* replayedRun(
  request: ParityRequest,
  { model, latency, steps, fromMs }: Combination,
  overall: (share: number) => number,
): Steps<ReplayedRun> {
  const details = new ReplayDetails();
  const options = optionsOf(request, { model, latency, steps, fromMs });
  const [firstMs, lastMs] = [fromMs, request.run.stopMs];
  let nowMs = fromMs;
  const watched = (function* () {
    for (const step of steps) {
      nowMs = step.atMs;
      yield step;
    }
  })();
  const { result, warnings } = yield* playedSteps(
    { ...options, steps: watched, details, wallMs: () => 1 },
    () => overall(Math.min(1, Math.max(0, (nowMs - firstMs) / Math.max(1, lastMs - firstMs)))),
  );
  const { pnl, markouts, strategies = [{ ...result, name: onlyName(request) }] } = result;
  return {
    fills: model,
    latency,
    figures: {
      fills: details.tables.fills.length,
      pnl,
      markouts,
      strategies: new Map(strategies.map((part) => [part.name, part])),
    },
    tables: details.tables,
    warnings,
  };
}

function onlyName({ strategies }: ParityRequest): string {
  return strategies[0]?.name ?? "";
}

function optionsOf(
  { run, strategies, keccak256 }: ParityRequest,
  { model, latency, steps, fromMs }: Combination,
): Omit<ReplayOptions, "watcher"> {
  const models = { fills: model, latency: latency.settings, fees: marketFees };
  return {
    setup: paritySetup(run, strategies, models),
    steps,
    keccak256,
    fromMs,
    startsAtFrom: true,
    toMs: run.stopMs,
    commands: run.commands,
    sources: run.sources,
  };
}

/** When the bot has to start so that its first order has the time of the run's first one. */
function startOf(
  request: ParityRequest,
  latency: LatencyChoice,
  steps: readonly RecordedStep[],
): number {
  const { quotesFromMs, start, fills } = request;
  const earliestMs = steps[0]?.atMs ?? quotesFromMs;
  if (start === "earlier") return Math.max(earliestMs, earlierStart(quotesFromMs));
  const [model] = fills;
  if (model === undefined) return quotesFromMs;
  const firstMs = firstOrderMs(optionsOf(request, { model, latency, steps, fromMs: quotesFromMs }));
  return Math.max(earliestMs, quotesFromMs - (firstMs - quotesFromMs));
}

function firstOrderMs(
  options: Omit<ReplayOptions, "watcher"> & { readonly fromMs?: number | undefined },
): number {
  const first: { atMs?: number } = {};
  const nothing = (): void => undefined;
  const moments = replay({
    ...options,
    watcher: {
      recorded: nothing,
      stopped: nothing,
      block: nothing,
      stepped: nothing,
      decided: (_command, _txHash, nowMs) => {
        first.atMs ??= nowMs;
      },
    },
  });
  while (first.atMs === undefined && moments.next().done !== true);
  return first.atMs ?? options.fromMs ?? 0;
}

/** The run's own fills, measured against the same market as those of the replays. */
function liveFigures(request: ParityRequest, { steps, offsetMs }: MarketSteps): SideFigures {
  const { run, strategies, quotesFromMs } = request;
  const { markets, kernel } = run.header;
  const statistics = new ReplayStatistics({
    kernel: { ...kernel, markets, strategies },
    reportingCurrency: undefined,
  });
  const pending = new LiveFills(run.fills, offsetMs);
  const add = ({ strategy, fill }: StrategyFill): void =>
    statistics.fill(fill, { strategy, role: "quote", key: undefined });
  statistics.start(quotesFromMs);
  for (const { marketId, event, atMs } of steps) {
    if (atMs > run.stopMs) break;
    pending.before(atMs).forEach(add);
    if (event.type === "gap") continue;
    // As in a replay, a fill comes before its public trade, and after those of the same millisecond that came first.
    if (event.type === "trade") pending.of(marketId, event.trade.tradeId).forEach(add);
    statistics.recorded(marketId, event, atMs);
  }
  const late = pending.before(Number.POSITIVE_INFINITY);
  late.forEach(add);
  // Orders may be filled while the bot cancels them.
  const endMs = Math.max(run.stopMs, late.at(-1)?.fill.timeMs ?? 0);
  return {
    fills: run.fills.length,
    ...statisticsFields(statistics.ofAll(endMs)),
    strategies: new Map(
      partsOf(strategies).map(({ name }) => [
        name,
        statisticsFields(statistics.ofPart(name, endMs)),
      ]),
    ),
  };
}
