import { expect, test } from "vitest";
import { TouchlineError } from "../../src/base/error.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";
import { book, depth, play, setupOf, ways } from "./hand-made.ts";

const steps = () => [book(0, [99, 5], [102, 5]), depth(50, [98, 1], []), depth(200, [98, 2], [])];

/** A strategy that wants another stop order at each call. */
function restless(calls = Number.POSITIVE_INFINITY): () => Decision {
  let count = 0;
  return () => {
    count = Math.min(count + 1, calls);
    const stopPrice = 90 + (count % 2);
    return setQuotes({
      bids: [],
      asks: [],
      stops: [{ name: "out", side: "SELL", size: "1", stopPrice, price: stopPrice - 1 }],
    });
  };
}

/** With a rate budget that never ends. */
const unlimited = (setup: ReplaySetup): ReplaySetup => {
  const rate = { ...setup.kernel.rate, perSecond: 1e9, burst: 1e9 };
  return { ...setup, kernel: { ...setup.kernel, rate } };
};

test("a bot that acts again at once, without latency, ends the replay with its strategy's name", () => {
  let thrown: unknown;
  try {
    play(unlimited(setupOf(restless(), ways(0, 0))), steps());
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof TouchlineError)) throw new Error("no TouchlineError");
  expect(thrown.code).toBe("TIME_STANDS_STILL");
  expect(thrown.message).toContain("maker");
});

test("the same bot ends with any latency, and so does one without latency that stops acting", () => {
  for (const [entry, back] of [
    [1, 0],
    [0, 1],
  ] as const) {
    const { end } = play(setupOf(restless(), ways(entry, back)), steps());
    expect(end.finished?.ok).toBe(true);
  }
  const { end, decided } = play(setupOf(restless(200), ways(0, 0)), steps());
  expect(end.finished?.ok).toBe(true);
  expect(decided.length).toBeGreaterThan(200);
});
