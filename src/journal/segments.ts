import type { Store } from "../ports/store.ts";
import { EntryDecoder } from "./entry-codec.ts";
import type { Entry, RunHeader, SegmentHead } from "./entry.ts";
import { damaged, scanSegment, tooNew, type Frame } from "./frame.ts";
import { recordKindOf, recordKindOfFrame } from "./record-kinds.ts";
import { FORMAT_VERSION, formatVersionOf, upgradeEntry } from "./upgrade.ts";

const namePattern = /^(\d{6,})\.journal$/;

export interface SegmentName {
  readonly number: number;
  readonly name: string;
  readonly path: string;
}

export function segmentName(folder: string, number: number): SegmentName {
  const name = `${String(number).padStart(6, "0")}.journal`;
  return { number, name, path: `${folder}/${name}` };
}

/** The segments of a journal, oldest first. */
export function listSegments(store: Store, folder: string): readonly SegmentName[] {
  const found: SegmentName[] = [];
  for (const name of store.list(folder)) {
    const number = Number(namePattern.exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(number)) found.push({ number, name, path: `${folder}/${name}` });
  }
  return found.sort((left, right) => left.number - right.number);
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
  const bytes = store.read(name.path) ?? new Uint8Array();
  const { frames, end, later } = scanSegment(bytes, name.name);
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
