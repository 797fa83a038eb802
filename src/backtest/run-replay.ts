/**
 * The room `backtest`: a bot's config over a recording, in virtual time (docs/replay.md).
 *
 * `replaySetup` combines config and recording. `recordedSteps` reads the recording, or `inExchangeTime` reorders it. `replay` moves a `VirtualBot`, the
 * live kernel and driver at a `SimulatedVenue`, from moment to moment. A `ReplayRecorder` watches: `ReplayStatistics` measures fills against the
 * recorded mid (`ReplayBook`), `ReplayDetails` collects the tables, `DecisionsHash` the decisions. The result becomes a line, files and a report
 * (`result-folder.ts`, `report-data.ts`, `report-markdown.ts`).
 *
 * An application: may import every room above it.
 */

import type { Market } from "../domain/market.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { Clock } from "../ports/clock.ts";
import { type CompiledRecording, openCompiled } from "../recordings/columns/compiled-recording.ts";
import type { Recording } from "../recordings/recording.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { Steps } from "../recordings/steps.ts";
import { inExchangeTime } from "./exchange-time.ts";
import { unplayedWarnings } from "./unplayed-warnings.ts";
import { recordedSteps, type RecordedStep } from "./recorded-step.ts";
import { replay, type ReplayEnd, type ReplayOptions } from "./replay.ts";
import type { ReplayDetails } from "./replay-details.ts";
import { ReplayRecorder } from "./replay-recorder.ts";
import type { ReplayResult } from "./replay-result.ts";
import { missingSources, sourceSteps } from "./source-inputs.ts";
import { replaySetup, type ReplaySetup } from "./replay-setup.ts";

export interface ReplayRequest {
  readonly config: BotConfig;
  readonly recording: Recording;
  readonly keccak256: Keccak256;
  /** Measures `wallMs`; it has no other effect. */
  readonly clock: Clock;
  /** Maps a market id of the config to the recording's, where they differ. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Collects the tables of the replay; left out when nobody wants them. */
  readonly details?: ReplayDetails | undefined;
}

/** Moments of virtual time in one step. */
const MOMENTS_PER_STEP = 100;
/** Of the progress, where the recording has to be compiled first. */
const COMPILING_SHARE = 0.5;

export interface ReplayReport {
  readonly result: ReplayResult;
  /** Sentences to show to the user. */
  readonly warnings: readonly string[];
  /** How the bot ended; undefined when its orders were not canceled in time. */
  readonly finished: ReplayEnd["finished"];
  /** The virtual time from the bot's start to its stop. */
  readonly window: { readonly fromMs: number; readonly toMs: number };
  /** The markets of the config, with the recording's symbols as their tickers. */
  readonly markets: readonly Market[];
  /** The recorded market that each of them played. */
  readonly played: readonly PlayedMarket[];
}

export interface PlayedMarket {
  readonly market: string;
  readonly recorded: string;
  /** Symbols of base and quote, `ZIL/USDT`. */
  readonly ticker: string;
  /** The source's name for it. */
  readonly symbol: string;
}

/**
 * Replays a bot's config over a recording (docs/replay.md). The same config, recording and code give the same result, except for
 * `wallMs` and `levelChangesPerSecond`. Throws TouchlineError when config and recording do not fit (see `replaySetup`), when there is
 * nothing to play, or when the recording is damaged.
 */
