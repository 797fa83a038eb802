import type { Side } from "../domain/side.ts";
import {
  type Estimator,
  type EstimatorOptions,
  MAX_GAP_MS,
  MIN_SAMPLES,
  needs,
  needsHalfLife,
  type TradeSample,
} from "./estimator.ts";
import { fadedDuration, fading } from "./weighted-mean.ts";

/**
 * Market orders reach a distance δ from the mid at the rate A·e^(−kδ) a second, on one side (Avellaneda and Stoikov, 2008, eq. 12): the rate at
 * which a quote there is filled.
 */
export interface Intensity {
  /** A: market orders a second on a side. */
  readonly rate: number;
  /** k, by share of the mid: 1/k is the distance at which they are e times rarer. */
  readonly decay: number;
}

export interface IntensityState {
  timeMs: number;
  /** Mid of the update before, which is the one before the next trades. */
  mid: number;
  /** Where the sums below were counted. */
  range: readonly [number, number];
  /** Watched time, faded; of both sides together when both are counted. */
  seconds: number;
  count: number;
  countSquares: number;
  /** Of the distances. */
  sum: number;
}

export interface IntensitySample {
  readonly timeMs: number;
  /** After the trades; undefined while a side of the book is empty. */
  readonly mid: number | undefined;
  /** Since the update before, oldest first. */
  readonly trades: readonly TradeSample[];
}

export interface IntensityOptions extends EstimatorOptions<Intensity> {
  /** Distances from the mid that are counted, as shares of it: from the first to the second. */
  readonly range: readonly [number, number];
  /** The side of the quotes that the market orders fill; left out, the mean of both sides. */
  readonly side?: Side | undefined;
  /** A longer time between two updates was not watched: an outage, a restart. Default 10 s. */
  readonly maxGapMs?: number | undefined;
}

/**
 * A and k by maximum likelihood of a Poisson process whose distances are exponential, cut to the range. Trades of one side and time are
 * one market order, which reaches as far as the farthest. When the distances do not fall off within the range, there is no k, and the
 * value is the prior.
 */
export function tradeIntensity(
  options: IntensityOptions,
): Estimator<IntensitySample, IntensityState, Intensity> {
  const {
    range,
    side,
    halfLifeMs,
    minSamples = MIN_SAMPLES,
    maxGapMs = MAX_GAP_MS,
    prior,
  } = options;
  const [from, to] = range;
  needsHalfLife(options);
  needs(
    from >= 0 && to > from && Number.isFinite(to),
    `range is ${from} to ${to}, it must be a distance and a larger one.`,
  );
  const start = (): IntensityState => ({
    timeMs: 0,
    mid: 0,
    range,
    seconds: 0,
    count: 0,
    countSquares: 0,
    sum: 0,
  });
  return {
    start,
    update(state, { timeMs, mid, trades }) {
      if (state.range[0] !== from || state.range[1] !== to) Object.assign(state, start());
      const passedMs = timeMs - state.timeMs;
      const isWatched = state.mid > 0 && passedMs <= maxGapMs;
      const left = fading(passedMs, halfLifeMs);
      const sides = side === undefined ? 2 : 1;
      const watchedMs = isWatched ? sides * fadedDuration(passedMs, halfLifeMs) : 0;
      state.seconds = state.seconds * left + watchedMs / 1_000;
      state.count *= left;
      state.countSquares *= left * left;
      state.sum *= left;
      for (const distance of isWatched ? reaches(trades, state.mid, side) : []) {
        if (distance < from || distance >= to) continue;
        state.count += 1;
        state.countSquares += 1;
        state.sum += distance;
      }
      state.timeMs = Math.max(state.timeMs, timeMs);
      state.mid = mid ?? 0;
    },
    isReady: ({ count }) => count >= minSamples,
    value({ seconds, count, sum }) {
      const missing = Math.max(0, minSamples - count);
      if (missing === 0) return intensityOf({ seconds, count, sum }, range) ?? prior;
      if (prior === undefined) return undefined;
      const mean = meanDistance(prior.decay, range);
      const expected = {
        seconds: missing / (prior.rate * shareWithin(prior.decay, range)),
        count: missing,
        sum: missing * mean,
      };
      const both = {
        seconds: seconds + expected.seconds,
        count: count + missing,
        sum: sum + expected.sum,
      };
      return intensityOf(both, range) ?? prior;
    },
    standardError(state) {
      const found = intensityOf(state, range);
      const count = state.count ** 2 / state.countSquares;
      if (found === undefined || count < 3) return undefined;
      const { rate, decay } = found;
      const width = (to - from) * decay;
      // Fisher information of one distance about k.
      const information = (1 - (width / (2 * Math.sinh(width / 2))) ** 2) / decay ** 2;
      const ofDecay = 1 / Math.sqrt(count * information);
      const slope =
        (from * Math.exp(-decay * from) - to * Math.exp(-decay * to)) / shareWithin(decay, range);
      return { rate: rate * Math.hypot(1 / Math.sqrt(count), slope * ofDecay), decay: ofDecay };
    },
  };
}

/** How far each market order of the trades reached, as a share of the mid. */
function reaches(
  trades: readonly TradeSample[],
  mid: number,
  side: Side | undefined,
): readonly number[] {
  const found: number[] = [];
  let last: TradeSample | undefined;
  for (const trade of trades) {
    const { price, timeMs, isBuyerMaker } = trade;
    if (side !== undefined && isBuyerMaker !== (side === "BUY")) continue;
    const distance = ((isBuyerMaker ? -1 : 1) * (price - mid)) / mid;
    const isSameOrder = last?.timeMs === timeMs && last.isBuyerMaker === isBuyerMaker;
    if (isSameOrder) found.push(Math.max(distance, found.pop() ?? distance));
    else found.push(distance);
    last = trade;
  }
  return found;
}

type Range = readonly [number, number];

/** The share of exponential distances that lies in the range. */
function shareWithin(decay: number, [from, to]: Range): number {
  return Math.exp(-decay * from) * -Math.expm1(-decay * (to - from));
}

function meanDistance(decay: number, [from, to]: Range): number {
  return from + (to - from) * meanOfUnit(decay * (to - from));
}

/** Mean of an exponential distance with rate `x` that is cut to 0 to 1: from 1/2 at 0 down to 0. */
function meanOfUnit(x: number): number {
  return x < 1e-4 ? 0.5 - x / 12 : 1 / x - 1 / Math.expm1(x);
}

/** Undefined when the mean distance is not in the nearer half of the range, so that the likelihood has no maximum at a k above 0. */
function intensityOf(
  { seconds, count, sum }: Pick<IntensityState, "seconds" | "count" | "sum">,
  range: Range,
): Intensity | undefined {
  const [from, to] = range;
  const mean = (sum / count - from) / (to - from);
  if (!(mean > 1e-9 && mean < 0.5)) return undefined;
  let [low, high] = [0, 1 / mean];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (meanOfUnit(middle) > mean) low = middle;
    else high = middle;
  }
  const decay = (low + high) / 2 / (to - from);
  return { rate: count / (seconds * shareWithin(decay, range)), decay };
}
