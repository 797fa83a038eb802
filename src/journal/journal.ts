import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import type { Restored } from "../kernel/input.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import { EntryEncoder } from "./entry-codec.ts";
import type { BatchEntry, CrashEntry, Entry, RunHeader } from "./entry.ts";
import { MAGIC } from "./frame.ts";
import { OrderLedger } from "./order-ledger.ts";
import { listSegments, readSegment, segmentName } from "./segments.ts";

export interface JournalOptions {
  readonly store: Store;
  readonly folder: string;
  readonly header: RunHeader;
  /** The result of `restore` for the same folder. */
  readonly restored: Restored;
  /** A new segment starts once the current one is at least this long. Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Minimum number of bytes between two checkpoints. Default 4 MiB. */
  readonly checkpointBytes?: number;
}

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
  #file: AppendFile;
  #number: number;
  #nextCheckpointAt: number;
  #failure: TouchlineError | undefined;
  #isClosed = false;
  #header: RunHeader;

  /** Cuts off a torn tail of the last segment and starts a new one for this run. Throws JOURNAL_DAMAGED or WRITE_FAILED. */
  constructor(options: JournalOptions) {
    this.#options = options;
    this.#header = options.header;
    this.#segmentBytes = options.segmentBytes ?? 64 * 1024 * 1024;
    this.#checkpointBytes = options.checkpointBytes ?? 4 * 1024 * 1024;
    this.#ledger = new OrderLedger(options.restored);
    const { store, folder } = options;
    const last = listSegments(store, folder).at(-1);
    if (last === undefined) {
      this.#number = 1;
    } else {
      const { head, end, size } = readSegment(store, last);
      if (end < size) store.openAppend(last.path, { truncateTo: end }).close();
      // A segment without a head is empty, so its number is used again.
      this.#number = head === undefined ? last.number : last.number + 1;
    }
    this.#file = this.#openSegment();
    this.#nextCheckpointAt = this.#checkpointBytes;
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

  /** Writes the last record of a run that crashed. */
  crash(crash: CrashEntry): void {
    this.#write(this.#encoder.encode({ type: "crash", crash }));
    this.ledger.crashed(crash);
  }

  /** Resolves once everything appended so far is durable. Rejects when the disk fails. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Writes a checkpoint or starts a new segment when one is due. Throws like `append`. */
  maintain(): void {
    this.#catchUp();
    if (this.#failure !== undefined || this.#isClosed) return;
    if (this.#file.size >= this.#segmentBytes) {
      this.#nextSegment();
    } else if (this.#file.size >= this.#nextCheckpointAt) {
      this.#nextCheckpointAt = this.#file.size + this.#checkpointBytes;
      this.#write(this.#encoder.encode({ type: "checkpoint", restored: this.ledger.restored() }));
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
  }

  /** Starts a new segment because another key signs from now on. Throws like `append`. */
  signedBy(signer: Address): void {
    this.#catchUp();
    if (this.#failure !== undefined) throw this.#failure;
    this.#header = { ...this.#header, signer };
    try {
      this.#nextSegment();
    } catch (thrown) {
      this.#failure = writeFailure(thrown);
      throw this.#failure;
    }
  }

  #nextSegment(): void {
    const old = this.#file;
    this.#number += 1;
    this.#encoder = new EntryEncoder();
    this.#file = this.#openSegment();
    this.#nextCheckpointAt = this.#checkpointBytes;
    // The old segment is made durable and closed later, off the order path.
    void old.sync().then(
      () => old.close(),
      () => old.close(),
    );
  }

  #catchUp(): void {
    for (const entry of this.#unread.splice(0)) this.#ledger.apply(entry);
  }

  #openSegment(): AppendFile {
    const { store, folder } = this.#options;
    const header = this.#header;
    const { path } = segmentName(folder, this.#number);
    const file = store.openAppend(path, { truncateTo: 0 });
    const entry: Entry = { type: "run", head: { header, restored: this.ledger.restored() } };
    const frame = this.#encoder.encode(entry);
    const start = new Uint8Array(MAGIC.length + frame.length);
    start.set(MAGIC);
    start.set(frame, MAGIC.length);
    file.append(start);
    return file;
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

function writeFailure(thrown: unknown): TouchlineError {
  if (thrown instanceof TouchlineError) return thrown;
  return new TouchlineError("WRITE_FAILED", "The journal cannot be written.", { cause: thrown });
}
