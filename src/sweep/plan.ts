import { TouchlineError } from "../base/error.ts";
import type { SweepConfig } from "../config/load-sweep-config.ts";
import { recordingInfo } from "../recordings/info.ts";
import { Recording } from "../recordings/recording.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
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

/** The searches of a sweep. Throws TouchlineError `RECORDING_MISSING`, `RECORDING_INVALID` or `WALK_FORWARD_TOO_LONG`. */
export function planSweep(config: SweepConfig, io: RecordingIo): readonly PlannedSearch[] {
  const opened = config.recordings.map((folder) => ({
    recording: new Recording(io, folder),
    place: { folder, checksum: recordingChecksum(io, folder) },
  }));
  const { walkForward } = config;
  if (walkForward === undefined) {
    const recordings = opened.map(({ place }) => place);
    return [{ window: null, recordings, span: undefined, test: undefined }];
  }
  const windows = opened.flatMap(({ recording, place }) =>
    walkForwardWindows(spanOf(recording), walkForward).map(({ train, test }) => ({
      recordings: [place],
      span: train,
      test,
    })),
  );
  if (windows.length === 0) {
    throw new TouchlineError(
      "WALK_FORWARD_TOO_LONG",
      "No recording is as long as train, purge and test of walkForward together.",
      { hint: "`touchline recording info` shows the time span of a recording." },
    );
  }
  return windows.map((window, at) => ({ window: at + 1, ...window }));
}

/** First and last time of receipt; an empty span for a recording without events. */
function spanOf(recording: Recording): Span {
  const steps = recordingInfo(recording);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const infos = step.value.filter(({ from }) => from !== null);
  return {
    fromMs: Math.ceil(Math.min(...infos.map(({ from }) => from ?? 0))),
    toMs: Math.floor(Math.max(...infos.map(({ to }) => to ?? 0))),
  };
}
