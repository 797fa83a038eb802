import { unixMs } from "../domain/time.ts";
import type { StrategyFill } from "../journal/entry.ts";

/** The fills of a run on our clock, each given out once. */
export class LiveFills {
  readonly #sorted: readonly StrategyFill[];
  readonly #byTrade = new Map<string, readonly StrategyFill[]>();
  readonly #given = new Set<StrategyFill>();
  #next = 0;

  /** `offsetMs`: the venue's clock minus ours. */
  constructor(fills: readonly StrategyFill[], offsetMs: number) {
    this.#sorted = fills
      .map(({ strategy, fill }) => ({
        strategy,
        fill: { ...fill, timeMs: unixMs(fill.timeMs - offsetMs) },
      }))
      .toSorted((left, right) => left.fill.timeMs - right.fill.timeMs);
    for (const own of this.#sorted) {
      const key = tradeKey(own.fill.marketId, own.fill.tradeId);
      this.#byTrade.set(key, [...(this.#byTrade.get(key) ?? []), own]);
    }
  }

  /** Those before a time, oldest first. */
  before(atMs: number): readonly StrategyFill[] {
    const due: StrategyFill[] = [];
    for (;;) {
      const next = this.#sorted[this.#next];
      if (next === undefined || next.fill.timeMs >= atMs) return this.#give(due);
      due.push(next);
      this.#next += 1;
    }
  }

  /** Those of a public trade. */
  of(marketId: string, tradeId: string): readonly StrategyFill[] {
    return this.#give(this.#byTrade.get(tradeKey(marketId, tradeId)) ?? []);
  }

  #give(fills: readonly StrategyFill[]): readonly StrategyFill[] {
    const fresh = fills.filter((fill) => !this.#given.has(fill));
    for (const fill of fresh) this.#given.add(fill);
    return fresh;
  }
}

function tradeKey(marketId: string, tradeId: string): string {
  return `${marketId} ${tradeId}`;
}
