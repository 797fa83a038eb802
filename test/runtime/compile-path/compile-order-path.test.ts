import { describe, expect, it } from "vitest";
import type { LivePorts } from "../../../src/runtime/live-settings.ts";
import type { MemoryStore } from "../../../src/sim/memory-store.ts";
import { expectVerified, liveWorld, stopped } from "../live-world.ts";

/** A bot of a few seconds, with all that leaves it. */
async function runOf(name: "secp256k1" | "ethers") {
  const world = await liveWorld(7);
  let warmed = 0;
  const signed: string[] = [];
  const requests: string[] = [];
  const ports: Partial<LivePorts> = {
    // Whatever library this machine has.
    crypto: { ...world.crypto, name },
    signer: {
      ...world.ports.signer,
      sign(digest) {
        signed.push(digest.join());
        return world.ports.signer.sign(digest);
      },
    },
    throwawaySigner: {
      address: world.crypto.signer(new Uint8Array(32).fill(9)).address,
      // Any signature will do.
      sign() {
        warmed += 1;
        return { rs: new Uint8Array(64).fill(1), recovery: 0 };
      },
    },
    http: {
      ...world.ports.http,
      request(request) {
        requests.push(`${world.clock.elapsedMs} ${request.method} ${request.url} ${request.body}`);
        return world.ports.http.request(request);
      },
    },
  };
  const bot = await world.start({}, ports);
  await world.clock.runFor(5_000);
  const { summary } = await stopped(world, bot);
  await expectVerified(world);
  const { strategyCalls: _, signer: __, ...counts } = summary;
  return { warmed, seen: { signed, requests, counts, journal: journalOf(world.store) } };
}

function journalOf(store: MemoryStore): readonly string[] {
  return store.list("journal").map((name) => `${name} ${store.read(`journal/${name}`)?.join()}`);
}

describe("a live bot that compiles its order path first", () => {
  it("does to the bit what it does without: requests, signatures, journal and summary", async () => {
    const with_ = await runOf("secp256k1");
    const without = await runOf("ethers");
    expect(with_.warmed).toBeGreaterThan(100);
    expect(without.warmed).toBe(0);
    expect(with_.seen.signed.length).toBeGreaterThan(5);
    expect(with_.seen).toEqual(without.seen);
  });

  it("starts although the compiling of the order path fails", async () => {
    const world = await liveWorld(8);
    const throwawaySigner = {
      ...world.ports.signer,
      sign: () => {
        throw new Error("broken");
      },
    };
    const crypto = { ...world.crypto, name: "secp256k1" as const };
    const bot = await world.start({}, { throwawaySigner, crypto });
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot)).not.toEqual([]);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});
