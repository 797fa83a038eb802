import { Decimal } from "../domain/decimal.ts";
import type { ReplayEquity } from "./replay-tables.ts";

/** Most rows on the grid of time: about seven hours at one a second. */
const MAX_SAMPLES = 25_000;
/** First step of the grid. */
const STEP_MS = 1_000;

interface Kept {
  readonly row: ReplayEquity;
  readonly isFill: boolean;
}

/**
 * The equity rows of one strategy: one at each step of a grid of time, and one after each fill. When the grid has too many rows, its
 * step doubles and every other row goes, so that memory depends on the number of fills and not on the length of the recording.
 */
export class EquitySeries {
  readonly #startMs: number;
  #stepMs = STEP_MS;
  #rows: Kept[] = [];
  #samples = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Whether the grid has a row at this time. */
  isDue(timeMs: number): boolean {
    return (timeMs - this.#startMs) % this.#stepMs === 0;
  }

  sample(row: ReplayEquity): void {
    this.#rows.push({ row, isFill: false });
    this.#samples += 1;
    if (this.#samples > MAX_SAMPLES) this.#thin();
  }

  fill(row: ReplayEquity): void {
    this.#rows.push({ row, isFill: true });
  }

  get rows(): readonly ReplayEquity[] {
    return this.#rows.map(({ row }) => row);
  }

  /** Doubles the step. A row that goes leaves its drawdown to the next one. */
  #thin(): void {
    this.#stepMs *= 2;
    const kept: Kept[] = [];
    let drawdown = "0";
    this.#samples = 0;
    for (const { row, isFill } of this.#rows) {
      drawdown = deeper(drawdown, row.drawdown);
      if (!isFill && !this.isDue(row.timeMs)) continue;
      kept.push({ row: { ...row, drawdown }, isFill });
      drawdown = "0";
      if (!isFill) this.#samples += 1;
    }
    this.#rows = kept;
  }
}

function deeper(one: string, other: string): string {
  return new Decimal(one).gt(other) ? one : other;
}
