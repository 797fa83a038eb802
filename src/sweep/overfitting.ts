import type { SweepConfig } from "../config/load-sweep-config.ts";
import type { SweepBest, SweepResult, SweepRow } from "./sweep-result.ts";

/** Below this probability a Sharpe ratio may well be the luck of the best of many. */
const LEAST_PROBABILITY = 0.95;
/** Loss of the objective out of sample that is warned about. */
const MOST_DECAY = 0.5;

interface Judged extends Pick<SweepResult, "rows" | "best" | "decay"> {
  readonly config: Pick<SweepConfig, "objective" | "walkForward">;
}

/** Sentences about why the best combination may be worth less than it looks. */
export function overfittingWarnings({ config, rows, best, decay }: Judged): readonly string[] {
  const warnings: string[] = [...failures(rows)];
  for (const each of best) warnings.push(...deflation(each));
  if (best.length > 0 && best.every(({ deflatedSharpe }) => deflatedSharpe === null)) {
    warnings.push(
      "No deflated Sharpe ratio: the replays have no Sharpe ratio, or one without an error.",
    );
  }
  if (config.walkForward === undefined) {
    if (best.length > 0) {
      warnings.push(
        "The best run was measured on the data that it was chosen on; walkForward shows what is left on other data.",
      );
    }
    return warnings;
  }
  const lost = best.filter(({ outOfSample }) => outOfSample === null || outOfSample <= 0).length;
  if (lost > 0) {
    warnings.push(
      `Out of sample, ${lost} of ${best.length} windows have no ${config.objective} above 0.`,
    );
  }
  if (decay !== null && decay > MOST_DECAY) {
    const percent = Math.round(decay * 100);
    warnings.push(
      `Out of sample, ${percent} % of the ${config.objective} is lost: the parameters may be fitted to chance.`,
    );
  }
  return warnings;
}

function failures(rows: readonly SweepRow[]): readonly string[] {
  const failed = rows.filter(({ reason }) => reason !== null);
  const [first] = failed;
  if (first === undefined) return [];
  return [
    `${failed.length} of ${rows.length} runs do not count, run ${first.number} for instance: ${first.reason?.replace(/\.$/, "")}.`,
  ];
}

function deflation({ window, deflatedSharpe }: SweepBest): readonly string[] {
  if (deflatedSharpe === null || deflatedSharpe.probability >= LEAST_PROBABILITY) return [];
  const { probability, expectedMaximum, trials } = deflatedSharpe;
  const best = window === null ? "the best run" : `the best run of window ${window}`;
  return [
    `The deflated Sharpe ratio of ${best} is ${probability.toFixed(2)}, below ${LEAST_PROBABILITY}: the best of ${trials} runs without skill would have ${expectedMaximum.toFixed(2)} per hour.`,
  ];
}
