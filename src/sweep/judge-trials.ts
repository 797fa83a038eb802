import type { SweepConfig } from "../config/load-sweep-config.ts";
import { type DeflatedSharpe, deflatedSharpe } from "./deflated-sharpe.ts";
import { importanceOf } from "./importance.ts";
import { objectiveRate, round } from "./measures.ts";
import { overfittingWarnings } from "./overfitting.ts";
import { paretoFront } from "./pareto.ts";
import type { SweepOutcome } from "./run-sweep.ts";
import type { SweepBest, SweepResult, SweepRow } from "./sweep-result.ts";
import { isScored, ranked, type ScoredTrial, type Trial } from "./trial.ts";

/** Ranks and judges the trials of a sweep. */
export function judgeTrials(config: SweepConfig, outcome: SweepOutcome): SweepResult {
  const { objective } = config;
  const numbers = new Map(outcome.trials.map((trial, at) => [trial, at + 1]));
  const places = new Map<Trial, Pick<SweepRow, "rank" | "isPareto">>();
  const windows = [...new Set(outcome.trials.map(({ window }) => window))];
  const best = windows.flatMap((window): readonly SweepBest[] => {
    const ofWindow = outcome.trials.filter((trial) => trial.window === window);
    const searched = ranked(ofWindow.filter(({ phase }) => phase === "search"));
    const front = new Set(paretoOf(searched));
    for (const [at, trial] of searched.entries()) {
      places.set(trial, { rank: at + 1, isPareto: front.has(trial) });
    }
    const [first] = searched;
    if (first === undefined) return [];
    const test = ofWindow.find(({ phase }) => phase === "test");
    const tested = test !== undefined && isScored(test) ? test.measures : undefined;
    return [
      {
        window,
        number: numbers.get(first) ?? 0,
        values: first.values,
        inSample: objectiveRate(objective, first.measures) ?? first.objective,
        outOfSample: tested === undefined ? null : (objectiveRate(objective, tested) ?? null),
        deflatedSharpe: deflatedOf(first, searched),
      },
    ];
  });
  const rows = outcome.trials.map((trial, at): SweepRow => {
    const { window, phase, values, objective: value, measures, reason } = trial;
    const { rank = null, isPareto = false } = places.get(trial) ?? {};
    return {
      number: at + 1,
      window,
      phase,
      rank,
      values,
      objective: value,
      measures,
      isPareto,
      reason,
    };
  });
  const decay = decayOf(best);
  return {
    objective,
    parameters: config.parameters.map(({ name }) => name),
    logarithmic: config.parameters.flatMap(({ name, values }) =>
      values.kind === "range" && values.scale === "log" ? [name] : [],
    ),
    importance: importanceOf(
      ranked(outcome.trials.filter(({ phase }) => phase === "search")),
      config.parameters.length,
    ),
    rows,
    best,
    decay,
    warnings: overfittingWarnings({ config, rows, best, decay }),
    replayWarnings: outcome.replayWarnings,
  };
}

function paretoOf(trials: readonly ScoredTrial[]): readonly ScoredTrial[] {
  const points = trials.flatMap((trial) => {
    const { maxDrawdown } = trial.measures;
    if (maxDrawdown === null) return [];
    return [{ trial, objective: trial.objective, drawdown: Number(maxDrawdown) }];
  });
  return paretoFront(points).map(({ trial }) => trial);
}

function deflatedOf(best: ScoredTrial, all: readonly ScoredTrial[]): DeflatedSharpe | null {
  const ratios = all.flatMap(({ measures }) => measures.sharpe?.ratio ?? []);
  const { sharpe } = best.measures;
  const deflated = sharpe === null ? undefined : deflatedSharpe(sharpe, ratios);
  if (deflated === undefined) return null;
  const { probability, expectedMaximum, trials } = deflated;
  return {
    probability: Number(probability.toFixed(6)),
    expectedMaximum: Number(expectedMaximum.toFixed(6)),
    trials,
  };
}

function decayOf(best: readonly SweepBest[]): number | null {
  const tested = best.filter(({ outOfSample }) => outOfSample !== null);
  const inSample = tested.reduce((sum, each) => sum + each.inSample, 0);
  const outOfSample = tested.reduce((sum, each) => sum + (each.outOfSample ?? 0), 0);
  return tested.length === 0 || inSample <= 0 ? null : round(1 - outOfSample / inSample);
}
