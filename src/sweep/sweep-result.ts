import type { DeflatedSharpe } from "./deflated-sharpe.ts";
import type { Measures } from "./measures.ts";
import type { Trial } from "./trial.ts";

/** A row of the result table. */
export interface SweepRow extends Pick<Trial, "window" | "phase" | "values" | "reason"> {
  /** Counted from 1, in the order of the search. */
  readonly number: number;
  /** 1 is the best of its window; null for a test and for a run that does not count. */
  readonly rank: number | null;
  readonly objective: number | null;
  readonly measures: Measures | null;
  /** No run of its window has more of the objective with less drawdown. */
  readonly isPareto: boolean;
}

/** The best combination of one search, and what it is worth elsewhere. */
export interface SweepBest {
  readonly window: number | null;
  /** `number` of its row. */
  readonly number: number;
  readonly values: readonly unknown[];
  /** The objective on the span of the search; a PnL is per hour. */
  readonly inSample: number;
  /** The same on the span of the test; null without one, or when the test does not count. */
  readonly outOfSample: number | null;
  /** Null when the runs have no Sharpe ratio. */
  readonly deflatedSharpe: DeflatedSharpe | null;
}

/** `results.json`, and what tables and pages show. It has no figure that depends on the machine. */
export interface SweepResult {
  /** The figure or expression. */
  readonly objective: string;
  /** Names of the parameters, in the order of `values`. */
  readonly parameters: readonly string[];
  /** Which of them were searched on a logarithmic scale. */
  readonly logarithmic: readonly string[];
  /** See `importanceOf`, in the order of `parameters`. */
  readonly importance: readonly (number | null)[];
  readonly rows: readonly SweepRow[];
  /** One for each search that found one: with walk-forward one for each window. */
  readonly best: readonly SweepBest[];
  /** 1 − Σ out of sample ÷ Σ in sample over all windows: 0 keeps all, above 1 turns into a loss. Null without walk-forward. */
  readonly decay: number | null;
  readonly warnings: readonly string[];
  readonly replayWarnings: readonly string[];
}
