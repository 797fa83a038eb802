/**
 * The journal: what a bot received, decided and signed, on disk before anything is sent.
 *
 * `Journal` writes the segments of a running bot: records of kinds (`record-kinds.ts`) in checked frames (`frame.ts`), as plain data
 * (`data-codec.ts`). Each segment starts with the run's header and the open orders, and checkpoints repeat those, so that a start reads
 * only the end of the newest one: `restore` gives a `Restored`, which `OrderLedger` computes from the records, independently of the kernel.
 * `listRuns` and `entriesOfRun` read runs back, for `verify`, the tables and the stories. `SegmentKeeper` compresses and deletes.
 *
 * Imports `orders`, the rooms above it, and types of `kernel`.
 */

import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import type { Restored } from "../kernel/input.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import { EntryEncoder } from "./entry-codec.ts";
import {
  type BatchEntry,
  type CrashEntry,
  type Entry,
  FORMAT_VERSION,
  type MeasuredEntry,
  type RunHeader,
} from "./entry.ts";
import { MAGIC } from "./frame.ts";
import { OrderLedger } from "./order-ledger.ts";
import { listSegments, readSegment, segmentName, type Segment } from "./segments.ts";

export interface JournalOptions {
  readonly store: Store;
  readonly folder: string;
  readonly header: RunHeader;
  /** The result of `restore` for the same folder. */
  readonly restored: Restored;
  /** A new segment starts once the current one is at least this long. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** Minimum number of bytes between two checkpoints. Default 4 MiB. */
  readonly checkpointBytes?: number;
  /**
   * Called off the order path when all segments before `current` are complete and durable, and the start of `current` is durable. So a
   * restart after a power cut needs none of the segments before it.
   */
  onSegmentsDone?(current: number): void;
}

/** A damaged part of the journal's end, with all that followed it, as it was moved out of the journal. */
export interface SetAside {
  readonly segment: string;
  /** Byte of the segment at which the copy starts. */
  readonly offset: number;
  /** Path of the copy. */
  readonly path: string;
}

/** A record of what is durable follows after this many newly durable bytes. */
const MARK_BYTES = 256 * 1024;

/** Most entries that wait for the ledger between calls of `maintain`. */
const UNREAD_MAX = 64;

/**
 * The journal of a running bot. `append` costs one write into the page cache, which survives a killed process. `sync` makes everything
 * durable. `maintain` does the work that can wait until the commands are sent. The caller must hold the folder's lock.
 */
export class Journal {
  readonly #ledger: OrderLedger;
  /** Written, but not yet applied to the ledger, so that the order path does not wait for it. */
  readonly #unread: BatchEntry[] = [];
  readonly #options: JournalOptions;
  readonly #segmentBytes: number;
  readonly #checkpointBytes: number;
  #encoder = new EntryEncoder();
  /** Resolves once all segments before the current one are durable. */
  #older: Promise<unknown> = Promise.resolve();
  #file: AppendFile;
  #number: number;
  #nextCheckpointAt: number;
  #failure: TouchlineError | undefined;
  #isClosed = false;
  #header: RunHeader;
  /** Syncs that the disk has not confirmed yet. */
  #waiting = 0;
  /** Durable bytes of the current segment, and how many of them a record tells. */
  #synced = 0;
  #marked = 0;
  /** What the start moved out of the journal. */
  readonly setAside: readonly SetAside[];

  /**
   * Cuts off a torn or damaged tail and starts a new segment for this run. A copy of a damaged tail stays in the folder. Throws
   * JOURNAL_DAMAGED or WRITE_FAILED.
   */
  constructor(options: JournalOptions) {
    this.#options = options;
    this.#header = options.header;
    this.#segmentBytes = options.segmentBytes ?? 16 * 1024 * 1024;
    this.#checkpointBytes = options.checkpointBytes ?? 4 * 1024 * 1024;
    this.#ledger = new OrderLedger(options.restored);
    const { store, folder } = options;
    const { number, setAside } = cutTail(store, folder);
    this.#number = number;
    this.setAside = setAside;
    this.#file = this.#openSegment();
    this.#nextCheckpointAt = this.#checkpointBytes;
    void this.#reportDone();
  }

  /** The open orders after all entries so far. */
  get ledger(): OrderLedger {
    this.#catchUp();
    return this.#ledger;
  }

  /** Length of the current segment in bytes. */
  get size(): number {
    return this.#file.size;
  }

