import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { faults, type Fault } from "../../src/sim/faults.ts";
import { simulate, type SimulationResult } from "../../src/sim/simulate.ts";
import strategy from "../../strategies/pure-market-making.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { contingentSeeds, storedSeeds, type StoredSeed } from "./seeds.ts";

const NEW_SEEDS = 16;
const FIRST_SEED = 1_001;
const timeout = 60_000;

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

const reached = new Map<string, number>();

/** Stored seeds run with the options of the time when they were stored. */
const KINDS_AT_FIRST = 13;
interface Then {
  readonly kinds?: readonly Fault[];
  readonly useModify?: boolean;
}
function then({ kinds = KINDS_AT_FIRST }: StoredSeed): Then {
  const chosen = { kinds: faults.slice(0, kinds) };
  return kinds === KINDS_AT_FIRST ? { ...chosen, useModify: false } : chosen;
}
function flagsOf({ kinds = KINDS_AT_FIRST }: StoredSeed): string {
  return ` --kinds ${kinds}${kinds === KINDS_AT_FIRST ? " --never-modify" : ""}`;
}

async function world(seed: number, more: Then = {}): Promise<SimulationResult> {
  const result = await simulate({ seed, crypto, strategy, ...more });
  for (const [what, times] of result.reached) reached.set(what, (reached.get(what) ?? 0) + times);
  return result;
}

/** Output for a failure: the command that repeats it, and the violations. */
function verdict({ seed, violations }: SimulationResult, more = ""): readonly string[] {
  if (violations.length === 0) return [];
  return [`npm run sim -- --from ${seed} --seeds 1${more}`, ...violations];
}

describe("the whole bot on a bad network keeps every invariant", () => {
  const seeds = Array.from({ length: NEW_SEEDS }, (_, at) => FIRST_SEED + at);
  it.each(seeds)("seed %i", { timeout }, async (seed) => {
    expect(verdict(await world(seed))).toEqual([]);
  });

  it.each(storedSeeds)("seed $seed, which found $was", { timeout }, async (stored) => {
    expect(verdict(await world(stored.seed, then(stored)), flagsOf(stored))).toEqual([]);
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

describe("with stop orders, take profits and stop losses", () => {
  const seen = new Map<string, number>();
  const run = async (seed: number, more: Then = {}): Promise<readonly string[]> => {
    const result = await simulate({ seed, crypto, strategy: contingentStrategy, ...more });
    for (const [what, times] of result.reached) seen.set(what, (seen.get(what) ?? 0) + times);
    const { violations } = result;
    const command = `npm run sim -- --from ${seed} --seeds 1 --contingent`;
    return violations.length === 0 ? [] : [command, ...violations];
  };
  const seeds = Array.from({ length: 10 }, (_, at) => FIRST_SEED + at);
  it.each(seeds)("seed %i", { timeout }, async (seed) => {
    expect(await run(seed)).toEqual([]);
  });

  it.each(contingentSeeds)("seed $seed, which found $was", { timeout }, async (stored) => {
    expect(await run(stored.seed, then(stored))).toEqual([]);
  });

  it("and all of their outcomes occur", () => {
    const wanted = ["stop", "takeProfit", "stopLoss"].flatMap((role) =>
      ["NEW", "FILLED", "CANCELED", "NEVER_PLACED"].map((status) => `${role} ${status}`),
    );
    wanted.push("stop triggered", "stopLoss triggered", "denied stop-side", "warning STOP_TURNED");
    expect(wanted.filter((what) => !seen.has(what))).toEqual([]);
  });
});

describe("a seed", () => {
  it("repeats its run bit for bit", { timeout }, async () => {
    for (const seed of [FIRST_SEED, FIRST_SEED + 7]) {
      expect((await world(seed)).traceHash).toBe((await world(seed)).traceHash);
    }
    expect((await world(1)).traceHash).not.toBe((await world(2)).traceHash);
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
