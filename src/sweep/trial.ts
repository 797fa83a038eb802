import type { SweepConfig } from "../config/load-sweep-config.ts";
import type { JobReport, SweepJob } from "./job.ts";
import { type Measures, measuresOf, objectiveOf } from "./measures.ts";
import type { Point } from "./parameter-space.ts";

/** One combination on one span: a row of the result table. */
export interface Trial {
  /** Walk-forward window, counted from 1; null without walk-forward. */
  readonly window: number | null;
  /** `test` is the best combination of its window on the span after it; `search` is every other. */
  readonly phase: "search" | "test";
  readonly point: Point;
  /** In the order of the parameters. */
  readonly values: readonly unknown[];
  /** Its replays, one for each recording. */
  readonly jobs: readonly SweepJob[];
  /** Null when a replay could not run. */
  readonly measures: Measures | null;
  /** Null when the trial does not count. */
  readonly objective: number | null;
  /** Why it does not count; null when it does. */
  readonly reason: string | null;
}

/** Makes a row of the reports of a combination's replays, one for each recording. */
export function trialOf(
  place: Pick<Trial, "window" | "phase" | "point" | "values" | "jobs">,
  reports: readonly JobReport[],
  { objective, minFills }: Pick<SweepConfig, "objective" | "minFills">,
): Trial {
  const failed = (measures: Measures | null, reason: string): Trial => ({
    ...place,
    measures,
    objective: null,
    reason,
  });
  const results = reports.map(({ result }) => result).filter((result) => result !== null);
  const reason = reports.find((report) => report.reason !== null)?.reason ?? null;
  const isWhole = results.length === reports.length;
  const measures = isWhole ? measuresOf(results) : null;
  if (measures === null || reason !== null) return failed(measures, reason ?? "no result");
  const value = objectiveOf(objective, measures);
  if (value === undefined) return failed(measures, `the replay has no ${objective}`);
  if (place.phase === "search" && measures.fills < minFills) {
    return failed(measures, `fewer than ${minFills} fills`);
  }
  return { ...place, measures, objective: value, reason: null };
}

/** A trial that counts. */
export type ScoredTrial = Trial & { readonly objective: number; readonly measures: Measures };

export function isScored(trial: Trial): trial is ScoredTrial {
  return trial.objective !== null && trial.measures !== null;
}

/** Trials that count, the best first; of equal ones the earlier. */
export function ranked(trials: readonly Trial[]): readonly ScoredTrial[] {
  return trials.filter(isScored).sort((left, right) => right.objective - left.objective);
}
