import { type SweepFigure, sweepFigures } from "../config/sweep-config.ts";
import { Decimal } from "../domain/decimal.ts";
import { numbers, parseExpression } from "../domain/expression.ts";
import { HOUR_MS } from "../domain/time.ts";
import { sharpeError } from "../metrics/sharpe-ratio.ts";
import type { SharpeWithError } from "./deflated-sharpe.ts";
import type { ReplayLine } from "./job.ts";

/** Figures of one combination over all its recordings. Null where a replay did not give the figure. */
export interface Measures {
  /** Virtual time of all replays. */
  readonly hours: number;
  readonly fills: number;
  /** Quote token, as decimal text; for several markets in the reporting currency. */
  readonly volume: string | null;
  readonly pnl: string | null;
  /** The deepest of all recordings. */
  readonly maxDrawdown: string | null;
  /** Per hour: the mean over the recordings, weighted by the number of their intervals. */
  readonly sharpe: SharpeWithError | null;
  /** Denied quotes and stops, by risk rule. */
  readonly denied: Readonly<Record<string, number>>;
  /** The strategies' own numbers: the mean over the recordings, or the text where all have the same; `STRATEGY.NAME` for several strategies. */
  readonly own: Readonly<Record<string, number | string>>;
}

/** Adds up the results of a combination; `results` has at least one. */
export function measuresOf(results: readonly ReplayLine[]): Measures {
  return {
    hours: round(results.reduce((sum, { durationMs }) => sum + durationMs, 0) / HOUR_MS),
    fills: results.reduce((sum, { fills }) => sum + fills, 0),
    volume: sumOf(results.map((line) => line.volumeQuote ?? line.totals?.volume)),
    pnl: sumOf(results.map((line) => line.pnl?.total ?? line.totals?.pnl.total)),
    maxDrawdown: deepest(results.map((line) => line.maxDrawdown ?? line.totals?.maxDrawdown)),
    sharpe: pooledSharpe(results),
    denied: deniedOf(results),
    own: ownOf(results),
  };
}

function deniedOf(results: readonly ReplayLine[]): Measures["denied"] {
  const counts: Record<string, number> = {};
  for (const { rule, count } of results.flatMap(({ denied }) => denied)) {
    counts[rule] = (counts[rule] ?? 0) + count;
  }
  return counts;
}

/** A name that a recording lacks, or that has a number in one and a text in another, is left out. */
function ownOf(results: readonly ReplayLine[]): Measures["own"] {
  const all = results.map(({ described, strategies }) => ({
    ...described,
    ...Object.fromEntries(
      strategies.flatMap((strategy) =>
        Object.entries(strategy.described).map(([name, value]) => [
          `${strategy.name}.${name}`,
          value,
        ]),
      ),
    ),
  }));
  return Object.fromEntries(
    Object.entries(all[0] ?? {}).flatMap(([name, first]) => {
      const values = all.map((own) => own[name]);
      if (values.every((value) => value === first)) return [[name, first]];
      const numbers = values.filter((value) => typeof value === "number");
      if (numbers.length < values.length) return [];
      return [[name, round(numbers.reduce((sum, value) => sum + value, 0) / values.length)]];
    }),
  );
}

/** The objective's value; undefined where it has none, such as a ratio to a drawdown of 0. */
export function objectiveOf(objective: string, measures: Measures): number | undefined {
  const parsed = parseExpression(objective, sweepFigures, numbers);
  if ("problem" in parsed) return undefined;
  const value = parsed.expression((name) => {
    if (!name.startsWith("own.")) return figureOf(name as SweepFigure, measures);
    const own = measures.own[name.slice("own.".length)];
    return typeof own === "number" ? own : null;
  });
  return value === null ? undefined : round(value);
}

function figureOf(name: SweepFigure, measures: Measures): number | null {
  const { pnl, sharpe, maxDrawdown, volume } = measures;
  switch (name) {
    case "sharpe":
      return sharpe?.ratio ?? null;
    case "pnlPerDrawdown":
      return ratio(pnl, maxDrawdown);
    case "pnlPerVolume":
      return ratio(pnl, volume, 10_000);
    case "denied":
      return Object.values(measures.denied).reduce((sum, count) => sum + count, 0);
    case "fills":
    case "hours":
      return measures[name];
    default:
      return measures[name] === null ? null : Number(measures[name]);
  }
}

function ratio(above: string | null, below: string | null, scale = 1): number | null {
  if (above === null || below === null || Number(below) === 0) return null;
  return (scale * Number(above)) / Number(below);
}

/** The objective on spans of different length: a PnL per hour, a ratio as it is. */
export function objectiveRate(objective: string, measures: Measures): number | undefined {
  const value = objectiveOf(objective, measures);
  if (value === undefined || objective !== "pnl") return value;
  return measures.hours > 0 ? round(value / measures.hours) : undefined;
}

/** Rounds to 12 digits. */
export function round(value: number): number {
  return Number(value.toPrecision(12));
}

function sumOf(amounts: readonly (string | undefined)[]): string | null {
  let sum = new Decimal(0);
  for (const amount of amounts) {
    if (amount === undefined) return null;
    sum = sum.plus(amount);
  }
  return sum.toFixed();
}

function deepest(amounts: readonly (string | undefined)[]): string | null {
  let max = new Decimal(0);
  for (const amount of amounts) {
    if (amount === undefined) return null;
    max = Decimal.max(max, amount);
  }
  return max.toFixed();
}

/** With weights w that add up to 1: Σ w · ratio, and √(Σ w² · error²) since the recordings are independent. */
function pooledSharpe(results: readonly ReplayLine[]): SharpeWithError | null {
  const estimates = results.map((line) => line.sharpe ?? line.totals?.sharpe);
  const known = estimates.filter((estimate) => estimate !== null && estimate !== undefined);
  if (known.length < estimates.length) return null;
  const intervals = known.reduce((sum, estimate) => sum + estimate.intervals, 0);
  let ratio = 0;
  let variance = 0;
  for (const estimate of known) {
    const weight = estimate.intervals / intervals;
    ratio += weight * estimate.perHour;
    variance += (weight * sharpeError(estimate)) ** 2;
  }
  return { ratio: round(ratio), error: round(Math.sqrt(variance)) };
}
