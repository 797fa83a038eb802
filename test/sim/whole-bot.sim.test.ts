import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { faults } from "../../src/sim/faults.ts";
import { simulate, type SimulationOptions, type SimulationResult } from "../../src/sim/simulate.ts";
import strategy from "../../strategies/pure-market-making.ts";
import { dailySeeds, newSeeds, unknownSeeds } from "./daily-seeds.ts";
import { flagsOf, storedOptions } from "./seeds.ts";

const timeout = 180_000;

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

const reached = new Map<string, number>();
/** Traces of the worlds that only a seed describes. */
const traces = new Map<number, string>();

async function world(
  seed: number,
  more: Partial<SimulationOptions> = {},
): Promise<SimulationResult> {
  const result = await simulate({ seed, crypto, strategy, ...more });
  if (Object.keys(more).length === 0) traces.set(seed, result.traceHash);
  for (const [what, times] of result.reached) reached.set(what, (reached.get(what) ?? 0) + times);
  return result;
}

/** Output for a failure: the command that repeats it, and the violations. */
function verdict({ seed, violations }: SimulationResult, more = ""): readonly string[] {
  if (violations.length === 0) return [];
  return [`npm run sim -- --from ${seed} --seeds 1${more}`, ...violations];
}

describe("the whole bot on a bad network keeps every invariant", () => {
  it.each(newSeeds.quoting.daily)("seed %i", { timeout }, async (seed) => {
    expect(verdict(await world(seed))).toEqual([]);
  });

  it.each(dailySeeds)("seed $seed, which found $was", { timeout }, async (stored) => {
    expect(verdict(await world(stored.seed, storedOptions(stored)), flagsOf(stored))).toEqual([]);
  });

  it("and those of every cause are stored", () => {
    expect(unknownSeeds).toEqual([]);
  });

  it("counts a fill of an adopted order in no strategy's inventory", { timeout }, async () => {
    const wanted = ["power-cut-at-hanging-disk", "disk-hangs", "slow", "second-strategy"];
    const some = faults.filter(({ name }) => wanted.includes(name));
    const result = await world(160_002, { faults: some, faultsMs: 20_000 });
    expect(verdict(result)).toEqual([]);
    expect(result.reached.get("warning ORPHANED_FILL")).toBeGreaterThan(0);
  });

  it("does not miss foreign orders that the venue dates after its own time, since no list has them", {
    timeout,
  }, async () => {
    const some = faults.filter(({ name }) => name === "venue-clock-back");
    expect(verdict(await world(199, { faults: some, faultsMs: 4_000 }))).toEqual([]);
  });

  it.each([
    { seed: 910_004, name: "kill-while-starting", what: "start: killed" },
    { seed: 910_004, name: "power-cut-while-starting", what: "start: power cut" },
    { seed: 910_004, name: "stop-while-starting", what: "start: stopped" },
    { seed: 910_009, name: "stop-while-starting", what: "operator ended a run" },
  ])("starts again after the fault $name, world $seed: $what", { timeout }, async (one) => {
    const { seed, name, what } = one;
    const some = faults.filter((fault) => [name, "refused"].includes(fault.name));
    const result = await world(seed, { faults: some });
    expect(verdict(result)).toEqual([]);
    expect(result.reached.get(what)).toBeGreaterThan(0);
    expect(result.reached.get("order restored")).toBeGreaterThan(0);
  });

  it("has no unknown outcomes, rejections or lost streams without faults", {
    timeout,
  }, async () => {
    const result = await simulate({ seed: 5, crypto, strategy, faults: [], faultsMs: 30_000 });
    expect(verdict(result)).toEqual([]);
    for (const never of ["response unknown", "order REJECTED", "stream closed"]) {
      expect([never, result.reached.get(never) ?? 0]).toEqual([never, 0]);
    }
    expect(result.end).toMatchObject({ ok: true, summary: { ordersLeft: 0, ordersRejected: 0 } });
    expect(result.end?.summary.fills).toBeGreaterThan(0);
  });
});

describe("a seed", () => {
  it("repeats its run bit for bit", { timeout }, async () => {
    const [one, other] = [1_005, 1_007];
    for (const seed of [one, other]) {
      const first = traces.get(seed) ?? (await world(seed)).traceHash;
      expect((await world(seed)).traceHash).toBe(first);
    }
    expect(traces.get(one)).not.toBe(traces.get(other));
  });

  it("and the other seeds cover every kind of fault and outcome", () => {
    const wanted = [
      ...faults.map(({ name }) => `fault ${name}`),
      ...["accepted", "refused", "not-sent", "unknown"].map((outcome) => `response ${outcome}`),
      ...["FILLED", "CANCELED", "UNKNOWN", "NEVER_PLACED"].map((status) => `order ${status}`),
      "order restored",
      "effect modify",
      "run verified",
      "fill",
      "book compared",
      "denied max-position",
    ];
    expect(wanted.filter((what) => !reached.has(what))).toEqual([]);
  });
});
