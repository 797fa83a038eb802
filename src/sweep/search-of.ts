import { Prng } from "../base/prng.ts";
import type { SweepConfig } from "../config/load-sweep-config.ts";
import { BayesianSearch } from "./bayesian-search.ts";
import { type ParameterSpace, type Point, pointKey } from "./parameter-space.ts";
import type { Search } from "./search.ts";

/** The search that a sweep asks for. `label` separates the random numbers of several searches of one sweep. */
export function searchOf(
  space: ParameterSpace,
  { search, runs = 1, seed, batch }: Pick<SweepConfig, "search" | "runs" | "seed" | "batch">,
  label: string,
): Search {
  const random = new Prng(seed).fork(label);
  if (search === "bayesian") return new BayesianSearch({ space, random, runs, batch });
  return once(search === "grid" ? [...space.all()] : drawDistinct(space, random, runs));
}

/** Different combinations at random; all of them when there are no more than `count`. */
function drawDistinct(space: ParameterSpace, random: Prng, count: number): readonly Point[] {
  if (space.size <= count) return [...space.all()];
  const drawn = new Map<string, Point>();
  while (drawn.size < count) {
    const point = space.draw(random);
    drawn.set(pointKey(point), point);
  }
  return [...drawn.values()];
}

function once(points: readonly Point[]): Search {
  return { next: (scored) => (scored.length === 0 ? points : []) };
}
