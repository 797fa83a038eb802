import { assert } from "../base/assert.ts";
import { subFixed, ZERO, type Fixed } from "../domain/fixed.ts";

/** Amounts from `least` to `most`, both included. */
export interface AmountRange {
  readonly least: Fixed;
  readonly most: Fixed;
}

/** The cuts that may begin and end a span of fills: one at n lies before the n-th fill. Ends before the start are none. */
export interface CutRange {
  readonly startMin: number;
  readonly startMax: number;
  readonly endMin: number;
  readonly endMax: number;
}

/**
 * The changes of the fills between two cuts, for each pair of cuts. `sumsTo[n]` is the sum of the first n fills; `placeOf` gives the n of a cut
 * where the sums are of some of the fills only.
 */
export function* changesAtCuts(
  sumsTo: readonly Fixed[],
  { startMin, startMax, endMin, endMax }: CutRange,
  placeOf: (cut: number) => number = (cut) => cut,
): Iterable<Fixed> {
  for (let start = startMin; start <= startMax; start += 1) {
    for (let end = Math.max(start, endMin); end <= endMax; end += 1) {
      yield changeBetween(sumsTo, placeOf(start), placeOf(end));
    }
  }
}

export function changeBetween(sumsTo: readonly Fixed[], start: number, end: number): Fixed {
  return subFixed(sumAt(sumsTo, end), sumAt(sumsTo, start));
}

/** Sums of changes sorted by time. Its cuts are sorted by their sums once for all questions about the same span. */
export class ChangeSums {
  /** `to[n]` is the sum of the first n changes. */
  readonly to: readonly Fixed[];
  /** The newest cuts that were sorted: those from `first` to `last`, both included. */
  #sorted: { readonly first: number; readonly last: number; readonly cuts: readonly number[] } = {
    first: 0,
    last: -1,
    cuts: [],
  };

  constructor(to: readonly Fixed[]) {
    this.to = to;
  }

  /** The cuts from `first` to `last` by their sums; those of the same sum in their order. */
  cutsBySum(first: number, last: number): readonly number[] {
    const known = this.#sorted;
    if (first === known.first && last === known.last) return known.cuts;
    if (first >= known.first && last <= known.last)
      return known.cuts.filter((cut) => cut >= first && cut <= last);
    const cuts = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    // Comparing doubles first is quicker. Sums that are the same double are compared exactly.
    const sizes = Float64Array.from(cuts, (cut) => Number(sumAt(this.to, cut)));
    cuts.sort((left, right) => {
      const difference = (sizes[left - first] ?? 0) - (sizes[right - first] ?? 0);
      return difference === 0 ? signOf(changeBetween(this.to, right, left)) : difference;
    });
    this.#sorted = { first, last, cuts };
    return cuts;
  }
}

/**
 * Whether `changesAtCuts` has a value in a range, without trying all pairs: starts and ends are visited by their sums,
 * which need n log n steps for n fills.
 */
export function hasChangeBetween(
  sums: ChangeSums,
  { startMin, startMax, endMin, endMax }: CutRange,
  { least, most }: AmountRange,
): boolean {
  const sumsTo = sums.to;
  const cuts = sums.cutsBySum(startMin, Math.max(startMax, endMax));
  const ends = cuts.filter((cut) => cut >= endMin && cut <= endMax);
  // Ends whose sum is near enough to the start's, later ones first: an earlier end of a smaller sum is never needed again.
  const near: number[] = [];
  let first = 0;
  let read = 0;
  for (const start of cuts) {
    if (start > startMax) continue;
    const from = sumAt(sumsTo, start);
    for (let end = ends[read]; end !== undefined; end = ends[read]) {
      if (subFixed(sumAt(sumsTo, end), from) > most) break;
      while (near.length > first && (near.at(-1) ?? 0) <= end) near.pop();
      near.push(end);
      read += 1;
    }
    while (first < near.length && changeBetween(sumsTo, start, near[first] ?? 0) < least) {
      first += 1;
    }
    const latest = near[first];
    if (latest !== undefined && latest >= start) return true;
  }
  return false;
}

function signOf(value: Fixed): number {
  return value < ZERO ? -1 : value > ZERO ? 1 : 0;
}

function sumAt(sumsTo: readonly Fixed[], at: number): Fixed {
  const sum = sumsTo[at];
  assert(sum !== undefined, "a cut lies between fills");
  return sum;
}
