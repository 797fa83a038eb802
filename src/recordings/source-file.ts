import type { AppendFile } from "../ports/store.ts";
import { linesOf, noProgress, type RecordingIo } from "./recording-io.ts";

/** The file of a recording that has the values of price sources, one a line, in the order of receipt. */
export const SOURCES_FILE = "sources.ndjson.zst";

/** A value of a price source as it was received. */
export interface RecordedSource {
  /** Time of receipt, Unix microseconds. */
  readonly atUs: number;
  readonly name: string;
  readonly bid: number;
  readonly ask: number;
  /** The value's own time. */
  readonly timeMs?: number;
}

/** Text compressed in one piece. */
const FLUSH_CHARS = 1 << 18;

/** Writes values of sources beside the events of a recording. */
export class SourceWriter {
  readonly #io: RecordingIo;
  readonly #path: string;
  #file: AppendFile | undefined;
  #pending = "";

  constructor(io: RecordingIo, folder: string) {
    this.#io = io;
    this.#path = `${folder}/${SOURCES_FILE}`;
  }

  append(value: RecordedSource): void {
    this.#pending += `${JSON.stringify(value)}\n`;
    if (this.#pending.length >= FLUSH_CHARS) this.flush();
  }

  flush(): void {
    if (this.#pending === "") return;
    this.#file ??= this.#io.store.openAppend(this.#path);
    this.#file.append(this.#io.compression.compress(new TextEncoder().encode(this.#pending)));
    this.#pending = "";
  }

  close(): void {
    this.flush();
    this.#file?.close();
    this.#file = undefined;
  }
}

/** The values of all sources of a recording, in the order of receipt; none where it has no such file. A torn end is left out. */
export function* recordedSources(io: RecordingIo, folder: string): Generator<RecordedSource> {
  const file = io.store.openRead(`${folder}/${SOURCES_FILE}`);
  if (file === undefined) return;
  let lastUs = 0;
  for (const line of linesOf(io, file, { keepsTail: false, progress: noProgress() })) {
    const value = parsed(line);
    if (value === undefined) continue;
    // The recorder's clock may have been set back; times of receipt never decrease.
    lastUs = Math.max(lastUs, value.atUs);
    yield value.atUs === lastUs ? value : { ...value, atUs: lastUs };
  }
}

function parsed(line: string): RecordedSource | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { atUs, name, bid, ask, timeMs } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof atUs !== "number" || typeof name !== "string") return undefined;
  return {
    atUs,
    name,
    // Not a number in JSON: it was recorded as it came, and the kernel refuses it.
    bid: typeof bid === "number" ? bid : Number.NaN,
    ask: typeof ask === "number" ? ask : Number.NaN,
    ...(typeof timeMs === "number" ? { timeMs } : {}),
  };
}

/** What a recording has of one source. */
export interface RecordedSourceInfo {
  readonly name: string;
  readonly values: number;
  /** Values that are no price: not above 0, or with the bid above the ask. */
  readonly bad: number;
  /** First and last time of receipt, in ms; null without values. */
  readonly from: number | null;
  readonly to: number | null;
}

/** `names`: sources that the manifest lists, which may have no value. */
export function recordedSourceInfos(
  io: RecordingIo,
  folder: string,
  names: readonly string[] = [],
): readonly RecordedSourceInfo[] {
  const infos = new Map<
    string,
    { -readonly [Key in keyof RecordedSourceInfo]: RecordedSourceInfo[Key] }
  >();
  const infoOf = (name: string) => {
    const known = infos.get(name) ?? { name, values: 0, bad: 0, from: null, to: null };
    infos.set(name, known);
    return known;
  };
  for (const name of names) infoOf(name);
  for (const { name, atUs, bid, ask } of recordedSources(io, folder)) {
    const info = infoOf(name);
    info.values += 1;
    if (!(bid > 0 && bid <= ask)) info.bad += 1;
    info.from ??= atUs / 1000;
    info.to = atUs / 1000;
  }
  return [...infos.values()];
}
