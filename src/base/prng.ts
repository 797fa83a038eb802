import { assert } from "./assert.ts";

/**
 * Seeded random number generator with the same sequence on every machine. sfc32 (C. Doty-Humphrey, PractRand), seeded by
 * splitmix32 (G. Steele et al., "Fast splittable pseudorandom number generators", 2014).
 */
export class Prng {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    let state = seed >>> 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    for (let round = 0; round < 12; round += 1) this.uint32();
  }

  /** A whole number in [0, 2^32). */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }

  /** A number in [0, 1) with 32 random bits. */
  unit(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** A whole number in [low, high], both inclusive. */
  int(low: number, high: number): number {
    assert(Number.isInteger(low) && Number.isInteger(high) && low <= high, "low <= high, whole");
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One of the items, each equally likely. Throws AssertionError on an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(0, items.length - 1)];
    assert(item !== undefined, "pick needs a non-empty list");
    return item;
  }

  /** Exponentially distributed with the given mean, such as the waiting times of a Poisson process. */
  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean;
  }

  /** Standard normal (Box and Muller, 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** A new generator derived from this one's state and from `label`; use one for each actor. */
  fork(label: string): Prng {
    let hash = this.uint32();
    for (let at = 0; at < label.length; at += 1) {
      hash = Math.imul(hash ^ label.charCodeAt(at), 0x01000193) >>> 0;
    }
    return new Prng(hash);
  }
}

/** Combines four random bytes into a seed. */
export function seedFrom(bytes: Uint8Array): number {
  return bytes.reduce((seed, byte) => seed * 256 + byte, 0);
}
