import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { faults } from "../../src/sim/faults.ts";
import { simulate, type SimulationOptions } from "../../src/sim/simulate.ts";
import strategy from "../../strategies/pure-market-making.ts";

const timeout = 60_000;

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

const called = (...names: string[]) => faults.filter(({ name }) => names.includes(name));
const world = (seed: number, more: Partial<SimulationOptions>) =>
  simulate({ seed, crypto, strategy, ...more });

describe("a bot that signs with session wallets of a minute", () => {
  it("renews them without a gap, and cancels orders of earlier sessions", {
    timeout,
  }, async () => {
    const plain = { faults: called("session-key"), faultsMs: 30_000 };
    const { violations, reached, end, traceHash } = await world(700_101, plain);
    expect(violations).toEqual([]);
    expect(reached.get("session signs")).toBeGreaterThan(2);
    expect(reached.get("order of an earlier session canceled")).toBeGreaterThan(0);
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, ordersRejected: 0 } });
    expect((await world(700_101, plain)).traceHash).toBe(traceHash);
  });

  it("begins anew when the owner has ended them", { timeout }, async () => {
    const some = called("session-key", "sessions-revoked", "kill");
    const { violations, reached } = await world(700_102, { faults: some });
    expect(violations).toEqual([]);
    expect(reached.get("session ended a run")).toBeGreaterThan(0);
  });

  it.each([
    { seed: 704_050, kinds: 46 },
    { seed: 702_013, kinds: 46 },
    // Orders rested while a start could not open its session.
    { seed: 630_026, kinds: 46 },
    // Orders a while after three refusals of the signature.
    { seed: 761_022, kinds: 46 },
    // A session was renewed before the first order of a run, and a power cut took that order from the journal.
    { seed: 761_029, kinds: 46 },
    // No strategy can quote after the faults: one has failed, the other has too small limits; or the bot is paused.
    { seed: 730_250, kinds: 46 },
    { seed: 730_277, kinds: 46 },
  ])(
    "keeps every invariant in the world $seed of $kinds kinds of faults",
    {
      timeout,
    },
    async ({ seed, kinds }) => {
      const besides = called("session-key");
      expect((await world(seed, { kinds: faults.slice(0, kinds), besides })).violations).toEqual(
        [],
      );
    },
  );

  it("has a journal that re-runs after a power cut in a handover while the disk hangs", {
    timeout,
  }, async () => {
    const some = {
      kinds: faults.slice(0, 46),
      besides: called("session-key"),
      strategy: contingentStrategy,
    };
    expect((await world(704_068, some)).violations).toEqual([]);
  });

  it.each([
    { seed: 705_029, was: "orders of an earlier run rest while no session can be opened" },
    { seed: 705_017, was: "a session that ends while the start waits for the markets" },
    { seed: 706_040, was: "a renewed session that ends while the start waits for the markets" },
  ])("starts at an unreachable venue, world $seed: $was", { timeout }, async ({ seed }) => {
    const some = called("session-key", "kill", "refused-by-proxy", "requests-lost", "cached-reads");
    expect((await world(seed, { faults: some })).violations).toEqual([]);
  });
});
