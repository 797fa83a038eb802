import { Prng } from "../../src/base/prng.ts";

/** Quotes of one step of the paper's market; `left` is T − t. */
export type PaperQuotes = (
  mid: number,
  inventory: number,
  left: number,
) => {
  readonly bid: number;
  readonly ask: number;
};

export interface PaperResult {
  readonly spread: number;
  readonly profit: number;
  readonly profitDeviation: number;
  readonly inventoryDeviation: number;
}

/**
 * The market of section 3.3 of Avellaneda and Stoikov (2008): the mid starts at 100 and moves by ±σ√dt in each step, and a quote at distance δ
 * is filled in a step with probability A·e^(−kδ)·dt.
 */
export function paperMarket(quotes: PaperQuotes, paths: number, seed: number): PaperResult {
  const [dt, sigma, rate, decay, steps] = [0.005, 2, 140, 1.5, 200];
  const prng = new Prng(seed);
  const profits: number[] = [];
  const inventories: number[] = [];
  let spreads = 0;
  for (let path = 0; path < paths; path += 1) {
    let [mid, cash, held] = [100, 0, 0];
    for (let step = 0; step < steps; step += 1) {
      const { bid, ask } = quotes(mid, held, 1 - step * dt);
      spreads += ask - bid;
      if (prng.unit() < rate * dt * Math.exp(-decay * (mid - bid))) {
        held += 1;
        cash -= bid;
      }
      if (prng.unit() < rate * dt * Math.exp(-decay * (ask - mid))) {
        held -= 1;
        cash += ask;
      }
      mid += sigma * Math.sqrt(dt) * (prng.chance(0.5) ? 1 : -1);
    }
    profits.push(cash + held * mid);
    inventories.push(held);
  }
  const [profit, profitDeviation] = meanAndDeviation(profits);
  const [, inventoryDeviation] = meanAndDeviation(inventories);
  const spread = spreads / paths / steps;
  return { spread, profit, profitDeviation, inventoryDeviation };
}

function meanAndDeviation(values: readonly number[]): [number, number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return [mean, Math.sqrt(squares / (values.length - 1))];
}
