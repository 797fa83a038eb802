/** Steps finer than this are not looked for. */
const DECIMALS_MAX = 12;
/** Counts of steps above this are not used, so that differences stay exact. */
const COUNT_MAX = 2 ** 49;

const scales: readonly number[] = Array.from({ length: DECIMALS_MAX + 1 }, (_, decimals) =>
  Number(`1e${decimals}`),
);

/** A step as `units` × 10^-`decimals`. A count of steps is a value exactly: `count * units / 10^decimals` is the nearest double. */
export interface DecimalStep {
  readonly decimals: number;
  readonly units: number;
}

export function scaleOf({ decimals }: Pick<DecimalStep, "decimals">): number {
  return scales[decimals] ?? 1;
}

/** Fewest decimals, from `atLeast` on, that name this double exactly; undefined when it needs too many. */
export function decimalsNeeded(value: number, atLeast = 0): number | undefined {
  for (let decimals = atLeast; decimals <= DECIMALS_MAX; decimals += 1) {
    if (isOnScale(value, decimals)) return decimals;
  }
  return undefined;
}

/** Whether `value` is a whole number of 10^-`decimals`. */
export function isOnScale(value: number, decimals: number): boolean {
  const scale = scales[decimals] ?? 1;
  const count = Math.round(value * scale);
  return count / scale === value && count <= COUNT_MAX;
}

/** The greatest common step of values that are all whole numbers of 10^-`decimals`. */
export class CommonStep {
  readonly #decimals: number;
  #units = 0;

  constructor(decimals: number) {
    this.#decimals = decimals;
  }

  take(value: number): void {
    const count = Math.round(value * scaleOf({ decimals: this.#decimals }));
    if (this.#units === 0 || count % this.#units !== 0) this.#units = divisor(this.#units, count);
  }

  get step(): DecimalStep {
    return { decimals: this.#decimals, units: this.#units === 0 ? 1 : this.#units };
  }
}

/** Euclid's algorithm; the divisor of 0 and a value is the value. */
function divisor(left: number, right: number): number {
  let [large, small] = [left, right];
  while (small !== 0) [large, small] = [small, large % small];
  return large;
}
