import type { BotConfig } from "../config/load-bot-config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Recording } from "../recordings/recording.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import type { Steps } from "../recordings/steps.ts";
import { inExchangeTime } from "./exchange-time.ts";
import { recordedSteps, type RecordedStep } from "./recorded-step.ts";
import { replay, type ReplayEnd, type ReplayOptions } from "./replay.ts";
import type { ReplayDetails } from "./replay-details.ts";
import { ReplayRecorder } from "./replay-recorder.ts";
import type { ReplayResult } from "./replay-result.ts";
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

export interface ReplayReport {
  readonly result: ReplayResult;
  /** Sentences to show to the user. */
  readonly warnings: readonly string[];
  /** How the bot ended; undefined when its orders were not canceled in time. */
  readonly finished: ReplayEnd["finished"];
  /** The virtual time from the bot's start to its stop. */
  readonly window: { readonly fromMs: number; readonly toMs: number };
  /** The recorded market that each market of the config played. */
  readonly played: readonly PlayedMarket[];
}

export interface PlayedMarket {
  readonly market: string;
  readonly recorded: string;
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
  const beganUs = clock.monotonicUs();
  const setup = replaySetup(config, recording, names);
  const progress = new ReplayProgress(recording, toMs);
  const { result, warnings, end } = yield* playedSteps(
    {
      setup,
      steps: progress.follow(stepsOf(recording, setup)),
      keccak256,
      fromMs,
      toMs,
      details,
      wallMs: () => (clock.monotonicUs() - beganUs) / 1000,
    },
    () => progress.share,
  );
  return {
    result,
    warnings,
    finished: end.finished,
    window: { fromMs: end.startMs, toMs: end.stopMs },
    played: setup.markets.map(({ market, recordedId }) => ({
      market: market.marketId,
      recorded: recordedId,
      symbol: recording.market(recordedId)?.symbol ?? recordedId,
    })),
  };
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
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await request.pause();
  }
}

/** How far a replay has come: in the recording, or in time where the replay ends before the recording. */
class ReplayProgress {
  readonly #recording: Recording;
  readonly #toMs: number;
  #firstMs: number | undefined;
  #nowMs = 0;

  constructor(recording: Recording, toMs = Number.POSITIVE_INFINITY) {
    this.#recording = recording;
    this.#toMs = toMs;
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
    const passed = (this.#nowMs - firstMs) / Math.max(1, this.#toMs - firstMs);
    return Math.min(1, Math.max(this.#recording.share, passed));
  }
}

/** In order of receipt, or, where the feed has the recorded delays, in the order in which the events happened. */
function stepsOf(recording: Recording, { markets, models }: ReplaySetup): Iterable<RecordedStep> {
  const { feed } = models.settings.latency;
  const received = (): Iterable<RecordedStep> => recordedSteps(recording, markets);
  return feed.type === "recorded" ? inExchangeTime(received, feed.min) : received();
}
