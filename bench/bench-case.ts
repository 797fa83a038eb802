/** One comparison of the benchmark: our side and its peers do the same work in the same run, interleaved by the runner. */
export interface BenchCase {
  /** Row of the goals table, e.g. `G3`. */
  readonly goal: string;
  readonly title: string;
  readonly unit: "us" | "per-second";
  /** Makes everything that is not measured. `scale`: share of long comparisons that is done, less than 1 in a smoke test. */
  prepare(scale: number): Promise<BenchRun>;
}

export interface BenchRun {
  /** Ours first, then the peer that the goal names, then others. */
  readonly sides: readonly BenchSide[];
  /** The clock for loops: wall time (default), or the processor time of all threads of this process. */
  readonly clock?: "wall" | "processor";
  /** Describes a difference between the outputs of the sides; undefined when there is none. Called after the last round. */
  check(): string | undefined;
  /** Peers that are left out, and how to install them: one sentence each. */
  readonly missing?: readonly string[];
  /** Why the goals do not apply to this run, for example because of other data. */
  readonly notJudged?: string | undefined;
  /** Further remarks about this run, one line each, shown under the table. Called after the last round. */
  remarks?(): readonly string[];
  /** Measured after the last round, since measuring parts takes time itself. */
  parts?(): Promise<PartTimes>;
  /** Removes temporary files. */
  close?(): unknown;
}

/** The parts of one operation of ours: median microseconds by name. */
export type PartTimes = Readonly<Record<string, number>>;

export type BenchSide = LoopSide | SampledSide;

/** Measured as a whole: the time of a number of operations. */
export interface LoopSide {
  readonly name: string;
  /** Does the work `iterations` times; may return a promise, which is awaited inside the measured time. */
  run(iterations: number): unknown;
  /** Processor time that the side has used so far, in milliseconds; for a side in another process. */
  processorMs?(): number;
}

/** Measured operation by operation, for p50 and p99. All sides of a run are sampled, or none. */
export interface SampledSide {
  readonly name: string;
  /**
   * Does one operation after the other and writes the microseconds of each; every side is given the same number. Those before
   * the first round (`isWarmUp`) need no waiting in between.
   */
  sample(samplesUs: Float64Array, isWarmUp: boolean): unknown;
  /** Operations in a round. */
  readonly samplesPerRound: number;
  /** Operations before the first round that counts, all sides alike: a path with much code takes long to be compiled. */
  readonly samplesToWarm: number;
}
