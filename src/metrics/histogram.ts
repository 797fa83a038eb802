import { assert } from "../base/assert.ts";

/** Slots per doubling. Neighbours differ by 2^(1/64), so a slot's middle is at most 0.55 % from any value in it. */
const PER_OCTAVE = 64;
const OCTAVES = 40;
/** Lowest value of the scale; smaller values count as this. */
const LOWEST = 0.01;

/**
 * Counts positive values on a logarithmic scale, in 20 KiB for any number of samples. A percentile is within 0.55 % of the
 * sample of its rank for values from 0.01 to 10^10 (in microseconds: 10 ns to three hours), and always between the smallest
 * and the largest sample.
 */
export class Histogram {
  readonly #counts = new Float64Array(PER_OCTAVE * OCTAVES);
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The largest sample; 0 without samples. */
  get max(): number {
    return this.#max;
  }

  add(value: number): void {
    assert(Number.isFinite(value) && value >= 0, "a finite value of 0 or more");
    const slot = Math.floor(Math.log2(Math.max(value, LOWEST) / LOWEST) * PER_OCTAVE);
    const at = Math.min(slot, this.#counts.length - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** The value that `share` (0 to 1) of the samples do not exceed (nearest rank); undefined without samples. */
  percentile(share: number): number | undefined {
    assert(share >= 0 && share <= 1, "a share");
    if (this.#count === 0) return undefined;
    let left = Math.max(1, Math.ceil(share * this.#count));
    for (const [slot, count] of this.#counts.entries()) {
      left -= count;
      if (left > 0) continue;
      const middle = LOWEST * 2 ** ((slot + 0.5) / PER_OCTAVE);
      return Math.min(Math.max(middle, this.#min), this.#max);
    }
    return this.#max;
  }
}
