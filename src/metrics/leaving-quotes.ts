import type { Side } from "../domain/side.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A quote counts as resting for this long after a cancel of it was sent. */
const LEAVING_MS = 1_000;

interface Leaving {
  readonly strategy: string;
  readonly side: Side;
  readonly untilMs: number;
}

/**
 * Quotes with a cancel or modify under way. When neither a response nor an event shows its outcome within a second, the quote is overdue:
 * it no longer counts as resting, until the venue shows it again.
 */
export class LeavingQuotes {
  /** By intent, the earliest first. */
  readonly #waiting = new Map<number, Leaving>();
  readonly #overdue = new Map<number, Leaving>();

  note({ intent, role, state, isResting, strategy, side }: OrderSnapshot, nowMs: number): void {
    if (state !== "canceling" || role !== "quote" || !isResting) {
      this.#waiting.delete(intent);
      this.#overdue.delete(intent);
    } else if (!this.#waiting.has(intent) && !this.#overdue.has(intent)) {
      this.#waiting.set(intent, { strategy, side, untilMs: nowMs + LEAVING_MS });
    }
  }

  /** Makes one quote overdue, the one whose second ended first. Returns that time; undefined when none ended by `nowMs`. */
  expireNext(nowMs: number): number | undefined {
    for (const [intent, quote] of this.#waiting) {
      if (quote.untilMs > nowMs) return undefined;
      this.#waiting.delete(intent);
      this.#overdue.set(intent, quote);
      return quote.untilMs;
    }
    return undefined;
  }

  /** Number of overdue quotes. */
  overdue(strategy: string, side: Side): number {
    let count = 0;
    for (const quote of this.#overdue.values()) {
      if (quote.strategy === strategy && quote.side === side) count += 1;
    }
    return count;
  }
}
