import { getOrMake } from "../base/get-or-make.ts";
import { addFixed, fixedText, fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Fill } from "../domain/order.ts";
import type { MarkoutListener } from "../metrics/markouts.ts";

/** The orders of one level (`WantedQuote.key`), of both sides. An order counts in the level that it had at the time. */
export interface LevelFigures {
  readonly key: string;
  /** Quotes that were placed, and their size in base token. */
  readonly orders: number;
  readonly placed: string;
  /** Fills of quotes and of their legs, and their quantity in base token. */
  readonly fills: number;
  readonly filled: string;
  /** Recorded quantity at their prices when they entered the book, the mean in base token; null when none did. */
  readonly queueAhead: number | null;
  /** Mean markouts from mid to mid by horizon (ms), in basis points; null without a fill that old. */
  readonly markouts: Readonly<Record<string, number | null>>;
}

interface Level {
  orders: number;
  placed: Fixed;
  fills: number;
  filled: Fixed;
  readonly queue: Mean;
  readonly markouts: ReadonlyMap<number, Mean>;
}

interface Mean {
  weight: number;
  sum: number;
}

/** Levels with figures of their own. The others of a strategy that names each quote anew count in the last one. */
const MAX_LEVELS = 200;
const OTHERS = "…";

/** Figures by level, in the order in which levels were first used. */
export class LevelStatistics {
  readonly #levels = new Map<string, Level>();
  readonly #horizonsMs: readonly number[];

  constructor(horizonsMs: readonly number[]) {
    this.#horizonsMs = horizonsMs;
  }

  placed(key: string, quantity: Fixed): void {
    const level = this.#level(key);
    level.orders += 1;
    level.placed = addFixed(level.placed, quantity);
  }

  entered(key: string, queueAhead: number): void {
    addTo(this.#level(key).queue, queueAhead, 1);
  }

  /** Adds a fill at a mid. Call what it returns at each horizon. */
  filled(key: string, { side, quantity }: Fill, mid: number | undefined): MarkoutListener {
    const level = this.#level(key);
    level.fills += 1;
    level.filled = addFixed(level.filled, quantity);
    const weight = fixedToNumber(quantity);
    return (horizonMs, laterMid) => {
      const mean = level.markouts.get(horizonMs);
      if (mid === undefined || mean === undefined) return;
      const move = ((laterMid - mid) / mid) * 10_000;
      addTo(mean, side === "BUY" ? move : -move, weight);
    };
  }

  get figures(): readonly LevelFigures[] {
    return [...this.#levels].map(([key, { orders, placed, fills, filled, queue, markouts }]) => ({
      key,
      orders,
      placed: fixedText(placed),
      fills,
      filled: fixedText(filled),
      queueAhead: meanOf(queue, 8),
      markouts: Object.fromEntries([...markouts].map(([ms, mean]) => [ms, meanOf(mean, 4)])),
    }));
  }

  #level(key: string): Level {
    const name = this.#levels.size < MAX_LEVELS || this.#levels.has(key) ? key : OTHERS;
    return getOrMake(this.#levels, name, () => ({
      orders: 0,
      placed: ZERO,
      fills: 0,
      filled: ZERO,
      queue: { weight: 0, sum: 0 },
      markouts: new Map(this.#horizonsMs.map((ms) => [ms, { weight: 0, sum: 0 }])),
    }));
  }
}

function addTo(mean: Mean, value: number, weight: number): void {
  mean.weight += weight;
  mean.sum += weight * value;
}

function meanOf({ weight, sum }: Mean, decimals: number): number | null {
  return weight === 0 ? null : Number((sum / weight).toFixed(decimals));
}
