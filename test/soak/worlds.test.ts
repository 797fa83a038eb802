import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { simulate, type SimulationOptions } from "../../src/sim/simulate.ts";
import quoting from "../../strategies/pure-market-making.ts";
import { newSeeds, otherContingentSeeds, otherSeeds } from "../sim/daily-seeds.ts";
import { flagsOf, storedOptions } from "../sim/seeds.ts";
import { otherSessionWorlds, sessionWorldOptions } from "../sim/session-worlds.ts";

/** The worlds that `npm test` leaves out. */

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

/** Nothing, or the command that repeats the world and its violations. */
async function verdict(
  options: Omit<SimulationOptions, "crypto">,
  flags: string,
): Promise<readonly string[]> {
  const { seed, violations } = await simulate({ ...options, crypto });
  return violations.length === 0
    ? []
    : [`npm run sim -- --from ${seed} --seeds 1${flags}`, ...violations];
}

describe.each([
  {
    name: "quoting",
    strategy: quoting,
    flags: "",
    seeds: newSeeds.quoting.others,
    stored: otherSeeds,
  },
  {
    name: "with stop orders, take profits and stop losses",
    strategy: contingentStrategy,
    flags: " --contingent",
    seeds: newSeeds.contingent.others,
    stored: otherContingentSeeds,
  },
])("the whole bot on a bad network, $name", ({ strategy, flags, seeds, stored }) => {
  it.each(seeds)("seed %i", async (seed) => {
    expect(await verdict({ seed, strategy }, flags)).toEqual([]);
  });

  it.each(stored)("seed $seed, which found $was", async (one) => {
    const options = { seed: one.seed, strategy, ...storedOptions(one) };
    expect(await verdict(options, flags + flagsOf(one))).toEqual([]);
  });
});

describe("a bot that signs with session wallets of a minute", () => {
  it.each(otherSessionWorlds)("keeps every invariant in world $seed: $was", async (stored) => {
    const { violations } = await simulate({ ...sessionWorldOptions(stored), crypto });
    expect(violations).toEqual([]);
  });
});
