import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Input } from "../kernel/input.ts";
import { mergeByTime } from "../recordings/merge-by-time.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { recordedSources } from "../recordings/source-file.ts";

/** Where a replay has the values of a source from. */
export interface RecordedSourceFile {
  /** In the configuration. */
  readonly name: string;
  /** The recording's folder, and the source's name there. */
  readonly folder: string;
  readonly source: string;
}

/** A value of a source at the time of its receipt. */
export interface SourceStep {
  readonly atMs: UnixMs;
  readonly input: Extract<Input, { readonly type: "source" }>;
}

/** The recorded values of these sources in the order of receipt. They reach the bot as they were received, without further delay. */
export function* sourceSteps(
  io: RecordingIo,
  files: readonly RecordedSourceFile[],
): Generator<SourceStep> {
  const folders = Map.groupBy(files, ({ folder }) => folder);
  const values = [...folders].map(([folder, wanted]) => valuesOf(io, folder, wanted));
  for (const { atUs, ...value } of mergeByTime(values)) {
    yield { atMs: unixMs(Math.floor(atUs / 1000)), input: { type: "source", ...value } };
  }
}

function* valuesOf(io: RecordingIo, folder: string, wanted: readonly RecordedSourceFile[]) {
  for (const { name: recorded, ...value } of recordedSources(io, folder)) {
    for (const { name, source } of wanted) if (source === recorded) yield { ...value, name };
  }
}

/** Warns of the sources that have no value. `names`: those with one. */
export function missingSources(
  io: RecordingIo,
  files: readonly RecordedSourceFile[],
  whenOld: (name: string) => "stop" | "widen",
): readonly string[] {
  const folders = Map.groupBy(files, ({ folder }) => folder);
  return [...folders].flatMap(([folder, wanted]) => {
    const missing = new Set(wanted);
    for (const { name } of recordedSources(io, folder)) {
      for (const file of missing) if (file.source === name) missing.delete(file);
      if (missing.size === 0) break;
    }
    return [...missing].map(({ name }) => missingText(name, whenOld(name)));
  });
}

/** A source that a replay does not have. */
export function missingText(name: string, whenOld: "stop" | "widen"): string {
  const quotes = whenOld === "stop" ? "nothing is quoted" : "quotes are widened";
  return `source ${name} is not in the recording; it stays undefined, and with whenOld: ${whenOld} ${quotes}.`;
}
