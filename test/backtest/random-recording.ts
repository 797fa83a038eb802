import type { Prng } from "../../src/base/prng.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { book, depth, trade } from "./hand-made.ts";

/**
 * A random recording near 1000, in steps of 0.1, with trades at, inside and beyond the touch. With `jumps` the book leaves the price
 * collar now and then, and trades follow it.
 */
export function recordingOf(random: Prng, jumps = false): RecordedStep[] {
  const tick = (ticks: number): number => ticks / 10;
  const size = (): number => random.int(1, 400) / 100;
  const side = (best: number, step: number): number[] =>
    Array.from({ length: 8 }, (_, rank) => [tick(best + rank * step), size()]).flat();
  let mid = 10_000;
  const steps = [book(0, side(mid - 1, -1), side(mid + 1, 1))];
  let [bids, asks] = [mid - 1, mid + 1];
  for (let at = 20; at < 2_500; at += random.int(1, 30)) {
    if (random.chance(0.4)) {
      const isBuyerMaker = random.chance(0.5);
      const price = isBuyerMaker ? bids - random.int(-1, 2) : asks + random.int(-1, 2);
      steps.push(trade(at, tick(price), size(), isBuyerMaker));
      continue;
    }
    mid += random.int(-2, 2);
    if (jumps && random.chance(0.05)) mid += random.pick([-1_000, 1_000]);
    const gone = (best: number, step: number): number[] =>
      Array.from({ length: 14 }, (_, rank) => [tick(best - 4 * step + rank * step), 0]).flat();
    steps.push(
      depth(at, [...gone(bids, -1), ...side(mid - 1, -1)], [...gone(asks, 1), ...side(mid + 1, 1)]),
    );
    [bids, asks] = [mid - 1, mid + 1];
  }
  return steps;
}
