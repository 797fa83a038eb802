import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { faults } from "../../src/sim/faults.ts";
import { simulate, type SimulationOptions } from "../../src/sim/simulate.ts";
import strategy from "../../strategies/pure-market-making.ts";

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

const called = (...names: string[]) => faults.filter(({ name }) => names.includes(name));
const world = (seed: number, more: Partial<SimulationOptions>) =>
  simulate({ seed, crypto, strategy, ...more });

describe("a bot that signs with session wallets of a minute", () => {
  it("renews them without a gap, and cancels orders of earlier sessions", async () => {
    const plain = { faults: called("session-key"), faultsMs: 30_000 };
    const { violations, reached, end } = await world(700_101, plain);
    expect(violations).toEqual([]);
    expect(reached.get("session signs")).toBeGreaterThan(2);
    expect(reached.get("order of an earlier session canceled")).toBeGreaterThan(0);
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, ordersRejected: 0 } });
  });
});
