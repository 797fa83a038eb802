import { backOffMs } from "../base/back-off.ts";
import { readKey, type ReadName, readRank } from "../domain/read-order.ts";
import type { Read } from "./effect.ts";
import type { Input } from "./input.ts";

type ReadFailure = Extract<Input, { type: "readFailed" }>;

interface Entry {
  read: Read;
  /** When it may be sent; NEVER while a response is awaited and no further one is wanted. */
  dueMs: number;
  open: boolean;
  failures: number;
  /** It failed, and nothing had come from the venue since before it was sent: the next message ends its wait. */
  awaitsMessage: boolean;
  /** When it was last sent. */
  queriedMs: number;
  /** Repeated this long after a response; 0 means once. */
  periodMs: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/**
 * A read that has waited for a token for this long goes before more urgent ones, so that many orders in doubt keep neither the book nor the
 * list of open orders from being read.
 */
const READ_WAIT_MS = 1_000;
const none: readonly Read[] = [];

interface ReadTiming {
  readonly readRetryMs: number;
  readonly readRetryMaxMs: number;
}

/**
 * Which REST reads are due. There is one open read per kind and key; failed reads wait longer each time, periodic ones repeat.
 * Bounded by the number of markets, live orders and kinds of reads.
 */
export class ReadSchedule {
  readonly #entries = new Map<string, Entry>();
  readonly #timing: ReadTiming;
  /** Whether a read waits that the next message from the venue makes due. */
  #awaitMessage = false;

  constructor(timing: ReadTiming) {
    this.#timing = timing;
  }

  /** Number of reads that are open, due or periodic. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Schedules a read at `dueMs`. A read that is already open satisfies it, unless `again`: then it is sent again afterwards. After a
   * failure it is sent at `dueMs` although its next try would be later.
   */
  want(
    read: Read,
    dueMs: number,
    options: {
      readonly periodMs?: number;
      readonly again?: boolean;
    } = {},
  ): void {
    const name = nameOf(read.type, readKey(read));
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      const periodMs = options.periodMs ?? 0;
      this.#entries.set(name, {
        read,
        dueMs,
        open: false,
        failures: 0,
        awaitsMessage: false,
        queriedMs: 0,
        periodMs,
      });
      return;
    }
    if (options.periodMs !== undefined) entry.periodMs = options.periodMs;
    if (entry.open && options.again !== true) return;
    entry.read = read;
    entry.dueMs = Math.min(entry.dueMs, dueMs);
  }

  /** Drops a read that is no longer needed. */
  forget(type: ReadName, key: string): void {
    this.#entries.delete(nameOf(type, key));
  }

  /** When the read was last sent; undefined when it is not known. */
  queriedMs(type: ReadName, key: string): number | undefined {
    return this.#entries.get(nameOf(type, key))?.queriedMs;
  }

  /** A response came. Returns when its read was sent; undefined when none was open. */
  responded(type: ReadName, key: string, nowMs: number): number | undefined {
    const name = nameOf(type, key);
    const entry = this.#entries.get(name);
    if (entry === undefined || !entry.open) return undefined;
    entry.open = false;
    entry.failures = 0;
    if (entry.dueMs !== NEVER) return entry.queriedMs;
    if (entry.periodMs > 0) entry.dueMs = nowMs + entry.periodMs;
    else this.#entries.delete(name);
    return entry.queriedMs;
  }

  /**
   * A read got no usable response: it is sent again after a growing wait, or after the venue's `retryAfterMs` if that is longer.
   * `lastMessageMs`: when the newest message came from the venue.
   */
  failed(
    { read: type, key, retryAfterMs }: Pick<ReadFailure, "read" | "key" | "retryAfterMs">,
    { nowMs, lastMessageMs }: { readonly nowMs: number; readonly lastMessageMs: number },
  ): void {
    const entry = this.#entries.get(nameOf(type, key));
    if (entry === undefined) return;
    entry.open = false;
    entry.failures += 1;
    const { readRetryMs, readRetryMaxMs } = this.#timing;
    const wait = backOffMs(entry.failures, readRetryMs, readRetryMaxMs);
    // A shorter silence is none: where the stream goes on, no read is sent more often than its wait says.
    const isSilent = lastMessageMs < entry.queriedMs && nowMs - lastMessageMs >= wait;
    entry.awaitsMessage = isSilent && retryAfterMs === undefined;
    this.#awaitMessage ||= entry.awaitsMessage;
    entry.dueMs = nowMs + Math.max(wait, retryAfterMs ?? 0);
  }

  /** A message came from the venue. */
  received(nowMs: number): void {
    if (!this.#awaitMessage) return;
    this.#awaitMessage = false;
    for (const entry of this.#entries.values()) {
      if (entry.awaitsMessage) entry.dueMs = Math.min(entry.dueMs, nowMs);
      entry.awaitsMessage = false;
    }
  }

  /** Opens the reads that are due, those that waited too long and then the most urgent first, until `take` has no token left. */
  emit(nowMs: number, take: () => boolean): readonly Read[] {
    let due: Entry[] | undefined;
    for (const entry of this.#entries.values()) {
      if (!entry.open && entry.dueMs <= nowMs) (due ??= []).push(entry);
    }
    if (due === undefined) return none;
    const overdueMs = nowMs - READ_WAIT_MS;
    const rank = ({ read, dueMs }: Entry): number =>
      dueMs <= overdueMs ? -1 : readRank(read.type);
    due.sort((left, right) => rank(left) - rank(right) || left.dueMs - right.dueMs);
    const reads: Read[] = [];
    for (const entry of due) {
      if (!take()) break;
      entry.open = true;
      entry.dueMs = NEVER;
      entry.awaitsMessage = false;
      entry.queriedMs = nowMs;
      reads.push(entry.read);
    }
    return reads;
  }

  /** When the next read is due; Infinity when none waits. */
  nextMs(): number {
    let next = NEVER;
    for (const { open, dueMs } of this.#entries.values()) if (!open) next = Math.min(next, dueMs);
    return next;
  }
}

function nameOf(type: ReadName, key: string): string {
  return key === "" ? type : `${type}:${key}`;
}
