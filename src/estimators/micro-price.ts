import { type Estimator, MIN_SAMPLES, needs } from "./estimator.ts";
import type { TouchSample } from "./order-flow.ts";

/** The best levels, and the tick at their prices, in which spreads are counted. */
export interface MicroPriceSample extends TouchSample {
  readonly tick: number;
}

export interface MicroPriceState {
  /** How the states below were made: `buckets` of imbalance times `spreads`. */
  shape: readonly [buckets: number, spreads: number];
  last?: { readonly at: number; readonly mid: number; readonly tick: number };
  /** Moves of the mid so far, and at the newest fit. */
  moves: number;
  fitted: number;
  /** Transitions from a state (row) to another, whether the mid moved or not. */
  transitions: number[];
  /** Sum of the mid's moves on leaving each state, in ticks. */
  changes: number[];
  /** What the fit adds to the mid in each state, in ticks. */
  adjustments: number[];
}

/**
 * The micro-price (Stoikov, 2018, "The micro-price: a high frequency estimator of future prices"): the mid that is expected after many of its
 * moves, given the imbalance of the touch and the spread. `value` is the one of the newest sample.
 *
 * The book is a Markov chain of `buckets` of imbalance and spreads of 1 to `spreads` ticks or more. Each transition also counts mirrored, as the
 * paper does. It is fitted anew when a tenth more moves of the mid have been seen; the state has (buckets · spreads)² numbers.
 */
export function microPrice(
  options: {
    readonly buckets?: number | undefined;
    readonly spreads?: number | undefined;
    /** Moves of the mid before the first fit. */
    readonly minSamples?: number | undefined;
  } = {},
): Omit<Estimator<MicroPriceSample, MicroPriceState>, "standardError"> {
  const { buckets = 10, spreads = 2, minSamples = MIN_SAMPLES } = options;
  for (const [name, value, least] of [
    ["buckets", buckets, 2],
    ["spreads", spreads, 1],
  ] as const) {
    needs(
      Number.isInteger(value) && value >= least,
      `${name} is ${value}, it must be a whole number of ${least} or more.`,
    );
  }
  const count = buckets * spreads;
  const zeros = (length: number): number[] => Array.from({ length }, () => 0);
  const start = (): MicroPriceState => ({
    shape: [buckets, spreads],
    moves: 0,
    fitted: 0,
    transitions: zeros(count * count),
    changes: zeros(count),
    adjustments: zeros(count),
  });
  return {
    start,
    update(state, { bid, ask, tick }) {
      if (state.shape[0] !== buckets || state.shape[1] !== spreads) Object.assign(state, start());
      const before = state.last;
      if (bid === undefined || ask === undefined) {
        delete state.last;
        return;
      }
      const imbalance = bid.quantity / (bid.quantity + ask.quantity);
      const bucket = Math.min(buckets - 1, Math.floor(imbalance * buckets));
      const ticks = Math.round((ask.price - bid.price) / tick);
      const at = (Math.min(spreads, Math.max(1, ticks)) - 1) * buckets + bucket;
      const mid = (bid.price + ask.price) / 2;
      state.last = { at, mid, tick };
      // What stays in a state says nothing of where it goes.
      if (before === undefined || (before.at === at && before.mid === mid)) return;
      state.transitions[before.at * count + at] =
        (state.transitions[before.at * count + at] ?? 0) + 1;
      if (before.mid === mid) return;
      state.changes[before.at] = (state.changes[before.at] ?? 0) + (mid - before.mid) / tick;
      state.moves += 1;
      if (state.moves < minSamples || state.moves < state.fitted * 1.1) return;
      state.adjustments = adjustmentsOf(state, buckets);
      state.fitted = state.moves;
    },
    isReady: ({ fitted }) => fitted > 0,
    value({ last, fitted, adjustments }) {
      if (last === undefined || fitted === 0) return undefined;
      return last.mid + (adjustments[last.at] ?? 0) * last.tick;
    },
  };
}

/**
 * G* of the paper, from G* = K + P·G*, where K is the mean move of the mid on leaving a state and P the transitions. A mirrored state has the
 * opposite G*, which leaves half of the states unknown.
 */
function adjustmentsOf({ transitions, changes }: MicroPriceState, buckets: number): number[] {
  const count = changes.length;
  const mirror = (at: number): number => at + buckets - 1 - 2 * (at % buckets);
  const unknown = changes
    .keys()
    .filter((at) => at < mirror(at))
    .toArray();
  const seen = (from: number, to: number): number =>
    (transitions[from * count + to] ?? 0) + (transitions[mirror(from) * count + mirror(to)] ?? 0);
  const rows = unknown.map((from) => {
    let total = 0;
    for (let to = 0; to < count; to += 1) total += seen(from, to);
    const of = (number: number): number => (total === 0 ? 0 : number / total);
    const row = unknown.map(
      (to) => (from === to ? 1 : 0) - of(seen(from, to) - seen(from, mirror(to))),
    );
    return [...row, of((changes[from] ?? 0) - (changes[mirror(from)] ?? 0))];
  });
  const solved = solve(rows);
  const found = changes.map(() => 0);
  unknown.forEach((at, index) => {
    found[at] = solved[index] ?? 0;
    found[mirror(at)] = -(solved[index] ?? 0);
  });
  return found;
}

/** Gauss and Jordan with pivots, of rows with their right side last; an unknown that no row decides is 0. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  const left = [...rows];
  const found = Array.from({ length: size }, (): number[] | undefined => undefined);
  for (let column = 0; column < size; column += 1) {
    const at = (row: number[]): number => row[column] ?? 0;
    const pivot = left.reduce<number[] | undefined>(
      (best, row) => (best === undefined || Math.abs(at(row)) > Math.abs(at(best)) ? row : best),
      undefined,
    );
    if (pivot === undefined || Math.abs(at(pivot)) < 1e-9) continue;
    left.splice(left.indexOf(pivot), 1);
    const scale = at(pivot);
    for (const [index, value] of pivot.entries()) pivot[index] = value / scale;
    for (const row of rows) {
      if (row === pivot) continue;
      const times = at(row);
      for (const [index, value] of pivot.entries()) row[index] = (row[index] ?? 0) - times * value;
    }
    found[column] = pivot;
  }
  return found.map((row) => row?.[size] ?? 0);
}
