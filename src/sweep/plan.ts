import { TouchlineError } from "../base/error.ts";
import type { SweepConfig } from "../config/load-sweep-config.ts";
import { openAllCompiled } from "../recordings/columns/compiled-recording.ts";
import { recordingInfo } from "../recordings/info.ts";
import { Recording } from "../recordings/recording.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import type { Steps } from "../recordings/steps.ts";
import { recordingChecksum } from "./recording-checksum.ts";
import type { SweepJob } from "./job.ts";
import { type Span, walkForwardWindows } from "./walk-forward.ts";

/** One search: over all recordings, or on a walk-forward window of one recording. */
export interface PlannedSearch {
  /** Counted from 1; null without walk-forward. */
  readonly window: number | null;
  readonly recordings: readonly SweepJob["recording"][];
  /** Undefined: each recording from its first to its last event. */
  readonly span: Span | undefined;
  /** Where the best combination is tested afterwards. */
  readonly test: Span | undefined;
}

/**
 * The searches of a sweep. `pause` is called again and again while recordings are read, so that the process can handle signals. Rejects
 * with TouchlineError `RECORDING_MISSING`, `RECORDING_INVALID` or `WALK_FORWARD_TOO_LONG`.
 */
export async function planSweep(
  config: SweepConfig,
  io: RecordingIo,
  pause: () => Promise<void>,
): Promise<readonly PlannedSearch[]> {
  const opened: { readonly recording: Recording; readonly place: SweepJob["recording"] }[] = [];
  for (const folder of config.recordings) {
    const recording = new Recording(io, folder);
    opened.push({ recording, place: { folder, checksum: recordingChecksum(io, folder) } });
    await pause();
  }
  const { walkForward } = config;
  if (walkForward === undefined) {
    const recordings = opened.map(({ place }) => place);
    return [{ window: null, recordings, span: undefined, test: undefined }];
  }
  const windows: Omit<PlannedSearch, "window">[] = [];
  for (const { recording, place } of opened) {
    const whole = await spanOf(recording, pause);
    for (const { train, test } of walkForwardWindows(whole, walkForward)) {
      windows.push({ recordings: [place], span: train, test });
    }
  }
  if (windows.length === 0) {
    throw new TouchlineError(
      "WALK_FORWARD_TOO_LONG",
      "No recording is as long as train, purge and test of walkForward together.",
      { hint: "`touchline recording info` shows the time span of a recording." },
    );
  }
  return windows.map((window, at) => ({ window: at + 1, ...window }));
}

/**
 * Compiles the recordings of a sweep, so that its workers find them compiled and do not all do it at once. Returns sentences for the
 * user. Rejects with TouchlineError `RECORDING_MISSING` or `RECORDING_INVALID`.
 */
export async function compileRecordings(
  { recordings }: SweepConfig,
  io: RecordingIo,
  pause: () => Promise<void>,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const folder of recordings) {
    const steps = openAllCompiled(new Recording(io, folder), (sentence) => said.push(sentence));
    (await finished(steps, pause)).close();
  }
  return said;
}

async function finished<Result>(steps: Steps<Result>, pause: () => Promise<void>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** First and last time of receipt; an empty span for a recording without events. */
async function spanOf(recording: Recording, pause: () => Promise<void>): Promise<Span> {
  const infos = (await finished(recordingInfo(recording), pause)).filter(
    ({ from }) => from !== null,
  );
  return {
    fromMs: Math.ceil(Math.min(...infos.map(({ from }) => from ?? 0))),
    toMs: Math.floor(Math.max(...infos.map(({ to }) => to ?? 0))),
  };
}