export function* replaySteps(request: ReplayRequest): Steps<ReplayReport> {
  const { config, recording, keccak256, clock, names, fromMs, toMs, details } = request;
  const setup = replaySetup(config, recording, names);
  const { sourceFiles = [] } = setup;
  const said = [
    ...missingSources(
      recording.io,
      sourceFiles,
      (name) => config.sources.find((one) => one.name === name)?.whenOld ?? "stop",
    ),
  ];
  const compiling = openCompiled(
    recording,
    setup.markets.map(({ recordedId }) => recordedId),
    (sentence) => said.push(sentence),
  );
  let compiled = compiling.next();
  const compiledShare = compiled.done === true ? 0 : COMPILING_SHARE;
  for (; compiled.done !== true; compiled = compiling.next()) yield compiled.value * compiledShare;
  const source = compiled.value;
  const beganUs = clock.monotonicUs();
  try {
    const progress = new ReplayProgress(Math.min(source.endMs, toMs ?? source.endMs));
    const steps = progress.follow(stepsOf(source, setup));
    const { result, warnings, end } = yield* playedSteps(
      {
        setup,
        steps,
        sources: sourceSteps(recording.io, sourceFiles),
        keccak256,
        fromMs,
        toMs,
        details,
        wallMs: () => (clock.monotonicUs() - beganUs) / 1000,
      },
      () => compiledShare + (1 - compiledShare) * progress.share,
    );
    const { startMs, stopMs } = end;
    const time = { wantedFromMs: fromMs, wantedToMs: toMs, startMs, stopMs };
    return {
      result,
      warnings: [...said, ...unplayedWarnings(source, setup.markets, time), ...warnings],
      finished: end.finished,
      window: { fromMs: end.startMs, toMs: end.stopMs },
      markets: setup.markets.map(({ market }) => market),
      played: setup.markets.map(({ market, recordedId }) => ({
        market: market.marketId,
        recorded: recordedId,
        ticker: market.ticker,
        symbol: recording.market(recordedId)?.symbol ?? recordedId,
      })),
    };
  } finally {
    source.close();
  }
}

/** A replay of steps from anywhere. */
export interface PlayRequest extends Omit<ReplayOptions, "watcher"> {
  readonly details?: ReplayDetails | undefined;
  /** Machine time since the start of the work, milliseconds. */
  wallMs(): number;
}

export interface Played {
  readonly result: ReplayResult;
  /** Sentences to show to the user. */
  readonly warnings: readonly string[];
  readonly end: ReplayEnd;
}

/** Plays the steps and measures the result. Each yielded value is `share()`, how much is done. */
export function* playedSteps(request: PlayRequest, share: () => number): Steps<Played> {
  const { setup, keccak256, details, wallMs } = request;
  const recorder = new ReplayRecorder(setup, keccak256, details);
  const moments = replay({ ...request, watcher: recorder });
  let moment = moments.next();
  for (let count = 1; moment.done !== true; count += 1) {
    if (count % MOMENTS_PER_STEP === 0) yield share();
    moment = moments.next();
  }
  const end = moment.value;
  const result = recorder.result(end, wallMs());
  return { result, warnings: recorder.warnings.list(end, result), end };
}

/** Runs a whole replay, and awaits `pause` between its steps of a few milliseconds, so that the process can handle signals. */
export async function runReplay(
  request: ReplayRequest & { readonly pause: () => Promise<void> },
): Promise<ReplayReport> {
  const steps = replaySteps(request);
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await request.pause();
    }
  } finally {
    steps[Symbol.dispose]();
  }
}

/** How far a replay has come, in recorded time. */
class ReplayProgress {
  readonly #endMs: number;
  #firstMs: number | undefined;
  #nowMs = 0;

  constructor(endMs: number) {
    this.#endMs = endMs;
  }

  *follow(steps: Iterable<RecordedStep>): Generator<RecordedStep> {
    for (const step of steps) {
      this.#firstMs ??= step.atMs;
      this.#nowMs = step.atMs;
      yield step;
    }
  }

  get share(): number {
    const firstMs = this.#firstMs ?? this.#nowMs;
    const passed = (this.#nowMs - firstMs) / Math.max(1, this.#endMs - firstMs);
    return Math.min(1, Math.max(0, passed));
  }
}

/** In order of receipt, or, where the feed has the recorded delays, in the order in which the events happened. */
function stepsOf(
  source: CompiledRecording,
  { markets, models }: ReplaySetup,
): Iterable<RecordedStep> {
  const { feed } = models.settings.latency;
  const received = (): Iterable<RecordedStep> => recordedSteps(source, markets);
  return feed.type === "recorded" ? inExchangeTime(received, feed.min) : received();
}
