import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BenchRun, BenchSide } from "./bench-case.ts";
import type { Level } from "./goals.ts";
import { percentile } from "./percentile.ts";

export interface MeasureOptions {
  /** Rounds that count. */
  readonly rounds: number;
  /** How long a side works in a round, where it may choose how often it does its work. */
  readonly roundMs: number;
  /** Share of a round's operations that sampled sides do, so that a smoke test is quick. */
  readonly scale: number;
}

/** One side's microseconds per operation, one value a round, in the order of the rounds. */
export type SideTimes = { readonly name: string } & Readonly<Partial<Record<Level, number[]>>>;

/** Rounds before those that count: code is compiled, files and caches are warm. */
const WARM_ROUNDS = 2;

/**
 * Runs the sides in rounds, in rotating order, so that whatever slows the machine for a while slows all of them. Every turn
 * starts with a collected heap: nobody pays for another's garbage.
 */
export async function measure(run: BenchRun, options: MeasureOptions): Promise<SideTimes[]> {
  const turns = run.sides.map((side) => new Turns(side, options));
  for (let round = 0; round < options.rounds + WARM_ROUNDS; round += 1) {
    for (let at = 0; at < turns.length; at += 1) {
      const turn = turns[(round + at) % turns.length];
      collectGarbage();
      await turn?.take(round >= WARM_ROUNDS);
    }
  }
  return turns.map(({ times }) => times);
}

/** One side's turns, and what they took. */
class Turns {
  readonly times: SideTimes;
  readonly #side: BenchSide;
  readonly #options: MeasureOptions;
  #iterations = 1;

  constructor(side: BenchSide, options: MeasureOptions) {
    this.#side = side;
    this.#options = options;
    this.times =
      "sample" in side
        ? { name: side.name, mean: [], p50: [], p99: [] }
        : { name: side.name, mean: [] };
  }

  async take(counts: boolean): Promise<void> {
    const side = this.#side;
    if ("sample" in side) {
      const samples = new Float64Array(
        Math.max(10, Math.round(side.samplesPerRound * this.#options.scale)),
      );
      await side.sample(samples);
      if (!counts) return;
      this.times.mean?.push(samples.reduce((sum, sample) => sum + sample, 0) / samples.length);
      this.times.p50?.push(percentile(samples, 0.5));
      this.times.p99?.push(percentile(samples, 0.99));
      return;
    }
    const start = performance.now();
    await side.run(this.#iterations);
    const tookMs = performance.now() - start;
    if (counts) this.times.mean?.push((tookMs * 1000) / this.#iterations);
    else await this.#calibrate(tookMs);
  }

  /** Finds how many iterations fill a round; part of the warming up. */
  async #calibrate(firstTookMs: number): Promise<void> {
    const side = this.#side;
    if ("sample" in side) return;
    const { roundMs } = this.#options;
    let tookMs = firstTookMs;
    while (tookMs < roundMs / 2) {
      this.#iterations = Math.ceil(
        this.#iterations * Math.min(10, roundMs / Math.max(tookMs, 1e-3)),
      );
      const start = performance.now();
      await side.run(this.#iterations);
      tookMs = performance.now() - start;
    }
    this.#iterations = Math.max(1, Math.round((this.#iterations * roundMs) / tookMs));
  }
}

let collect: (() => void) | undefined;

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
