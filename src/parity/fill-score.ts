import { Prng } from "../base/prng.ts";
import { matchFills, type Matchable } from "./match.ts";

/** A fill of the live run or of a replay. */
export interface ScoredFill extends Matchable {
  /** What it counts: its value, scaled so that the mean live fill of its strategy counts 1. */
  readonly weight: number;
}

/** How well a replay's fills agree with those of the run, all shares from 0 to 1. */
export interface FillScore {
  /** 2 · matched ÷ (live + replayed), by value: the harmonic mean of precision and recall. */
  readonly score: number;
  /** Share of the replayed fills that the run had. */
  readonly precision: number;
  /** Share of the run's fills that the replay had. */
  readonly recall: number;
  /** Replayed ÷ live value less 1: above 0 the model fills more than the venue did. */
  readonly excess: number;
  /** The same sums in equal spans of time, for the comparison of models. */
  readonly spans: readonly FillSums[];
}

interface FillSums {
  live: number;
  replayed: number;
  matched: number;
}

/** Spans of at least this length: fills that follow each other closely depend on each other. */
const SPAN_MS = 10_000;
const MOST_SPANS = 200;

/** Compares fills within `windowMs` of each other. */
export function fillScore(
  live: readonly ScoredFill[],
  replayed: readonly ScoredFill[],
  times: { readonly fromMs: number; readonly toMs: number; readonly windowMs: number },
): FillScore {
  const { fromMs, toMs, windowMs } = times;
  const count = Math.max(1, Math.min(MOST_SPANS, Math.floor((toMs - fromMs) / SPAN_MS)));
  const spans: FillSums[] = Array.from({ length: count }, () => ({
    live: 0,
    replayed: 0,
    matched: 0,
  }));
  const add = (timeMs: number, what: keyof FillSums, weight: number): void => {
    const share = (timeMs - fromMs) / Math.max(1, toMs - fromMs);
    const span = spans[Math.min(count - 1, Math.max(0, Math.floor(share * count)))];
    if (span !== undefined) span[what] += weight;
  };
  for (const { timeMs, weight } of live) add(timeMs, "live", weight);
  for (const { timeMs, weight } of replayed) add(timeMs, "replayed", weight);
  for (const { live: fill, quantity } of matchFills(live, replayed, windowMs)) {
    add(fill.timeMs, "matched", fill.weight * (quantity / fill.quantity));
  }
  const sums = sumOf(spans);
  return {
    score: f1(sums),
    precision: sums.replayed === 0 ? 0 : sums.matched / sums.replayed,
    recall: sums.live === 0 ? 0 : sums.matched / sums.live,
    excess: sums.live === 0 ? 0 : sums.replayed / sums.live - 1,
    spans,
  };
}

function f1({ live, replayed, matched }: FillSums): number {
  return live + replayed === 0 ? 0 : (2 * matched) / (live + replayed);
}

function sumOf(spans: readonly (FillSums | undefined)[]): FillSums {
  const sums = { live: 0, replayed: 0, matched: 0 };
  for (const span of spans) {
    sums.live += span?.live ?? 0;
    sums.replayed += span?.replayed ?? 0;
    sums.matched += span?.matched ?? 0;
  }
  return sums;
}

const RESAMPLES = 2_000;
const SEED = 1;
/** With fewer spans even a model that is better in each of them could be so by chance: 1 in 2⁵ is the first below 0.05. */
const FEWEST_SPANS = 5;

/**
 * The share of bootstrap samples in which each score is at least the one at `best`: spans of time are drawn with replacement, the same ones for
 * every score. Below 0.05 the two can be told apart. 1 for all of a run that is too short to say anything.
 */
export function atLeastAsGood(scores: readonly FillScore[], best: number): readonly number[] {
  const prng = new Prng(SEED);
  const count = scores[0]?.spans.length ?? 0;
  if (count < FEWEST_SPANS) return scores.map(() => 1);
  const wins = scores.map(() => 0);
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    const drawn = Array.from({ length: count }, () => prng.int(0, count - 1));
    const values = scores.map(({ spans }) => f1(sumOf(drawn.map((at) => spans[at]))));
    for (const [at, value] of values.entries()) {
      if (value >= (values[best] ?? 0)) wins[at] = (wins[at] ?? 0) + 1;
    }
  }
  return wins.map((won) => won / RESAMPLES);
}
