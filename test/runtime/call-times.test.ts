import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CallTimes } from "../../src/runtime/call-times.ts";
import { keepQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import { aView } from "../strategies/a-view.ts";

/** Calls of a strategy on a clock that each call moves by `tookUs`. */
function world() {
  const clock = { nowUs: 0, tookUs: 100 };
  const warnings: string[] = [];
  const calls = new CallTimes({
    monotonicUs: () => clock.nowUs,
    slowMs: 50,
    onSlow: (message) => warnings.push(message),
  });
  const pass = <Value>(value: Value): Value => {
    clock.nowUs += clock.tookUs;
    return value;
  };
  const definition: StrategyDefinition = {
    name: "slow",
    params: z.unknown(),
    init: () => pass({ kept: 1 }),
    decide({ state }) {
      pass(undefined);
      if (state === "broken") throw new Error("broken");
      return keepQuotes();
    },
    state: { version: 3, save: (state) => pass(state), load: (data) => pass(data) },
  };
  const measured = calls.measured(definition, "maker");
  const decide = (tookUs: number, state: unknown = {}) => {
    clock.tookUs = tookUs;
    return measured.decide({ view: aView(), params: {}, state });
  };
  return { clock, calls, measured, decide, warnings };
}

describe("times of calls", () => {
  it("are kept for each function of a strategy, and nothing else about it changes", () => {
    const { calls, measured, decide } = world();
    expect(calls.rows).toEqual([]);
    expect(measured.init({ params: {}, seed: 1 })).toEqual({ kept: 1 });
    for (const tookUs of [100, 200, 300, 40_000]) expect(decide(tookUs)).toEqual(keepQuotes());
    expect(measured.state?.version).toBe(3);
    expect(measured.state?.save({ a: 1 })).toEqual({ a: 1 });
    expect(calls.rows.map(({ strategy, hook, count }) => [strategy, hook, count])).toEqual([
      ["maker", "init", 1],
      ["maker", "decide", 4],
      ["maker", "state.save", 1],
    ]);
    const [, decided] = calls.rows;
    expect(decided?.maxUs).toBe(40_000);
    expect(decided?.p50Us).toBeCloseTo(200, -1);
  });

  it("count a call that throws", () => {
    const { calls, decide } = world();
    expect(() => decide(700, "broken")).toThrow("broken");
    expect(calls.rows).toMatchObject([{ hook: "decide", count: 1, maxUs: 700 }]);
  });

  it("do not warn of a first call that is compiled, but of one that takes ten times the limit", () => {
    const compiled = world();
    compiled.decide(500_000);
    expect(compiled.warnings).toEqual([]);
    expect(compiled.calls.rows).toMatchObject([{ count: 1, maxUs: 500_000 }]);
    compiled.decide(51_000);
    expect(compiled.warnings).toHaveLength(1);
    const blocking = world();
    blocking.decide(501_000);
    expect(blocking.warnings).toHaveLength(1);
  });

  it("warn of slow calls once a minute, with the slowest", () => {
    const { clock, decide, warnings } = world();
    decide(50_000);
    expect(warnings).toEqual([]);
    decide(51_000);
    decide(90_000);
    decide(60_000);
    expect(warnings).toEqual([
      expect.stringMatching(/^maker: decide took 51.0 ms, more than 50 ms/),
    ]);
    clock.nowUs += 60_000_000;
    decide(52_000);
    expect(warnings).toHaveLength(2);
    expect(warnings.at(-1)).toMatch(/took 90.0 ms.*the slowest of 3 such calls/);
  });
});
