import { errorText } from "../base/error-text.ts";
import { isCommand, makesOrder } from "../domain/command.ts";
import type { BatchEntry, MeasuredEntry, SignedEntry } from "../journal/entry.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";

/** The part of the journal that the loop uses. */
export interface DriverJournal {
  /** Throws when the entry could not be written. */
  append(entry: BatchEntry): void;
  measured(measured: MeasuredEntry): void;
  sync(): Promise<void>;
  maintain(): void;
}

/**
 * `process`: the record of a sent command survives a killed process; the first order, and one after a while without a sync, also a
 * power cut, as does the first command unless the disk hangs. `power`: the record of every order survives a power cut, and that of a
 * cancel unless the disk hangs.
 */
export type Durability = "process" | "power";

export interface JournalWriterOptions {
  readonly journal: DriverJournal;
  readonly durability: Durability;
  readonly timer: Timer;
  /** Called once. */
  readonly failed: (message: string) => void;
}

/** Appends within this span share one fdatasync. */
const SYNC_MS = 50;
/**
 * With durability `process`, orders are sent while the newest durable entry is at most this old. So all orders that a power cut
 * removes from the journal were placed within this time after the journal's end.
 */
export const DURABLE_AGE_MAX_MS = 5_000;

/** Writes the loop's entries to the journal and knows which of them are on the disk. After its first failure it writes nothing more. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #hasFailed = false;
  #syncTimer: TimerHandle | undefined;
  /** A step has waited for the disk for too long, and no sync has ended since. */
  #isHanging = false;
  /** Time of the newest entry that is known to be durable. */
  #durableMs = Number.NEGATIVE_INFINITY;
  /** Time of the newest entry. */
  #appendedMs = Number.NEGATIVE_INFINITY;
  /** The first order of a run waits for the disk, so a run whose journal has no order has sent none. */
  #isFirstOrderDurable = false;
  /** The first command of a run waits for the disk, a cancel for a second at most. */
  #hasWaited = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  append(entry: BatchEntry): void {
    this.#write((journal) => journal.append(entry));
    this.#appendedMs = entry.batch.nowMs;
  }

  measured(measured: MeasuredEntry): void {
    this.#write((journal) => journal.measured(measured));
  }

  #write(write: (journal: DriverJournal) => void): void {
    if (this.#hasFailed) return;
    try {
      write(this.#options.journal);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Whether the disk has to confirm the newest entry before its commands are sent. */
  mustWait(effects: readonly Effect[], signed: readonly SignedEntry[], nowMs: number): boolean {
    if (signed.length === 0 || this.#hasFailed) return false;
    const hasOrder = effects.some(isOrder);
    if (this.#isHanging && !hasOrder) return false;
    if (this.#options.durability === "power") return true;
    if (!this.#hasWaited) return true;
    if (!hasOrder) return false;
    return !this.#isFirstOrderDurable || nowMs - this.#durableMs > DURABLE_AGE_MAX_MS;
  }

  /** Resolves with true when the disk has the newest entry, which has these effects, and with false when the journal has failed. */
  async confirm(effects: readonly Effect[]): Promise<boolean> {
    try {
      await this.#sync();
      this.#isFirstOrderDurable ||= effects.some(isOrder);
      return true;
    } catch (thrown) {
      this.#fail(thrown);
      return false;
    }
  }

  /** A step has waited for the disk for too long: until the disk answers, cancels leave without it. Returns whether that is new. */
  gaveUp(): boolean {
    const wasHanging = this.#isHanging;
    this.#hasWaited = true;
    this.#isHanging = true;
    return !wasHanging;
  }

  /** Writes checkpoints, starts new segments, and syncs appends in groups. */
  maintain(): void {
    const { timer } = this.#options;
    this.#write((journal) => journal.maintain());
    if (this.#hasFailed) return;
    this.#syncTimer ??= timer.after(SYNC_MS, () => {
      this.#syncTimer = undefined;
      this.#sync().catch((thrown: unknown) => this.#fail(thrown));
    });
  }

  /** Nothing is synced any more. */
  close(): void {
    this.#syncTimer?.cancel();
  }

  async #sync(): Promise<void> {
    const appendedMs = this.#appendedMs;
    await this.#options.journal.sync();
    this.#hasWaited = true;
    this.#durableMs = Math.max(this.#durableMs, appendedMs);
    this.#isHanging = false;
  }

  #fail(thrown: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const message = errorText(thrown);
    this.#options.failed(message);
  }
}

function isOrder(effect: Effect): boolean {
  return isCommand(effect) && makesOrder(effect);
}
