import { zstdDecompressSync } from "node:zlib";
import type { Store } from "../ports/store.ts";
import { EntryDecoder } from "./entry-codec.ts";
import type { Entry, RunHeader, SegmentHead } from "./entry.ts";
import { damaged, scanSegment, tooNew, type Frame } from "./frame.ts";
import { recordKindOf, recordKindOfFrame } from "./record-kinds.ts";
import { FORMAT_VERSION, formatVersionOf, upgradeEntry } from "./upgrade.ts";

const namePattern = /^(\d{6,})\.journal(\.zst)?$/;
/** Ends the name of a compressed segment. */
export const COMPRESSED_ENDING = ".zst";
/** Far above any segment; a file that claims more is damaged. */
const SEGMENT_BYTES_MAX = 2 ** 31 - 1;

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

/** The bytes of a segment, decompressed; empty when it was deleted. Throws JOURNAL_DAMAGED. */
function bytesOf(store: Store, { name, path, isCompressed }: SegmentName): Uint8Array {
  const bytes = store.read(path);
  if (!isCompressed) {
    if (bytes !== undefined) return bytes;
    // A running bot may have compressed it since it was listed.
    const compressed = store.read(`${path}${COMPRESSED_ENDING}`);
    return compressed === undefined ? new Uint8Array() : decompressed(compressed, name);
  }
  return bytes === undefined ? new Uint8Array() : decompressed(bytes, name);
}

function decompressed(bytes: Uint8Array, name: string): Uint8Array {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: SEGMENT_BYTES_MAX });
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
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
  readonly formatVersion: number;
  /** Complete frames after a damaged part of the tail, which do not count. */
  readonly later: readonly Frame[];
  /** Undefined when the first entry was not completely written. */
  readonly head: SegmentHead | undefined;
}

/** Reads and checks one segment. Throws JOURNAL_DAMAGED, also for a later format. */
export function readSegment(store: Store, name: SegmentName): Segment {
  const bytes = bytesOf(store, name);
  const { frames, end, later } = scanSegment(bytes, name.name);
  // Only whole segments are compressed.
  if (name.isCompressed && end < bytes.length) throw damaged(name.name, end, `ends at byte ${end}`);
  const [first] = frames;
  const segment = { name, frames, end, later, size: bytes.length };
  if (first === undefined) return { ...segment, formatVersion: FORMAT_VERSION, head: undefined };
  const entry = new EntryDecoder(name.name).decodeAsWritten(first);
  if (entry.type !== "run") throw damaged(name.name, first.offset, "does not start with its run");
  const formatVersion = formatVersionOf(entry);
  if (formatVersion === undefined || formatVersion > FORMAT_VERSION) {
    const what = `has format ${formatVersion}, this program reads 1 to ${FORMAT_VERSION}`;
    throw tooNew(name.name, 0, what);
  }
  return { ...segment, formatVersion, head: upgradeEntry(entry, formatVersion).head };
}

/** The entries of a segment in order, decoded one at a time. `from` is the index of a frame of kind run or checkpoint. */
export function* entriesOf(segment: Segment, from = 0): Generator<Entry> {
  const decoder = new EntryDecoder(segment.name.name, segment.formatVersion);
  for (let at = from; at < segment.frames.length; at += 1) {
    const frame = segment.frames[at];
    if (frame !== undefined) yield decoder.decode(frame);
  }
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

/** Every run in the journal, oldest first. Reads and checks every segment; throws JOURNAL_DAMAGED. */
export function listRuns(store: Store, folder: string): readonly RecordedRun[] {
  const runs: { header: RunHeader; segments: SegmentName[] }[] = [];
  let newest: Segment | undefined;
  for (const name of listSegments(store, folder)) {
    const segment = readSegment(store, name);
    const { head } = segment;
    if (head === undefined) continue;
    // The next start cuts a damaged tail off, so only the newest segment may have one.
    if (newest !== undefined && newest.later.length > 0) {
      const { end } = newest;
      throw damaged(newest.name.name, end, `is damaged at byte ${end} and is not the newest`);
    }
    newest = segment;
    const last = runs.at(-1);
    if (last !== undefined && last.header.runId === head.header.runId) last.segments.push(name);
    else runs.push({ header: head.header, segments: [name] });
  }
  return runs;
}

/** The newest run, as `listRuns` has it, without reading the segments of earlier runs; undefined when there is none. */
export function newestRun(store: Store, folder: string): RecordedRun | undefined {
  let header: RunHeader | undefined;
  const segments: SegmentName[] = [];
  for (const name of [...listSegments(store, folder)].reverse()) {
    const { head } = readSegment(store, name);
    if (head === undefined) continue;
    if (header !== undefined && head.header.runId !== header.runId) break;
    header = head.header;
    segments.unshift(name);
  }
  return header === undefined ? undefined : { header, segments };
}

/**
 * The entries of a run after its header, in order: batches, a `run` entry where another key starts to sign (a renewed session), and a
 * `crash` entry if the run crashed.
 */
export function* entriesOfRun(store: Store, run: RecordedRun): Generator<Entry> {
  let { signer } = run.header;
  for (const name of run.segments) {
    for (const entry of entriesOf(readSegment(store, name))) {
      if (!recordKindOf(entry).isPartOfRun(entry, signer)) continue;
      if (entry.type === "run") ({ signer } = entry.head.header);
      yield entry;
    }
  }
}