  /** Writes a step. Call it before any of the step's commands is sent. After a failure this and every later call throws WRITE_FAILED. */
  append(entry: BatchEntry): void {
    this.#write(this.#encoder.batch(entry));
    if (this.#unread.push(entry) >= UNREAD_MAX) this.#catchUp();
  }

  /** Writes cancels that no kernel decided. */
  crash(crash: CrashEntry): void {
    this.#write(this.#encoder.encode({ type: "crash", crash }));
    this.ledger.crashed(crash);
  }

  /** Writes what the bot has measured. Throws like `append`. */
  measured(measured: MeasuredEntry): void {
    this.#write(this.#encoder.encode({ type: "measured", measured }));
  }

  /** Resolves once everything appended so far is durable, in older segments too. Rejects when the disk fails. */
  async sync(): Promise<void> {
    const file = this.#file;
    const { size } = file;
    this.#waiting += 1;
    try {
      await Promise.all([this.#older, file.sync()]);
    } finally {
      this.#waiting -= 1;
    }
    if (file === this.#file) this.#synced = Math.max(this.#synced, size);
  }

  /** Writes a checkpoint or starts a new segment when one is due. Throws like `append`. */
  maintain(): void {
    this.#catchUp();
    if (this.#failure !== undefined || this.#isClosed) return;
    if (this.#file.size >= this.#segmentBytes && !this.#isHanging) {
      this.#nextSegment();
    } else if (this.#file.size >= this.#nextCheckpointAt) {
      this.#nextCheckpointAt = this.#file.size + this.#checkpointBytes;
      this.#write(this.#encoder.encode({ type: "checkpoint", restored: this.ledger.restored() }));
    } else if (this.#synced - this.#marked >= MARK_BYTES) {
      this.#marked = this.#synced;
      this.#write(this.#encoder.encode({ type: "synced", bytes: this.#synced }));
    }
  }

  /** A sync still waits for the disk. Opening the next segment would wait for it, too; meanwhile the current one may grow. */
  get #isHanging(): boolean {
    return this.#waiting > 0 && this.#synced < this.#segmentBytes;
  }

  /**
   * Writes that the run ended, and closes the file once that is durable, without holding the event loop. Nothing may be sent afterwards.
   * Rejects when the disk fails.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      // Without this record the next start looks for orders that the journal may have lost.
      this.#write(this.#encoder.encode({ type: "end" }));
    } catch {
      // The journal failed before, which the run has reported.
    }
    const file = this.#file;
    try {
      await file.sync();
    } finally {
      file.close();
    }
  }

  /** Writes that another key signs from now on; nothing once the journal is closed. Throws like `append`. */
  signedBy(signer: Address): void {
    if (this.#isClosed) return;
    this.#header = { ...this.#header, signer };
    this.#nextCheckpointAt = this.#file.size + this.#checkpointBytes;
    // In the same segment: a new one could reach the disk before the end of this one does.
    this.#write(this.#encoder.encode(this.#head()));
  }

  /** After a failure the journal ends with the segment before, without a word that its run ended. */
  #nextSegment(): void {
    const old = this.#file;
    try {
      this.#number += 1;
      this.#file = this.#openSegment();
    } catch (thrown) {
      this.#failure = writeFailure(thrown);
      throw this.#failure;
    }
    this.#nextCheckpointAt = this.#checkpointBytes;
    // The old segment is made durable and closed later, off the order path.
    this.#older = Promise.all([this.#older, old.sync()]).finally(() => old.close());
    this.#older.then(
      () => this.#reportDone(),
      // The next sync reports that the disk fails.
      () => undefined,
    );
  }

  /** Reports that the segments before the current one are done as soon as its start is durable. */
  async #reportDone(): Promise<void> {
    if (this.#options.onSegmentsDone === undefined) return;
    const current = this.#number;
    try {
      await this.sync();
    } catch {
      // The driver's own sync reports that the disk fails.
      return;
    }
    this.#options.onSegmentsDone(current);
  }

  #catchUp(): void {
    for (const entry of this.#unread.splice(0)) this.#ledger.apply(entry);
  }

  /** Creates the segment with the current number and its encoder. Throws what the store throws. */
  #openSegment(): AppendFile {
    const { store, folder } = this.#options;
    const { path } = segmentName(folder, this.#number);
    const encoder = new EntryEncoder();
    const frame = encoder.encode(this.#head()).slice();
    // Tells readers that records of what is durable follow.
    const mark = encoder.encode({ type: "synced", bytes: 0 });
    const start = new Uint8Array(MAGIC.length + frame.length + mark.length);
    start.set(MAGIC);
    start.set(frame, MAGIC.length);
    start.set(mark, MAGIC.length + frame.length);
    const file = store.openAppend(path, { truncateTo: 0 });
    try {
      file.append(start);
    } catch (thrown) {
      file.close();
      throw thrown;
    }
    this.#encoder = encoder;
    this.#synced = 0;
    this.#marked = 0;
    return file;
  }

  /** The run with its signer, and the open orders. */
  #head(): Entry {
    const restored = this.ledger.restored();
    return {
      type: "run",
      head: {
        formatVersion: FORMAT_VERSION,
        segment: this.#number,
        header: this.#header,
        restored,
      },
    };
  }

  #write(frame: Uint8Array): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#file.append(frame);
    } catch (thrown) {
      this.#failure = writeFailure(thrown);
      throw this.#failure;
    }
  }
}

/** Ends the journal with its last good entry. Returns the number of the next segment. */
function cutTail(
  store: Store,
  folder: string,
): { readonly number: number; readonly setAside: readonly SetAside[] } {
  const setAside: SetAside[] = [];
  let number = 1;
  for (const name of listSegments(store, folder).toReversed()) {
    const segment = readSegment(store, name);
    const { head, end, size, later } = segment;
    if (later.length > 0) setAside.push(keepAside(store, folder, segment));
    // Also makes durable what a killed run left in the page cache: behind a newer segment a torn end would be a hole.
    if (end < size || (head !== undefined && !name.isCompressed)) {
      store.openAppend(name.path, { truncateTo: end }).close();
    }
    // A segment without a head is empty, so its number is used again.
    number = head === undefined ? name.number : name.number + 1;
    if (head !== undefined) break;
  }
  return { number, setAside };
}

/** Copies the end of a segment, from its damaged part on, to a file of its own. */
function keepAside(store: Store, folder: string, { name, end }: Segment): SetAside {
  const path = `${folder}/${name.name}.damaged-${end}`;
  const copy = store.openAppend(path, { truncateTo: 0 });
  copy.append((store.read(name.path) ?? new Uint8Array()).subarray(end));
  copy.close();
  return { segment: name.name, offset: end, path };
}

function writeFailure(thrown: unknown): TouchlineError {
  if (thrown instanceof TouchlineError) return thrown;
  return new TouchlineError("WRITE_FAILED", "The journal cannot be written.", { cause: thrown });
}
