/** One comparison of the benchmark: our side and its peers do the same work in the same run, interleaved by the runner. */
export interface BenchCase {
  /** Row of the goals table, e.g. `G3`. */
  readonly goal: string;
  readonly title: string;
  readonly unit: "us" | "per-second";
  /** Makes everything that is not measured. */
  prepare(): Promise<BenchRun>;
}

export interface BenchRun {
  /** Ours first, then the peer that the goal names, then others. */
  readonly sides: readonly BenchSide[];
  /** Undefined when all sides gave the same outputs, else why not. Called after the last round. */
  check(): string | undefined;
}

export interface BenchSide {
  readonly name: string;
  /** Does the work `iterations` times; may return a promise, which is awaited inside the measured time. */
  run(iterations: number): unknown;
}
