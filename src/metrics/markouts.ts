import { assert } from "../base/assert.ts";
import type { Side } from "../domain/side.ts";

/** A fill that waits for the mid of a later time. */
interface Waiting {
  readonly dueMs: number;
  /** Base token; below 0 for a sale. */
  readonly signed: number;
  readonly mid: number;
}

interface Horizon {
  readonly horizonMs: number;
  /** Fills come in the order of time, so what is due first stands first. */
  waiting: Waiting[];
  weight: number;
  sum: number;
}

/** Mean markout after one span. */
export interface Markout {
  readonly horizonMs: number;
  /** Undefined when no fill is that old yet. */
  readonly bps: number | undefined;
}

/**
 * Where the mid went after our fills, in our favour: for fill i of signed base quantity qᵢ at time tᵢ, with mid mᵢ just before
 * it, and m(t) the newest mid at t,
 *
 *   markout(h) = 10⁴ · Σ qᵢ · (m(tᵢ + h) − mᵢ) / mᵢ  ÷  Σ |qᵢ|        in basis points
 *
 * Negative: the market moved against what we had just bought or sold (adverse selection). Fills whose h has not passed
 * are left out.
 */
export class Markouts {
  readonly #horizons: readonly Horizon[];
  #mid: number | undefined;

  constructor(horizonsMs: readonly number[]) {
    this.#horizons = horizonsMs.map((horizonMs) => ({
      horizonMs,
      waiting: [],
      weight: 0,
      sum: 0,
    }));
  }

  /** A fill at `timeMs`, at the newest mid; nothing without one. Time never goes back. */
  fill(side: Side, quantity: number, timeMs: number): void {
    const mid = this.#mid;
    if (mid === undefined || quantity === 0) return;
    const signed = side === "BUY" ? quantity : -quantity;
    for (const { horizonMs, waiting } of this.#horizons) {
      const dueMs = timeMs + horizonMs;
      assert((waiting.at(-1)?.dueMs ?? dueMs) <= dueMs, "fills come in the order of time");
      waiting.push({ dueMs, signed, mid });
    }
  }

  /** The mid from `timeMs` on. */
  mid(timeMs: number, mid: number): void {
    this.#settle((dueMs) => dueMs < timeMs);
    this.#mid = mid;
  }

  /** The means so far, `nowMs` being the time up to which the newest mid held. */
  at(nowMs: number): Markout[] {
    this.#settle((dueMs) => dueMs <= nowMs);
    return this.#horizons.map(({ horizonMs, weight, sum }) => ({
      horizonMs,
      bps: weight === 0 ? undefined : (sum / weight) * 10_000,
    }));
  }

  #settle(isDue: (dueMs: number) => boolean): void {
    for (const horizon of this.#horizons) {
      const { waiting } = horizon;
      let settled = 0;
      for (const fill of waiting) {
        if (!isDue(fill.dueMs) || this.#mid === undefined) break;
        horizon.weight += Math.abs(fill.signed);
        horizon.sum += (fill.signed * (this.#mid - fill.mid)) / fill.mid;
        settled += 1;
      }
      if (settled > 0) horizon.waiting = waiting.slice(settled);
    }
  }
}
