import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";

describe("Prng", () => {
  it("repeats the sequence of a seed and differs between seeds", () => {
    const draw = (seed: number) => {
      const prng = new Prng(seed);
      return Array.from({ length: 50 }, () => prng.uint32());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("is uniform over its range", () => {
    const prng = new Prng(1);
    const counts = new Array<number>(16).fill(0);
    for (let at = 0; at < 160_000; at += 1) {
      const slot = prng.int(0, 15);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
    // Chi-squared with 15 degrees of freedom: 37.7 is exceeded once in a thousand.
    const chi = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    expect(chi).toBeLessThan(37.7);
  });

  it("forks into independent generators", () => {
    const left = new Prng(3).fork("left");
    const right = new Prng(3).fork("right");
    expect(left.uint32()).not.toBe(right.uint32());
  });
});
