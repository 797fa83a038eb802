import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A quote counts as resting for this long after a cancel of it was sent. */
const LEAVING_MS = 1_000;

/**
 * Quotes with a cancel or modify under way. When neither a response nor an event shows its outcome within a second, the quote is overdue:
 * it no longer counts as resting, until the venue shows it again.
 */
export class LeavingQuotes {
  /** By intent, when their second ends, the earliest first. */
  readonly #waiting = new Map<number, number>();
  /** By intent. */
  readonly #overdue = new Set<number>();

  note({ intent, role, state, isResting }: OrderSnapshot, nowMs: number): void {
    if (state !== "canceling" || role !== "quote" || !isResting) {
      this.#waiting.delete(intent);
      this.#overdue.delete(intent);
    } else if (!this.#waiting.has(intent) && !this.#overdue.has(intent)) {
      this.#waiting.set(intent, nowMs + LEAVING_MS);
    }
  }

  /** Makes one quote overdue, the one whose second ended first. Returns that time; undefined when none ended by `nowMs`. */
  expireNext(nowMs: number): number | undefined {
    for (const [intent, untilMs] of this.#waiting) {
      if (untilMs > nowMs) return undefined;
      this.#waiting.delete(intent);
      this.#overdue.add(intent);
      return untilMs;
    }
    return undefined;
  }

  /** Whether a quote is overdue, by its intent. */
  isOverdue(intent: number): boolean {
    return this.#overdue.has(intent);
  }
}
