import { zstdDecompressSync } from "node:zlib";
import { TouchlineError } from "../base/error.ts";
import type { Store } from "../ports/store.ts";
import { EntryDecoder } from "./entry-codec.ts";
import { type Entry, FORMAT_VERSION, type RunHeader, type SegmentHead } from "./entry.ts";
import { damaged, scanSegment, type Frame } from "./frame.ts";
import { recordKindOf, recordKindOfFrame, RUN_FRAME } from "./record-kinds.ts";

const namePattern = /^(\d{6,})\.journal(\.zst)?$/;
/** Ends the name of a compressed segment. */
export const COMPRESSED_ENDING = ".zst";
/** A segment has 16 MB and a little; one that is longer than this, and than this many times its compressed length, is forged. */
const SEGMENT_BYTES_MAX = 32 * 1024 * 1024;
const RATIO_MAX = 200;

export interface SegmentName {
  readonly number: number;
  readonly name: string;
  readonly path: string;
  /** The file is one zstd frame with the whole segment. */
  readonly isCompressed: boolean;
}

export function segmentName(folder: string, number: number): SegmentName {
  const name = `${String(number).padStart(6, "0")}.journal`;
  return { number, name, path: `${folder}/${name}`, isCompressed: false };
}

/** The segments of a journal, oldest first. */
export function listSegments(store: Store, folder: string): readonly SegmentName[] {
  return segmentsAmong(folder, store.list(folder));
}

/**
 * The segments among a folder's file names, oldest first. Of a segment in both forms it is the compressed one: that is durable and
 * complete as soon as it has its name, and the other is about to be removed.
 */
export function segmentsAmong(folder: string, names: readonly string[]): readonly SegmentName[] {
  const found = new Map<number, SegmentName>();
  for (const name of names) {
    const [, digits, ending] = namePattern.exec(name) ?? [];
    const number = Number(digits ?? Number.NaN);
    const isCompressed = ending !== undefined;
    if (!Number.isSafeInteger(number) || (found.has(number) && !isCompressed)) continue;
    found.set(number, { number, name, path: `${folder}/${name}`, isCompressed });
  }
  return [...found.values()].sort((left, right) => left.number - right.number);
}

/** The bytes of a segment, decompressed; undefined when it was deleted. Throws JOURNAL_DAMAGED. */
function bytesOf(store: Store, { name, path, isCompressed }: SegmentName): Uint8Array | undefined {
  const bytes = store.read(path);
  if (!isCompressed) {
    if (bytes !== undefined) return bytes;
    // A running bot may have compressed it since it was listed.
    const compressed = store.read(`${path}${COMPRESSED_ENDING}`);
    return compressed === undefined ? undefined : decompressed(compressed, name);
  }
  return bytes === undefined ? undefined : decompressed(bytes, name);
}

function decompressed(bytes: Uint8Array, name: string): Uint8Array {
  const most = Math.min(Math.max(SEGMENT_BYTES_MAX, RATIO_MAX * bytes.length), 2 ** 31 - 1);
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: most });
  } catch (thrown) {
    const isTooLong = Reflect.get(Object(thrown), "code") === "ERR_BUFFER_TOO_LARGE";
    const reason = isTooLong
      ? `it would be longer than ${Math.floor(most / 1e6)} MB`
      : thrown instanceof Error
        ? thrown.message
        : String(thrown);
    throw damaged(name, 0, `cannot be decompressed: ${reason}`);
  }
}

/** One segment, read and checked as a whole. */
export interface Segment {
  readonly name: SegmentName;
  readonly frames: readonly Frame[];
  /** Byte after the last complete frame; less than `size` when the tail is torn. */
  readonly end: number;
  readonly size: number;
  /** A running bot has deleted it since it was listed, and all older ones before it. */
  readonly isDeleted: boolean;
  /** Complete frames after a damaged part of the tail, which do not count. */
  readonly later: readonly Frame[];
  /** Undefined when the first entry was not completely written. */
  readonly head: SegmentHead | undefined;
}

/** Reads and checks one segment. Throws JOURNAL_DAMAGED, also for another format. */
export function readSegment(store: Store, name: SegmentName): Segment {
  const found = bytesOf(store, name);
  const bytes = found ?? new Uint8Array();
  const { frames, end, later } = scanSegment(bytes, name.name);
  // Only whole segments are compressed.
  if (name.isCompressed && end < bytes.length) throw damaged(name.name, end, `ends at byte ${end}`);
  const [first] = frames;
  const isDeleted = found === undefined;
  const segment = { name, frames, end, later, size: bytes.length, isDeleted };
  if (first === undefined) return { ...segment, head: undefined };
  const entry = new EntryDecoder(name.name).decode(first);
  if (entry.type !== "run") throw damaged(name.name, first.offset, "does not start with its run");
  const { head } = entry;
  if (head.formatVersion !== FORMAT_VERSION) throw ofAnotherFormat(name, head);
  if (head.segment !== name.number) {
    throw damaged(name.name, first.offset, `was written as segment ${head.segment}`);
  }
  return { ...segment, head };
}

function ofAnotherFormat({ name }: SegmentName, { header, formatVersion }: SegmentHead): Error {
  const { codeVersion } = header;
  return new TouchlineError(
    "JOURNAL_VERSION",
    `Journal segment ${name} was written by touchline ${codeVersion} in another format, and this version reads only format ${FORMAT_VERSION}.`,
    {
      context: { segment: name, codeVersion, formatVersion },
      hint: `Read it with touchline ${codeVersion}, or start with an empty folder.`,
    },
  );
}

