import { describe, expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { tryStrategy } from "../../src/testing/index.ts";
import pov from "../../strategies/pov.ts";
import { aView } from "./a-view.ts";
import twap, { scheduled } from "../../strategies/twap.ts";

const deep = { bids: [[99, 50]], asks: [[100, 50]] } as const;
const noFees = { maker: "0%", taker: "0%" };

describe("twap", () => {
  const params = { side: "SELL", size: "10", duration: "10s", clips: 5 } as const;

  test("its schedule is a clip at the start and one after each interval, up to the whole", () => {
    const at = (passedMs: number) =>
      scheduled(new Decimal(2), new Decimal(-9), {
        passedMs,
        durationMs: 9_000,
        clips: 3,
      }).toNumber();
    expect([0, 2_999, 3_000, 6_000, 60_000].map(at)).toEqual([-1, -1, -4, -7, -7]);
  });

  test("sells its size in equal clips over the time, and no more", async () => {
    const bot = await tryStrategy(twap, { params, fees: noFees });
    bot.book(deep);
    const sold: number[] = [];
    for (let at = 0; at < 10; at += 1) {
      bot.wait("1s");
      sold.push(bot.fills.reduce((sum, { quantity }) => sum + quantity, 0));
    }
    expect(sold[0]).toBe(2);
    expect(bot.fills.map(({ side, quantity }) => [side, quantity])).toEqual(
      Array.from({ length: 5 }, () => ["SELL", 2]),
    );
    expect(sold[4]).toBe(6);
    bot.wait("60s");
    expect(bot.fills).toHaveLength(5);
  });

  test("catches up with what was not offered, after the end too", async () => {
    const bot = await tryStrategy(twap, { params, fees: noFees });
    bot.book({ bids: [[99, 1]], asks: [[100, 50]] });
    bot.wait("8s");
    expect(bot.fills.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(1);
    bot.book(deep);
    bot.wait("20s");
    expect(bot.fills.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(10);
    expect(Math.max(...bot.fills.map(({ quantity }) => quantity))).toBe(2);
  });

  test("trades at no worse price than its limit", async () => {
    const bot = await tryStrategy(twap, { params: { ...params, limit: 99.5 }, fees: noFees });
    bot.book(deep);
    bot.wait("20s");
    expect(bot.fills).toEqual([]);
  });

  test("goes on with its schedule after a restart", () => {
    const { state } = twap;
    const schedule = { what: "SELL 10 in 10000", startMs: 1, from: "2" };
    const saved = JSON.parse(JSON.stringify(state?.save({ schedule })));
    expect(state?.load(saved, 1, { schedule: undefined })).toEqual({ schedule });
  });
});

describe("pov", () => {
  const params = { side: "BUY", size: "3", share: "10%", clip: "1", every: "100ms" } as const;

  test("buys its share of what others trade, in clips, without counting its own, up to its size", async () => {
    const bot = await tryStrategy(pov, { params, fees: noFees });
    bot.book(deep);
    bot.wait("1s");
    expect(bot.fills).toEqual([]);
    const bought = () => bot.fills.reduce((sum, { quantity }) => sum + quantity, 0);
    bot.trade({ side: "SELL", price: 99, quantity: 5 });
    bot.wait("10s");
    expect(bought()).toBe(0.5);
    bot.trade({ side: "SELL", price: 99, quantity: 15 });
    bot.wait("10s");
    expect(bot.fills.map(({ quantity }) => quantity)).toEqual([0.5, 1, 0.5]);
    bot.trade({ side: "SELL", price: 99, quantity: 25 });
    bot.wait("10s");
    expect(bought()).toBe(3);
  });

  test("never trades against its side: lost public trades and fills for other parameters undo nothing", () => {
    const settings = pov.params.parse(params);
    const target = (due: string, bought: number): string | undefined => {
      const state = { progress: { what: "BUY 3", from: "0", due } };
      const fills = [{ order: 1, side: "BUY", role: "take" }] as const;
      const decision = pov.decide({ view: aView({ fills, bought }), params: settings, state });
      return decision.type === "set" ? decision.workTo?.position.toString() : undefined;
    };
    expect(target("1", 1)).toBe("1");
    expect(target("0", 1)).toBe("1");
  });
});
