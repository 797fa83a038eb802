import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { createStore } from "../../src/platform/store.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { SourceWriter } from "../../src/recordings/source-file.ts";
import { replay, tryStrategy } from "../../src/testing/index.ts";
import strategy, { halfSpreadOf } from "../../strategies/fair-value-quoter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the half spread is the formula computed with 40 digits", () => {
  const prng = new Prng(5);
  const Exact = Decimal.clone({ precision: 40 });
  for (let round = 0; round < 500; round += 1) {
    const [fee, minEdge, factor] = [
      prng.exponential(0.001),
      prng.exponential(0.001),
      prng.exponential(2),
    ];
    const [sigma, seconds] = [prng.exponential(0.001), prng.exponential(5)];
    const moved = new Exact(factor).times(sigma).times(new Exact(seconds).sqrt());
    const wanted = Exact.max(new Exact(fee).plus(minEdge), moved).toNumber();
    expect(Math.abs(halfSpreadOf({ fee, minEdge, factor, sigma, seconds }) - wanted)).toBeLessThan(
      1e-9 * Math.max(1, wanted),
    );
  }
});

const params = {
  source: "ref",
  size: "1",
  minEdge: "0.08%",
  volatility: "0.001%",
  volatilityFactor: 2,
  refresh: "50ms",
  priceSkew: "0%",
};
const around = (mid: number) => ({ bids: [[mid - 2, 50]], asks: [[mid + 2, 50]] }) as const;

/** After half a minute in which the market was 5 above the source. */
async function running(more: object = {}) {
  const bot = await tryStrategy(strategy, {
    params: { ...params, ...more },
    sources: { ref: { maxAge: "2s" } },
  });
  bot.source("ref", 94.9, 95.1);
  bot.book(around(100));
  for (let at = 0; at < 30; at += 1) {
    bot.source("ref", 94.9, 95.1);
    bot.wait("1s");
  }
  bot.source("ref", 94.9, 95.1);
  return bot;
}

const pricesOf = ({ orders }: { readonly orders: readonly { readonly price: number }[] }) =>
  orders.map(({ price }) => price);

test("quotes the fee and minEdge around source and basis, and follows the source at once", async () => {
  const bot = await running();
  expect(pricesOf(bot)).toEqual([99.9, 100.1]);
  bot.source("ref", 95.4, 95.6);
  expect(pricesOf(bot)[0]).toBeCloseTo(100.4, 1);
  expect(pricesOf(bot)[1]).toBeCloseTo(100.6, 1);
});

test("is wider when the source moves more", async () => {
  const bot = await running();
  for (let at = 0; at < 60; at += 1) {
    const price = 95 + 0.3 * (at % 2);
    bot.source("ref", price, price);
    bot.wait("1s");
  }
  const [bid = 0, ask = 0] = pricesOf(bot);
  expect(ask - bid).toBeGreaterThan(0.6);
});

test("has no quotes while the source has no price or is old", async () => {
  const bot = await running();
  bot.wait("3s");
  expect(bot.orders).toEqual([]);
  bot.source("ref", 94.9, 95.1);
  bot.wait("100ms");
  expect(pricesOf(bot)).toEqual([99.9, 100.1]);
  const never = await tryStrategy(strategy, { params, sources: { other: {} } });
  never.source("other", 100);
  never.book(around(100));
  expect(never.decision).toMatchObject({ reason: { BUY: "source ref has no price" } });
});

test("widens by the excess when the market is farther than maxGap from the fair value, and pulls at twice that", async () => {
  const bot = await running({ maxDeviation: "100%" });
  bot.source("ref", 96.4, 96.6); // fair value 101.5, the market 1.5 below
  const [bid = 0, ask = 0] = pricesOf(bot);
  expect((ask - bid) / 2 / 101.5).toBeCloseTo(0.001 + 1.5 / 101.5 - 0.01, 3);
  bot.source("ref", 97.4, 97.6);
  expect(bot.orders).toEqual([]);
  expect(bot.decision).toMatchObject({
    reason: { BUY: "the market is more than 2% from the fair value" },
  });
});

test("takes no more of a move of this market alone into its basis than maxGap", async () => {
  const bot = await running({ maxDeviation: "100%", maxSpread: "100%", maxGap: "0.5%" });
  for (let at = 0; at < 30; at += 1) {
    bot.source("ref", 94.9, 95.1);
    bot.book(around(103));
    bot.wait("1s");
  }
  bot.source("ref", 94.9, 95.1);
  bot.book(around(100));
  bot.wait("100ms");
  const [bid = 0, ask = 0] = pricesOf(bot);
  // Half a minute at 0.5 % beside as long a time before: all 3 % would move it by more than 1.
  expect((bid + ask) / 2).toBeGreaterThan(100.1);
  expect((bid + ask) / 2).toBeLessThan(100.6);
});

test("moves both quotes against the inventory, and quotes no side beyond maxInventory", async () => {
  const bot = await running({ priceSkew: "0.08%", inventoryRange: "2", maxInventory: "1" });
  bot.trade({ side: "SELL", price: 99.9, quantity: 51 });
  bot.wait("100ms");
  expect(bot.orders.map(({ side }) => side)).toEqual(["SELL"]);
  expect(pricesOf(bot)).toEqual([100.07]);
});

test("warns about settings that lose money", () => {
  const review = (more: object) =>
    strategy.review?.({
      params: strategy.params.parse({ ...params, ...more }),
      makerFee: 0.0002,
      takerFee: 0.0005,
    });
  expect(review({})).toEqual([]);
  expect(review({ priceSkew: "0.1%" })?.[0]).toContain("is above minEdge");
  expect(review({ maxGap: "0.05%" })?.[0]).toContain("the market's own moves widen the spread");
  expect(review({ tolerance: "0.1%" })?.[0]).toContain("tolerance");
});

test("trades in a replay with a recorded source, each time the same", async () => {
  const recording = path.join(temporaryFolder(), "rec");
  cpSync(path.join(import.meta.dirname, "../../config/recordings/zilusdt"), recording, {
    recursive: true,
  });
  const io = { store: createStore(), compression: nodeCompression };
  const toMs = Date.parse("2021-04-05T18:36:00Z");
  const sources = new SourceWriter(io, recording);
  let last = 0;
  for (const event of new Recording(io, recording).events()) {
    if (event.type !== "trade" || event.atUs / 1_000 > toMs || event.atUs < last + 500_000)
      continue;
    last = event.atUs;
    sources.append({
      atUs: last,
      name: "ref",
      bid: 2 * Number(event.price),
      ask: 2 * Number(event.price),
    });
  }
  sources.close();
  const run = () =>
    replay({
      config: {
        venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1 },
        fees: { maker: "0.02%", taker: "0.05%" },
        balances: { ZIL: "50000", USDT: "10000" },
        sources: { ref: { type: "recording", path: recording, maxAge: "20s" } },
        strategies: [
          {
            name: "zil",
            plugin: "fair-value-quoter",
            market: "ZIL_USDT",
            params: {
              source: "ref",
              size: "500",
              minEdge: "0.01%",
              volatilityFactor: 0,
              horizon: "1s",
            },
          },
        ],
      },
      recording,
      to: toMs,
    });
  const { result, warnings } = await run();
  expect(warnings).toEqual([]);
  expect(result.fills).toBeGreaterThan(0);
  expect((await run()).result.decisionsHash).toBe(result.decisionsHash);
});