/** The entries of a segment in order, decoded one at a time. `from` is the index of a frame of kind run or checkpoint. */
export function* entriesOf(segment: Segment, from = 0): Generator<Entry> {
  const decoder = new EntryDecoder(segment.name.name);
  for (let at = from; at < segment.frames.length; at += 1) {
    const frame = segment.frames[at];
    if (frame !== undefined) yield decoder.decode(frame);
  }
}

/** The header of a segment's last record that names a signer; undefined for a segment without a head. */
export function lastHeader({ name, frames }: Segment): RunHeader | undefined {
  const frame = frames.findLast(({ kind }) => kind === RUN_FRAME);
  if (frame === undefined) return undefined;
  const entry = new EntryDecoder(name.name).decode(frame);
  return entry.type === "run" ? entry.head.header : undefined;
}

/** Index of the last frame at which decoding of a segment can start. */
export function lastCheckpoint(segment: Segment): number {
  return Math.max(
    0,
    segment.frames.findLastIndex(({ kind }) => recordKindOfFrame(kind)?.startsStretch === true),
  );
}

/** One run of a bot, over all its segments. */
export interface RecordedRun {
  readonly header: RunHeader;
  readonly segments: readonly SegmentName[];
}

/** As `readSegment`, for a segment that is not the newest one, which is the only one that a start needs. */
function readOlder(store: Store, name: SegmentName): Segment {
  try {
    return readSegment(store, name);
  } catch (thrown) {
    if (!(thrown instanceof TouchlineError) || thrown.code !== "JOURNAL_DAMAGED") throw thrown;
    const { code, message, context } = thrown;
    throw new TouchlineError(code, message, {
      context,
      hint: `A start reads only the newest segment that is not empty. If that is another one, the bot still starts: leave the folder as it is. Later runs can be read in a copy of it without ${name.name} and the segments before.`,
      cause: thrown,
    });
  }
}

/** Every run in the journal, oldest first. Reads and checks every segment; throws JOURNAL_DAMAGED. */
export function listRuns(store: Store, folder: string): readonly RecordedRun[] {
  const runs: { header: RunHeader; segments: SegmentName[] }[] = [];
  let previous: Segment | undefined;
  const names = listSegments(store, folder);
  for (const name of names) {
    const segment = name === names.at(-1) ? readSegment(store, name) : readOlder(store, name);
    const { head } = segment;
    if (segment.isDeleted) runs.splice(0);
    else if (head !== undefined && previous !== undefined) refuseHole(previous, segment);
    previous = segment.isDeleted ? undefined : segment;
    if (head === undefined) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.header.runId === head.header.runId) last.segments.push(name);
    else runs.push({ header: head.header, segments: [name] });
  }
  return runs;
}

/**
 * Throws JOURNAL_DAMAGED when entries are missing between two neighbours, of which the newer has a head. A start cuts off the torn or
 * damaged tail of the newest segment and uses the number of an empty one again, so every older segment is whole.
 */
function refuseHole(older: Segment, newer: Segment): void {
  const { name, head, end, size } = older;
  const hint = `Keep a copy of the folder. Later runs can be read once the segments before ${newer.name.name} are in another one.`;
  if (newer.name.number !== name.number + 1) {
    throw damaged(newer.name.name, 0, `follows ${name.name}, and those between are missing`, hint);
  }
  if (head === undefined) throw damaged(name.name, 0, "is empty and is not the newest", hint);
  if (end === size) return;
  throw damaged(name.name, end, `is damaged at byte ${end} and is not the newest`, hint);
}

/** The newest run, as `listRuns` has it, without reading the segments of earlier runs; undefined when there is none. */
export function newestRun(store: Store, folder: string): RecordedRun | undefined {
  let header: RunHeader | undefined;
  let newer: Segment | undefined;
  const segments: SegmentName[] = [];
  for (const name of [...listSegments(store, folder)].reverse()) {
    const segment = newer === undefined ? readSegment(store, name) : readOlder(store, name);
    const { head, isDeleted } = segment;
    if (head !== undefined && header !== undefined && head.header.runId !== header.runId) break;
    if (isDeleted) break;
    if (newer !== undefined) refuseHole(segment, newer);
    if (head === undefined) continue;
    newer = segment;
    header = head.header;
    segments.unshift(name);
  }
  return header === undefined ? undefined : { header, segments };
}

/**
 * The entries of a run after its header, in order: batches, a `run` entry where another key starts to sign (a renewed session), and a
 * `crash` entry for each cancel that no kernel decided. Throws JOURNAL_DAMAGED where batches are missing.
 */
export function* entriesOfRun(store: Store, run: RecordedRun): Generator<Entry> {
  let { signer } = run.header;
  let seq: number | undefined;
  for (const name of run.segments) {
    for (const entry of entriesOf(readSegment(store, name))) {
      if (!recordKindOf(entry).isPartOfRun(entry, signer)) continue;
      if (entry.type === "run") ({ signer } = entry.head.header);
      if (entry.type === "batch") {
        const next = entry.entry.batch.seq;
        if (seq !== undefined && next !== seq + 1) {
          throw damaged(name.name, 0, `goes on with batch ${next} after batch ${seq}`);
        }
        seq = next;
      }
      yield entry;
    }
  }
}
