import { type BackgroundFiles, type FileDetails, PART_ENDING } from "../ports/background-files.ts";
import type { Clock } from "../ports/clock.ts";
import { COMPRESSED_ENDING, segmentName, segmentsAmong } from "./segments.ts";

/** What is kept of a journal. Left out: no limit. */
export interface JournalKeep {
  /** Days after the last write of a segment. */
  readonly days?: number | undefined;
  /** Bytes of all segments together. */
  readonly size?: number | undefined;
}

/** Segments that were deleted because `journal.keep` says so, oldest first. */
export interface RemovedSegments {
  readonly names: readonly string[];
  readonly bytes: number;
  /** The setting of `journal.keep` that deleted them. */
  readonly limit: "days" | "size";
}

export interface SegmentKeeperOptions {
  readonly folder: string;
  readonly files: BackgroundFiles;
  readonly clock: Clock;
  readonly keep: JournalKeep;
  /** Compresses to one zstd frame, off the event loop. */
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  onRemoved(removed: RemovedSegments): void;
  /** Compressing or deleting failed. It is tried again with the next segment. */
  onFailure(error: unknown): void;
}

const DAY_MS = 86_400_000;

interface KeptSegment {
  readonly number: number;
  readonly plain: FileDetails | undefined;
  readonly compressed: FileDetails | undefined;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/**
 * Compresses the complete segments of a running bot's journal, and deletes those that `keep` does not cover. All of it happens beside
 * the bot. A compressed segment is durable before the plain one is removed, so a crash at any moment loses nothing. A restart reads the
 * current segment, or the one before it when nothing of the current one is durable yet; neither is ever deleted. The caller must hold
 * the folder's lock.
 */
export class SegmentKeeper {
  readonly #options: SegmentKeeperOptions;
  #current = 0;
  #isWanted = false;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(options: SegmentKeeperOptions) {
    this.#options = options;
  }

  /** Resolves when the work in progress has ended; undefined when there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Call it when all segments before `current` are complete. Starts the work, or another round of it. */
  tidy(current: number): void {
    this.#current = Math.max(this.#current, current);
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** No further file is touched once the operation in progress has ended. */
  stop(): Promise<void> | undefined {
    this.#isStopped = true;
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      try {
        await this.#compressSegments();
        await this.#removeSegments();
      } catch (thrown) {
        this.#options.onFailure(thrown);
      }
    }
    this.#running = undefined;
  }

  async #compressSegments(): Promise<void> {
    const { folder, files } = this.#options;
    for (const { name } of await files.details(folder)) {
      // A process that was killed while it wrote a compressed segment leaves this.
      const isPart = name.endsWith(`${COMPRESSED_ENDING}${PART_ENDING}`);
      if (isPart && !this.#isStopped) await files.remove(`${folder}/${name}`);
    }
    for (const segment of await this.#segments()) {
      const { plain, compressed } = segment;
      if (plain === undefined || segment.number >= this.#current) continue;
      if (compressed === undefined) await this.#compress(plain);
      if (this.#isStopped) return;
      await files.remove(`${folder}/${plain.name}`);
    }
  }

  async #compress({ name, modifiedMs }: FileDetails): Promise<void> {
    const { folder, files, compress } = this.#options;
    const path = `${folder}/${name}`;
    if (this.#isStopped) return;
    const plain = await files.read(path);
    if (plain === undefined || this.#isStopped) return;
    const compressed = await compress(plain);
    if (this.#isStopped) return;
    await files.write(`${path}${COMPRESSED_ENDING}`, compressed, modifiedMs);
  }

  async #removeSegments(): Promise<void> {
    const { clock, keep } = this.#options;
    const { days, size } = keep;
    if (days === undefined && size === undefined) return;
    let segments = await this.#segments();
    if (days !== undefined) {
      const sinceMs = clock.nowMs() - days * DAY_MS;
      const count = segments.findIndex(({ modifiedMs }) => modifiedMs >= sinceMs);
      segments = await this.#remove(segments, count < 0 ? segments.length : count, "days");
    }
    if (size === undefined) return;
    let bytes = sumOf(segments);
    let count = 0;
    for (const segment of segments) {
      if (bytes <= size) break;
      bytes -= segment.bytes;
      count += 1;
    }
    await this.#remove(segments, count, "size");
  }

  /** Deletes the oldest segments but those that a restart may need. Returns the others. */
  async #remove(
    segments: readonly KeptSegment[],
    count: number,
    limit: RemovedSegments["limit"],
  ): Promise<readonly KeptSegment[]> {
    const { folder, files, onRemoved } = this.#options;
    const before = segments.filter(({ number }) => number < this.#current).length;
    const removed: KeptSegment[] = [];
    for (const segment of segments.slice(0, Math.max(0, Math.min(count, before - 1)))) {
      if (this.#isStopped) break;
      // The compressed file first: the plain one of a segment in both forms has the same content.
      for (const file of [segment.compressed, segment.plain]) {
        if (file !== undefined) await files.remove(`${folder}/${file.name}`);
      }
      removed.push(segment);
    }
    if (removed.length > 0) {
      const names = removed.map(({ number }) => segmentName(folder, number).name);
      onRemoved({ names, bytes: sumOf(removed), limit });
    }
    return segments.slice(removed.length);
  }

  /** All segments, oldest first, with the files that hold them. */
  async #segments(): Promise<readonly KeptSegment[]> {
    const { folder, files } = this.#options;
    const byName = new Map((await files.details(folder)).map((file) => [file.name, file]));
    return segmentsAmong(folder, [...byName.keys()]).map(({ number }) => {
      const { name } = segmentName(folder, number);
      const plain = byName.get(name);
      const compressed = byName.get(`${name}${COMPRESSED_ENDING}`);
      return {
        number,
        plain,
        compressed,
        bytes: (plain?.bytes ?? 0) + (compressed?.bytes ?? 0),
        modifiedMs: Math.max(plain?.modifiedMs ?? 0, compressed?.modifiedMs ?? 0),
      };
    });
  }
}

function sumOf(segments: readonly KeptSegment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}
