import { DAY_MS } from "../domain/time.ts";
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
  /** Compressing or deleting failed, which the rest of the work does not wait for. It is tried again with the next segment. */
  onFailure(error: unknown): void;
}

/** Does a part of the work, whose failure is noted and does not stop the rest. */
type Attempt = (work: () => Promise<void>) => Promise<void>;

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
 * current segment; that one and the one before it are never deleted. The caller must hold
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
      const failures: unknown[] = [];
      const attempt: Attempt = (work) => work().catch((thrown) => void failures.push(thrown));
      await attempt(() => this.#removeParts());
      await attempt(() => this.#removeByAge());
      await attempt(() => this.#compressSegments(attempt));
      await attempt(() => this.#removeBySize());
      // A disk that is full fails with each segment: one report says so.
      if (failures.length > 0) this.#options.onFailure(failures[0]);
    }
    this.#running = undefined;
  }

  /** A process that was killed while it wrote a compressed segment leaves a part of it. */
  async #removeParts(): Promise<void> {
    const { folder, files } = this.#options;
    for (const { name } of await files.details(folder)) {
      const isPart = name.endsWith(`${COMPRESSED_ENDING}${PART_ENDING}`);
      if (isPart && !this.#isStopped) await files.remove(`${folder}/${name}`);
    }
  }

  async #compressSegments(attempt: Attempt): Promise<void> {
    const { folder, files } = this.#options;
    for (const { number, plain, compressed } of await this.#segments()) {
      if (plain === undefined || number >= this.#current) continue;
      await attempt(async () => {
        if (compressed === undefined) await this.#compress(plain);
        if (!this.#isStopped) await files.remove(`${folder}/${plain.name}`);
      });
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

  async #removeByAge(): Promise<void> {
    const { clock, keep } = this.#options;
    if (keep.days === undefined) return;
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - keep.days * DAY_MS;
    const segments = await this.#segments();
    let count = 0;
    for (const [at, { modifiedMs }] of segments.entries()) {
      // Written while the clock was ahead: it is older than the next one.
      if (modifiedMs > nowMs) continue;
      if (modifiedMs >= sinceMs) break;
      count = at + 1;
    }
    await this.#remove(segments, count, "days");
  }

  async #removeBySize(): Promise<void> {
    const { size } = this.#options.keep;
    if (size === undefined) return;
    const segments = await this.#segments();
    let bytes = sumOf(segments);
    let count = 0;
    for (const segment of segments) {
      if (bytes <= size) break;
      bytes -= segment.bytes;
      count += 1;
    }
    await this.#remove(segments, count, "size");
  }

  /** Deletes the oldest segments but those that a restart may need. */
  async #remove(
    segments: readonly KeptSegment[],
    count: number,
    limit: RemovedSegments["limit"],
  ): Promise<void> {
    const { folder, files, onRemoved } = this.#options;
    const before = segments.filter(({ number }) => number < this.#current).length;
    const removed: KeptSegment[] = [];
    try {
      for (const segment of segments.slice(0, Math.max(0, Math.min(count, before - 1)))) {
        if (this.#isStopped) break;
        // The compressed file first: the plain one of a segment in both forms has the same content.
        for (const file of [segment.compressed, segment.plain]) {
          if (file !== undefined) await files.remove(`${folder}/${file.name}`);
        }
        removed.push(segment);
      }
    } finally {
      if (removed.length > 0) {
        const names = removed.map(({ number }) => segmentName(folder, number).name);
        onRemoved({ names, bytes: sumOf(removed), limit });
      }
    }
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
