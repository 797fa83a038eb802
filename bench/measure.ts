import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BenchRun, BenchSide, LoopSide } from "./bench-case.ts";
import type { Level } from "./goals.ts";
import { percentile } from "./percentile.ts";

export interface MeasureOptions {
  /** Rounds that count. */
  readonly rounds: number;
  /** Length of a side's turn in a round, for sides that choose their number of iterations. */
  readonly roundMs: number;
  /** Share of a round's operations that sampled sides do, so that a smoke test is quick. */
  readonly scale: number;
}

/** One side's microseconds per operation, one value a round, in the order of the rounds. */
export type SideTimes = { readonly name: string } & Readonly<Partial<Record<Level, number[]>>>;

/** Rounds of a loop before those that count: code is compiled, files and caches are warm. */
const WARM_ROUNDS = 2;

/**
 * Runs the sides in rounds, in rotating order, so that whatever slows the machine for a while slows all of them. Every turn
 * starts with a collected young heap: no side pays for another's garbage.
 */
export async function measure(run: BenchRun, options: MeasureOptions): Promise<SideTimes[]> {
  const clock = run.clock === "processor" ? processorMs : wallMs;
  const turns = run.sides.map((side) => new Turns(side, options, clock));
  for (const turn of turns) await turn.warm();
  for (let round = 0; round < options.rounds; round += 1) {
    for (let at = 0; at < turns.length; at += 1) {
      const turn = turns[(round + at) % turns.length];
      collectGarbage();
      await turn?.take();
    }
  }
  return turns.map(({ times }) => times);
}

/** One side's turns and their times. */
class Turns {
  readonly times: SideTimes;
  readonly #side: BenchSide;
  readonly #options: MeasureOptions;
  readonly #clock: () => number;
  #iterations = 1;

  constructor(side: BenchSide, options: MeasureOptions, clock: () => number) {
    this.#side = side;
    this.#options = options;
    this.#clock = clock;
    this.times =
      "sample" in side
        ? { name: side.name, mean: [], p50: [], p99: [] }
        : { name: side.name, mean: [] };
  }

  async warm(): Promise<void> {
    const side = this.#side;
    if ("sample" in side) await side.sample(this.#room(side.samplesToWarm), true);
    else for (let round = 0; round < WARM_ROUNDS; round += 1) await this.#calibrate(side);
  }

  async take(): Promise<void> {
    const side = this.#side;
    const { mean, p50, p99 } = this.times;
    if ("sample" in side) {
      const samples = this.#room(side.samplesPerRound);
      await side.sample(samples, false);
      mean?.push(samples.reduce((sum, sample) => sum + sample, 0) / samples.length);
      p50?.push(percentile(samples, 0.5));
      p99?.push(percentile(samples, 0.99));
    } else {
      const tookMs = await this.#timeOf(side);
      mean?.push((tookMs * 1000) / this.#iterations);
    }
  }

  #room(samples: number): Float64Array {
    return new Float64Array(Math.max(10, Math.round(samples * this.#options.scale)));
  }

  /** Finds how many iterations fill a round. */
  async #calibrate(side: LoopSide): Promise<void> {
    const { roundMs } = this.#options;
    let tookMs = await this.#timeOf(side);
    while (tookMs < roundMs / 2) {
      const factor = Math.min(10, roundMs / Math.max(tookMs, 1e-3));
      this.#iterations = Math.ceil(this.#iterations * factor);
      tookMs = await this.#timeOf(side);
    }
    this.#iterations = Math.max(1, Math.round((this.#iterations * roundMs) / tookMs));
  }

  async #timeOf(side: LoopSide): Promise<number> {
    const clock =
      this.#clock === processorMs && side.processorMs !== undefined
        ? side.processorMs.bind(side)
        : this.#clock;
    const start = clock();
    await side.run(this.#iterations);
    return clock() - start;
  }
}

function wallMs(): number {
  return performance.now();
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let collect: ((options: { readonly type: "minor" }) => void) | undefined;

/** The young generation only: a full collection also throws compiled code away, which no bot does between two frames. */
function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as NonNullable<typeof collect>;
  }
  collect({ type: "minor" });
}
