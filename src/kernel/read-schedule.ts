import { type ReadName, readRank } from "../domain/read-order.ts";
import type { Read } from "./effect.ts";

interface Entry {
  read: Read;
  /** When it may be asked; NEVER while its answer is awaited and nobody wants it anew. */
  dueMs: number;
  open: boolean;
  failures: number;
  /** When it was asked last. */
  queriedMs: number;
  /** Asked again that long after an answer; 0 is once. */
  periodMs: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const none: readonly Read[] = [];

export interface ReadTiming {
  readonly readRetryMs: number;
  readonly readRetryMaxMs: number;
}

/** The key that tells two reads of one kind apart: a market id, an order id or nothing. */
export function readKey(read: Read): string {
  if (read.type === "book") return read.marketId;
  if (read.type === "order") return read.orderId;
  return "";
}

/**
 * Which REST questions are due: one open question per kind and key, failed ones wait longer each time, periodic ones come
 * again. Bounded by what the kernel asks about: markets, live orders and a handful of kinds.
 */
export class ReadSchedule {
  readonly #entries = new Map<string, Entry>();
  readonly #patience: ReadTiming;

  constructor(patience: ReadTiming) {
    this.#patience = patience;
  }

  /** Questions that are kept: open, due or periodic. */
  get size(): number {
    return this.#entries.size;
  }

  /** Wants an answer at `dueMs` or soon after. An open question counts, unless `again`: then it is asked anew after its answer. */
  want(
    read: Read,
    dueMs: number,
    options: { readonly periodMs?: number; readonly again?: boolean } = {},
  ): void {
    const name = nameOf(read.type, readKey(read));
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      const periodMs = options.periodMs ?? 0;
      this.#entries.set(name, { read, dueMs, open: false, failures: 0, queriedMs: 0, periodMs });
      return;
    }
    if (options.periodMs !== undefined) entry.periodMs = options.periodMs;
    if (entry.open && options.again !== true) return;
    entry.read = read;
    entry.dueMs = Math.min(entry.dueMs, dueMs);
  }

  /** The question is no longer interesting. */
  forget(type: ReadName, key: string): void {
    this.#entries.delete(nameOf(type, key));
  }

  /** An answer came: when it had been asked for, undefined when nobody asked. */
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

  /** No usable answer: ask again after a growing wait, or after what the venue asked for. */
  failed(type: ReadName, key: string, nowMs: number, retryAfterMs: number | undefined): void {
    const entry = this.#entries.get(nameOf(type, key));
    if (entry === undefined) return;
    entry.open = false;
    const wait = Math.min(
      this.#patience.readRetryMs * 2 ** entry.failures,
      this.#patience.readRetryMaxMs,
    );
    entry.failures = Math.min(entry.failures + 1, 30);
    entry.dueMs = nowMs + Math.max(wait, retryAfterMs ?? 0);
  }

  isOpen(type: ReadName, key = ""): boolean {
    return this.#entries.get(nameOf(type, key))?.open ?? false;
  }

  /** Questions that are due, in the order they matter: `take` is asked for a token for each and ends the walk when it says no. */
  emit(nowMs: number, take: () => boolean): readonly Read[] {
    let due: Entry[] | undefined;
    for (const entry of this.#entries.values()) {
      if (!entry.open && entry.dueMs <= nowMs) (due ??= []).push(entry);
    }
    if (due === undefined) return none;
    due.sort(
      (left, right) =>
        readRank(left.read.type) - readRank(right.read.type) || left.dueMs - right.dueMs,
    );
    const reads: Read[] = [];
    for (const entry of due) {
      if (!take()) break;
      entry.open = true;
      entry.dueMs = NEVER;
      entry.queriedMs = nowMs;
      reads.push(entry.read);
    }
    return reads;
  }

  /** When the next question is due; undefined when none waits. */
  nextMs(): number | undefined {
    let next: number | undefined;
    for (const entry of this.#entries.values()) {
      if (!entry.open && (next === undefined || entry.dueMs < next)) next = entry.dueMs;
    }
    return next;
  }
}

function nameOf(type: ReadName, key: string): string {
  return key === "" ? type : `${type}:${key}`;
}
