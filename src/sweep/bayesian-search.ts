import type { Prng } from "../base/prng.ts";
import { normalCdf } from "./normal-distribution.ts";
import { type Dimension, type ParameterSpace, type Point, pointKey } from "./parameter-space.ts";
import type { ScoredPoint, Search } from "./search.ts";

export interface BayesianOptions {
  readonly space: ParameterSpace;
  readonly random: Prng;
  /** Number of combinations in all. */
  readonly runs: number;
  /** Number of combinations that are proposed at once. */
  readonly batch: number;
}

/** Combinations at random before the first model. */
const STARTUP = 10;
/** Share of the scored combinations that count as good: γ of the paper. */
const GOOD_SHARE = 0.15;
/** Candidates drawn for each proposal. */
const CANDIDATES = 24;
/** Draws before the search falls back to combinations at random. */
const MAX_DRAWS = 500;

/**
 * Tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl, "Algorithms for Hyper-Parameter Optimization", NIPS 2011,
 * section 4). Two densities are estimated for each parameter: l of the good combinations, g of the others. Of candidates drawn from l,
 * the one with the largest l(x) / g(x) is proposed, which maximises the expected improvement. Combinations of the same batch count
 * as bad until their scores are known, so that a batch spreads.
 */
export class BayesianSearch implements Search {
  readonly #options: BayesianOptions;
  readonly #proposed = new Set<string>();

  constructor(options: BayesianOptions) {
    this.#options = options;
  }

  next(scored: readonly ScoredPoint[]): readonly Point[] {
    const { space, runs, batch } = this.#options;
    const left = Math.min(runs, space.size) - this.#proposed.size;
    const size = Math.min(left, scored.length === 0 ? Math.max(STARTUP, batch) : batch);
    const points: Point[] = [];
    while (points.length < size) {
      const point = scored.length < STARTUP ? this.#drawNew() : this.#model(scored, points);
      points.push(point);
      this.#proposed.add(pointKey(point));
    }
    return points;
  }

  #model(scored: readonly ScoredPoint[], pending: readonly Point[]): Point {
    const { good, bad } = split(scored);
    const { dimensions } = this.#options.space;
    const estimators = dimensions.map((dimension, at) => {
      const observed = (points: readonly Point[]) => points.map((point) => point[at] ?? 0);
      return {
        good: estimatorOf(dimension, observed(good)),
        bad: estimatorOf(dimension, observed([...bad, ...pending])),
      };
    });
    let best: { readonly point: Point; readonly ratio: number } | undefined;
    for (let draws = 0, found = 0; found < CANDIDATES && draws < MAX_DRAWS; draws += 1) {
      const point = estimators.map((each) => each.good.draw(this.#options.random));
      if (this.#proposed.has(pointKey(point))) continue;
      found += 1;
      const ratio = estimators.reduce((sum, each, at) => {
        const coordinate = point[at] ?? 0;
        return sum + Math.log(each.good.density(coordinate) / each.bad.density(coordinate));
      }, 0);
      if (best === undefined || ratio > best.ratio) best = { point, ratio };
    }
    return best?.point ?? this.#drawNew();
  }

  /** There is a new combination: no more are proposed than the space has. */
  #drawNew(): Point {
    const { space, random } = this.#options;
    for (;;) {
      const point = space.draw(random);
      if (!this.#proposed.has(pointKey(point))) return point;
    }
  }
}

/** The best share of the combinations, and the others. Combinations without a score are the worst. */
function split(scored: readonly ScoredPoint[]): {
  readonly good: readonly Point[];
  readonly bad: readonly Point[];
} {
  const valueOf = ({ score }: ScoredPoint): number => score ?? Number.NEGATIVE_INFINITY;
  const ranked = [...scored].sort((left, right) => {
    const [one, other] = [valueOf(left), valueOf(right)];
    return one === other ? 0 : other - one;
  });
  const count = Math.ceil(GOOD_SHARE * ranked.length);
  const points = ranked.map(({ point }) => point);
  return { good: points.slice(0, count), bad: points.slice(count) };
}

/** A density over the coordinates of one parameter. */
interface Estimator {
  density(coordinate: number): number;
  draw(random: Prng): number;
}

function estimatorOf(dimension: Dimension, observed: readonly number[]): Estimator {
  const { count, isOrdered } = dimension;
  if (count === undefined) return parzen(observed);
  if (!isOrdered || count === 1) return categorical(count, observed);
  const smooth = parzen(observed.map((index) => index / (count - 1)));
  return {
    density: (index) => smooth.density(index / (count - 1)),
    draw: (random) => Math.round(smooth.draw(random) * (count - 1)),
  };
}

/** The frequency of each value, after each was observed once. */
function categorical(count: number, observed: readonly number[]): Estimator {
  const weights = Array.from({ length: count }, () => 1);
  for (const index of observed) weights[index] = (weights[index] ?? 0) + 1;
  const total = count + observed.length;
  return {
    density: (index) => (weights[index] ?? 0) / total,
    draw(random) {
      let rest = random.unit() * total;
      const found = weights.findIndex((weight) => {
        rest -= weight;
        return rest < 0;
      });
      return found < 0 ? count - 1 : found;
    },
  };
}

/**
 * Adaptive Parzen estimator on [0, 1]: the average of the uniform density and of one normal density around each observation, cut
 * off at the ends. Its width is the larger distance to a neighbour, with the ends as neighbours (section 4.2 of the paper), at least
 * 1 / (n + 1).
 */
function parzen(observed: readonly number[]): Estimator {
  const centres = [...observed].sort((left, right) => left - right);
  const least = 1 / Math.min(100, centres.length + 1);
  const widths = centres.map((centre, at) => {
    const below = centre - (centres[at - 1] ?? 0);
    const above = (centres[at + 1] ?? 1) - centre;
    return Math.max(below, above, least);
  });
  // The share of each normal density that lies within [0, 1].
  const shares = centres.map((centre, at) => {
    const width = widths[at] ?? 1;
    return normalCdf((1 - centre) / width) - normalCdf(-centre / width);
  });
  return {
    density(coordinate) {
      const sum = centres.reduce((density, centre, at) => {
        const width = widths[at] ?? 1;
        const distance = (coordinate - centre) / width;
        const height = (shares[at] ?? 1) * width * Math.sqrt(2 * Math.PI);
        return density + Math.exp(-(distance * distance) / 2) / height;
      }, 1);
      return sum / (centres.length + 1);
    },
    draw(random) {
      const at = random.int(0, centres.length);
      const centre = centres[at];
      const width = widths[at];
      if (centre === undefined || width === undefined) return random.unit();
      for (;;) {
        const drawn = centre + width * random.normal();
        if (drawn >= 0 && drawn <= 1) return drawn;
      }
    },
  };
}
