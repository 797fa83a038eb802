import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { simulate } from "../../src/sim/simulate.ts";
import { dailyContingentSeeds, newSeeds } from "./daily-seeds.ts";
import { type StoredOptions, storedOptions } from "./seeds.ts";

const timeout = 180_000;

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

describe("the whole bot with stop orders, take profits and stop losses", () => {
  const seen = new Map<string, number>();
  const run = async (seed: number, more: StoredOptions = {}): Promise<readonly string[]> => {
    const result = await simulate({ seed, crypto, strategy: contingentStrategy, ...more });
    for (const [what, times] of result.reached) seen.set(what, (seen.get(what) ?? 0) + times);
    const { violations } = result;
    const command = `npm run sim -- --from ${seed} --seeds 1 --contingent`;
    return violations.length === 0 ? [] : [command, ...violations];
  };
  it.each(newSeeds.contingent.daily)("seed %i", { timeout }, async (seed) => {
    expect(await run(seed)).toEqual([]);
  });

  it.each(dailyContingentSeeds)("seed $seed, which found $was", { timeout }, async (stored) => {
    expect(await run(stored.seed, storedOptions(stored))).toEqual([]);
  });

  it("and all of their outcomes occur", () => {
    const wanted = ["stop", "takeProfit", "stopLoss"].flatMap((role) =>
      ["NEW", "FILLED", "CANCELED", "NEVER_PLACED"].map((status) => `${role} ${status}`),
    );
    wanted.push("stop triggered", "stopLoss triggered", "denied stop-side", "warning STOP_TURNED");
    expect(wanted.filter((what) => !seen.has(what))).toEqual([]);
  });
});
