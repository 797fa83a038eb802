import { rangeValue, type SweepParameter } from "../config/load-sweep-config.ts";
import type { Prng } from "../base/prng.ts";

/**
 * A combination of values as coordinates, one for each parameter: the index of a value, or for a continuous range a number from 0 to 1.
 */
export type Point = readonly number[];

/** The values of one parameter. */
export interface Dimension {
  /** Number of values; undefined for a continuous range. */
  readonly count: number | undefined;
  /** False for a list, whose entries have no order. */
  readonly isOrdered: boolean;
  readonly valueAt: (coordinate: number) => unknown;
}

/** All combinations of the parameters' values. */
export class ParameterSpace {
  readonly dimensions: readonly Dimension[];

  constructor(parameters: readonly Pick<SweepParameter, "values">[]) {
    this.dimensions = parameters.map(dimensionOf);
  }

  /** Number of combinations; infinite with a continuous range. */
  get size(): number {
    return this.dimensions.reduce((size, { count }) => size * (count ?? Infinity), 1);
  }

  /** The values of a combination, in the order of the parameters. */
  valuesAt(point: Point): readonly unknown[] {
    return this.dimensions.map(({ valueAt }, at) => valueAt(point[at] ?? 0));
  }

  /** Every combination, the last parameter varying fastest. Only for a space without continuous ranges. */
  *all(): Generator<Point> {
    const size = this.size;
    for (let index = 0; index < size; index += 1) {
      const point: number[] = [];
      let rest = index;
      for (const { count = 1 } of [...this.dimensions].reverse()) {
        point.unshift(rest % count);
        rest = Math.floor(rest / count);
      }
      yield point;
    }
  }

  /** A combination at random, each with the same probability. */
  draw(random: Prng): Point {
    return this.dimensions.map(({ count }) =>
      count === undefined ? random.unit() : random.int(0, count - 1),
    );
  }
}

/** Identifies a combination. */
export function pointKey(point: Point): string {
  return point.join(",");
}

function dimensionOf({ values }: Pick<SweepParameter, "values">): Dimension {
  if (values.kind === "list") {
    const list = values.values;
    return { count: list.length, isOrdered: false, valueAt: (index) => list[index] };
  }
  const { from, to, unit, steps, scale } = values;
  const between = (share: number): number =>
    scale === "log" ? from * (to / from) ** share : from + share * (to - from);
  if (steps === undefined) {
    // Six digits are precise enough for a parameter and can be read.
    const valueAt = (share: number) => rangeValue(Number(between(share).toPrecision(6)), unit);
    return { count: undefined, isOrdered: true, valueAt };
  }
  return {
    count: steps,
    isOrdered: true,
    valueAt: (index) => rangeValue(between(index / (steps - 1)), unit),
  };
}
