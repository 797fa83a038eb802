import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { unixMs } from "../../src/domain/time.ts";
import { delayOf, type DelaySettings } from "../../src/simulated/delay.ts";
import { constantDelays, latencyModel, paperLatency } from "../../src/simulated/latency-model.ts";

const DRAWS = 40_000;

function drawn(settings: DelaySettings, seed = 1): readonly number[] {
  const delay = delayOf(settings, new Prng(seed));
  return Array.from({ length: DRAWS }, () => delay(0));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

describe("a random delay", () => {
  // The error of a mean of 40,000 draws is 1/200 of the deviation; these bounds are more than six times that.
  test.each([
    [{ type: "uniform", min: 5, max: 25 }, 15, 20 / Math.sqrt(12), 5],
    [{ type: "normal", mean: 50, deviation: 5 }, 50, 5, 0],
    [{ type: "lognormal", mean: 20, deviation: 10 }, 20, 10, 0],
    [{ type: "exponential", mean: 20, min: 5 }, 20, 15, 5],
  ] as const)(
    "%j has the mean and the deviation that it names",
    (settings, mean, deviation, min) => {
      const values = drawn(settings);
      expect(Math.abs(meanOf(values) - mean)).toBeLessThan(deviation / 30);
      expect(Math.abs(deviationOf(values) / deviation - 1)).toBeLessThan(0.05);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(min);
    },
  );

  test("is the same with the same seed, and another with another", () => {
    const settings = { type: "lognormal", mean: 20, deviation: 10 } as const;
    expect(drawn(settings, 3)).toEqual(drawn(settings, 3));
    expect(drawn(settings, 3)).not.toEqual(drawn(settings, 4));
  });

  test("of one kind of message does not depend on how many of another were sent", () => {
    const way = { type: "uniform", min: 0, max: 1000 } as const;
    const settings = { entry: way, response: way, feed: way, seed: 1 };
    const [one, two] = [latencyModel(settings), latencyModel(settings)];
    for (let at = 0; at < 5; at += 1) two.entryMs(unixMs(0));
    expect(one.feedMs(unixMs(0))).toBe(two.feedMs(unixMs(0)));
  });
});

test("a trace gives the delay measured at the same time after its start, and begins again at its end", () => {
  const samples = [
    { timeMs: 1_000, ms: 7 },
    { timeMs: 1_100, ms: 9 },
    { timeMs: 1_300, ms: 4.5 },
  ];
  const delay = delayOf({ type: "trace", samples }, new Prng(1));
  const at = [0, 99, 100, 299, 300, 301, 400, 602];
  expect(at.map((ms) => delay(50_000 + ms))).toEqual([7, 7, 9, 9, 4.5, 7, 7, 7]);
});

test("delays are rounded up to whole milliseconds; on paper the feed has already travelled", () => {
  const settings = constantDelays({ entry: 0.2, response: 6, feed: 4.5 });
  const now = unixMs(0);
  const replayed = latencyModel(settings);
  expect([replayed.entryMs(now), replayed.responseMs(now), replayed.feedMs(now)]).toEqual([
    1, 6, 5,
  ]);
  const paper = paperLatency(settings);
  expect([paper.entryMs(now), paper.responseMs(now), paper.feedMs(now)]).toEqual([5, 2, 0]);
});
