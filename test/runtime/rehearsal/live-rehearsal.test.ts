import { afterAll, describe, expect, it } from "vitest";
import pureMarketMaking from "../../../strategies/pure-market-making.ts";
import { createStandInHttp } from "../../../src/platform/stand-in-http.ts";
import type { LivePorts } from "../../../src/runtime/live-settings.ts";
import type { MemoryStore } from "../../../src/sim/memory-store.ts";
import { expectVerified, liveWorld, stopped, strategiesOf } from "../live-world.ts";

const standInHttp = createStandInHttp();
afterAll(() => standInHttp.close());

const on = { enabled: true, share: 0.2 };
const off = { enabled: false, share: 0.2 };

/** A bot of a minute, with all that leaves it. */
async function runOf(rehearsal: typeof on) {
  const world = await liveWorld(7);
  let rehearsed = 0;
  const signed: string[] = [];
  const throwAway = world.crypto.signer(new Uint8Array(32).fill(9));
  const requests: string[] = [];
  const views: number[] = [];
  const watched: typeof pureMarketMaking = {
    ...pureMarketMaking,
    decide(input) {
      views.push(input.view.nowMs);
      return pureMarketMaking.decide(input);
    },
  };
  const [maker] = strategiesOf([{ name: "maker" }]);
  if (maker === undefined) throw new Error("no strategy");
  const ports: Partial<LivePorts> = {
    // Whatever library this machine has.
    crypto: { ...world.crypto, name: "secp256k1" },
    signer: {
      ...world.ports.signer,
      sign(digest) {
        signed.push(digest.join());
        return world.ports.signer.sign(digest);
      },
    },
    standIns: {
      throwAwaySigner: {
        address: throwAway.address,
        // Any signature will do, and the time of a virtual world is not bounded by real signatures.
        sign() {
          rehearsed += 1;
          return { rs: new Uint8Array(64).fill(1), recovery: 0 };
        },
      },
      http: standInHttp,
    },
    http: {
      ...world.ports.http,
      request(request) {
        requests.push(`${world.clock.elapsedMs} ${request.method} ${request.url} ${request.body}`);
        return world.ports.http.request(request);
      },
    },
  };
  const bot = await world.start(
    { rehearsal, strategies: [{ ...maker, definition: watched }] },
    ports,
  );
  const steps: string[] = [];
  bot.observers.on(({ batch }) => steps.push(`${batch.seq} ${batch.nowMs}`));
  await world.clock.runFor(5_000);
  const { summary } = await stopped(world, bot);
  await expectVerified(world);
  const { rehearsals, strategyCalls: _, ...counts } = summary;
  return {
    rehearsed,
    rehearsals,
    seen: { signed, requests, views, steps, counts, journal: journalOf(world.store) },
  };
}

function journalOf(store: MemoryStore): readonly string[] {
  return store.list("journal").map((name) => `${name} ${store.read(`journal/${name}`)?.join()}`);
}

describe("a live bot that rehearses", () => {
  it("does to the bit what it does without: requests, signatures, decisions, journal and summary", {
    timeout: 60_000,
  }, async () => {
    const with_ = await runOf(on);
    const without = await runOf(off);
    expect(with_.rehearsed).toBeGreaterThan(100);
    expect(with_.rehearsals?.count).toBeGreaterThan(100);
    expect(without.rehearsed).toBe(0);
    expect(without.rehearsals).toBeUndefined();
    expect(with_.seen.signed.length).toBeGreaterThan(5);
    expect(with_.seen.views.length).toBeGreaterThan(20);
    expect(with_.seen).toEqual(without.seen);
  });

  it("rehearses neither without the native library nor without stand-ins", async () => {
    const world = await liveWorld(8);
    const standIns = {
      throwAwaySigner: {
        ...world.ports.signer,
        sign: () => {
          throw new Error("rehearsed");
        },
      },
      http: standInHttp,
    };
    const crypto = { ...world.crypto, name: "ethers" as const };
    const native = { ...world.crypto, name: "secp256k1" as const };
    for (const ports of [{ standIns, crypto }, { crypto: native }]) {
      const bot = await world.start({ rehearsal: on }, ports);
      await world.clock.runFor(5_000);
      const { summary } = await stopped(world, bot);
      expect(summary.rehearsals).toBeUndefined();
    }
  });
});
