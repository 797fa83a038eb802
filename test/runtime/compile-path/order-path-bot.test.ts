import { describe, expect, it } from "vitest";
import type { Signer } from "../../../src/ports/crypto.ts";
import { defaultTiming } from "../../../src/kernel/config.ts";
import { defaultRisk } from "../../../src/risk/settings.ts";
import { kernelConfig } from "../../../src/runtime/kernel-config.ts";
import { OrderPathBot } from "../../../src/runtime/compile-path/order-path-bot.ts";
import { decodeTransaction } from "../../../src/spec/transaction.ts";
import type { MarketId } from "../../../src/domain/ids.ts";
import { unixMs } from "../../../src/domain/time.ts";
import { systemTimer } from "../../../src/platform/timer.ts";
import { compileOrderPath } from "../../../src/runtime/compile-path/compile-order-path.ts";
import { liveWorld } from "../live-world.ts";
import { testCrypto } from "../../support/venue.ts";

const crypto = await testCrypto();

async function warmedUp(useModify: boolean, pieces: number) {
  const signer = crypto.signer(new Uint8Array(32).fill(9));
  const digests: Uint8Array[] = [];
  const hashed: Uint8Array[] = [];
  const watched: Signer = {
    address: signer.address,
    sign(digest) {
      digests.push(digest.slice());
      return signer.sign(digest);
    },
  };
  const settings = {
    execution: { useModify },
    rateLimit: { perSecond: 20, burst: 40, concurrency: 8 },
    risk: defaultRisk,
    timing: defaultTiming,
    strategies: [],
  };
  const config = kernelConfig(settings, "dry-run", { owner: signer.address, markets: [] });
  const bot = new OrderPathBot({
    config,
    signer: watched,
    keccak256(bytes) {
      hashed.push(bytes.slice());
      return crypto.keccak256(bytes);
    },
    clock: { monotonicUs: () => 0 },
  });
  let frames = 0;
  for (let piece = 0; piece < pieces; piece += 1) {
    if (!bot.step()) frames += 1;
    // The first order waits for a disk, as a real one does.
    await Promise.resolve();
    await Promise.resolve();
  }
  return { bot, digests, hashed, frames };
}

describe("the bot that compiles the order path", () => {
  it.each([true, false])(
    "takes every frame through the whole path, with useModify %s",
    async (useModify) => {
      const { bot, digests, frames } = await warmedUp(useModify, 200);
      expect(frames).toBeGreaterThan(50);
      expect(bot.orders).toBeGreaterThan(0.9 * frames);
      expect(digests.length).toBe(bot.orders);
    },
  );

  it("signs nothing that a venue takes: another chain, another account, a time long past", async () => {
    const { hashed, bot } = await warmedUp(true, 60);
    expect(bot.orders).toBeGreaterThan(10);
    const chains = [1, 1001, 8217];
    let signed = 0;
    for (const bytes of hashed) {
      for (const chain of chains) expect(decodeTransaction(bytes, chain).ok).toBe(false);
      const decoded = decodeTransaction(bytes, 4_503_599_627_370_000);
      if (!decoded.ok) continue;
      signed += 1;
      expect(decoded.value.nonce).toBeLessThan(Date.UTC(2021, 0));
    }
    expect(signed).toBe(bot.orders);
  });

  it("needs none of the running bot's price sources, which may be in markets that it does not have", async () => {
    const { settings, ports } = await liveWorld();
    const origin = { type: "market", marketId: "9_2" as MarketId } as const;
    const sources = [{ name: "other", origin, whenOld: "stop", maxAgeMs: 1_000 }] as const;
    const warnings: unknown[] = [];
    let us = 0;
    await compileOrderPath(
      { ...settings, sources },
      {
        ...ports,
        throwawaySigner: crypto.signer(new Uint8Array(32).fill(9)),
        clock: { ...ports.clock, nowMs: () => unixMs(0), monotonicUs: () => (us += 10_000) },
        timer: systemTimer,
        log: { ...ports.log, warn: (...line: unknown[]) => void warnings.push(line) },
      },
    );
    expect([crypto.name, warnings]).toEqual(["secp256k1", []]);
  });
});
