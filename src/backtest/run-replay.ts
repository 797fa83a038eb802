import type { BotConfig } from "../config/load-bot-config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Recording } from "../recordings/recording.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { recordedSteps } from "./recorded-step.ts";
import { replay, type ReplayEnd } from "./replay.ts";
import { ReplayRecorder } from "./replay-recorder.ts";
import type { ReplayResult } from "./replay-result.ts";
import { replaySetup } from "./replay-setup.ts";

export interface ReplayRequest {
  readonly config: BotConfig;
  readonly recording: Recording;
  readonly keccak256: Keccak256;
  /** For `wallMs` alone. */
  readonly clock: Clock;
  /** Market of the config → market of the recording, where their names differ. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Called every few milliseconds of work: lets signals in. */
  readonly pause: () => Promise<void>;
}

/** Moments of virtual time between two pauses. */
const PAUSE_EVERY = 500;

export interface ReplayReport {
  readonly result: ReplayResult;
  /** Sentences for people. */
  readonly warnings: readonly string[];
  /** How the bot ended; undefined when its orders were not gone in time. */
  readonly finished: ReplayEnd["finished"];
}

/**
 * Replays a bot's config over a recording (docs/replay.md). The same config, recording and code give the same result but for
 * `wallMs` and the rate made of it. Throws TouchlineError where config and recording do not fit (see `replaySetup`), nothing is
 * left to play, or the recording is broken.
 */
export async function runReplay(request: ReplayRequest): Promise<ReplayReport> {
  const { config, recording, keccak256, clock, names, fromMs, toMs, pause } = request;
  const beganUs = clock.monotonicUs();
  const setup = replaySetup(config, recording, names);
  const recorder = new ReplayRecorder(setup, keccak256);
  const steps = recordedSteps(recording, setup.markets);
  const moments = replay({ setup, steps, keccak256, fromMs, toMs, watcher: recorder });
  let moment = moments.next();
  for (let count = 1; moment.done !== true; count += 1) {
    if (count % PAUSE_EVERY === 0) await pause();
    moment = moments.next();
  }
  const end = moment.value;
  const result = recorder.result(end, (clock.monotonicUs() - beganUs) / 1000);
  return { result, warnings: recorder.warnings.list(end, result), finished: end.finished };
}
