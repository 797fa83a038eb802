import { assert } from "../base/assert.ts";
import type { Side } from "../domain/side.ts";

/** A fill whose markout is not yet due. */
interface Waiting {
  readonly dueMs: number;
  /** Base quantity; negative for a sale. */
  readonly signed: number;
  readonly mid: number;
  readonly settled: MarkoutListener | undefined;
}

/** Called when a fill is as old as a horizon, with the mid of that time. */
export type MarkoutListener = (horizonMs: number, laterMid: number) => void;

/** Sums of the fills of one side that were as old as a horizon. */
interface Sums {
  weight: number;
  sum: number;
}

interface Horizon {
  readonly horizonMs: number;
  /** Sorted by `dueMs`, because fills come in order of time. */
  waiting: Waiting[];
  readonly sides: Readonly<Record<Side, Sums>>;
}

/** Mean markouts at one horizon, each undefined when no such fill is as old as the horizon. */
export interface Markout {
  readonly horizonMs: number;
  readonly bps: number | undefined;
  readonly sides: Readonly<Record<Side, number | undefined>>;
}

/**
 * Measures how the mid moved after own fills, of both sides together and of each. For fill i of signed base quantity qᵢ at time tᵢ, with mid mᵢ just before it and
 * m(t) the newest mid at t:
 *
 *   markout(h) = 10⁴ · Σ qᵢ · (m(tᵢ + h) − mᵢ) / mᵢ  ÷  Σ |qᵢ|        in basis points
 *
 * A negative markout means that the market moved against the fills (adverse selection). Left out are fills younger than h, and those that
 * are h old while the mid is not known.
 */
export class Markouts {
  readonly #horizons: readonly Horizon[];
  #mid: number | undefined;
  #isLost = false;

  constructor(horizonsMs: readonly number[]) {
    this.#horizons = horizonsMs.map((horizonMs) => ({
      horizonMs,
      waiting: [],
      sides: { BUY: { weight: 0, sum: 0 }, SELL: { weight: 0, sum: 0 } },
    }));
  }

  /** Adds a fill at `timeMs` and the newest mid; ignored before the first mid. Throws when time goes back. */
  fill(side: Side, quantity: number, timeMs: number, settled?: MarkoutListener): void {
    const mid = this.#mid;
    if (mid === undefined || quantity === 0) return;
    const signed = side === "BUY" ? quantity : -quantity;
    for (const { horizonMs, waiting } of this.#horizons) {
      const dueMs = timeMs + horizonMs;
      assert((waiting.at(-1)?.dueMs ?? dueMs) <= dueMs, "fills come in order of time");
      waiting.push({ dueMs, signed, mid, settled });
    }
  }

  /** Sets the mid from `timeMs` on. */
  mid(timeMs: number, mid: number): void {
    this.#settle((dueMs) => dueMs < timeMs);
    this.#isLost = false;
    this.#mid = mid;
  }

  /** The mid is not known after `timeMs`, until the next one. */
  lost(timeMs: number): void {
    this.#settle((dueMs) => dueMs <= timeMs);
    this.#isLost = true;
  }

  /** The mean markouts at `nowMs`, the time up to which the newest mid held. */
  at(nowMs: number): Markout[] {
    this.#settle((dueMs) => dueMs <= nowMs);
    return this.#horizons.map(({ horizonMs, sides: { BUY, SELL } }) => ({
      horizonMs,
      bps: meanOf({ weight: BUY.weight + SELL.weight, sum: BUY.sum + SELL.sum }),
      sides: { BUY: meanOf(BUY), SELL: meanOf(SELL) },
    }));
  }

  #settle(isDue: (dueMs: number) => boolean): void {
    for (const horizon of this.#horizons) {
      const { waiting } = horizon;
      let settled = 0;
      for (const fill of waiting) {
        if (!isDue(fill.dueMs) || this.#mid === undefined) break;
        settled += 1;
        if (this.#isLost) continue;
        const sums = horizon.sides[fill.signed > 0 ? "BUY" : "SELL"];
        sums.weight += Math.abs(fill.signed);
        sums.sum += (fill.signed * (this.#mid - fill.mid)) / fill.mid;
        fill.settled?.(horizon.horizonMs, this.#mid);
      }
      if (settled > 0) horizon.waiting = waiting.slice(settled);
    }
  }
}

function meanOf({ weight, sum }: Sums): number | undefined {
  return weight === 0 ? undefined : (sum / weight) * 10_000;
}
