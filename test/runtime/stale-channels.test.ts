import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { isSoak } from "../support/soak.ts";
import { expectVerified, stopped } from "./live-world.ts";
import {
  delayed,
  faultyWorld,
  type FaultyWorld,
  LOST,
  quoted,
  reasons,
  running,
  states,
} from "./faulty-channels.ts";

/** Settings of a strategy that quotes close to the mid, so that it is filled often. */
function close({ settings }: FaultyWorld): Pick<FaultyWorld["settings"], "strategies"> {
  const writtenParams = { bidSpread: "0.02%", askSpread: "0.02%", size: "0.05", refresh: "1s" };
  const params = pureMarketMaking.params.parse(writtenParams);
  return { strategies: settings.strategies.map((one) => ({ ...one, params, writtenParams })) };
}

/** How long after its execution each fill was known, of the fills since `sinceMs`. */
function fillLags(world: FaultyWorld, sinceMs: number): readonly number[] {
  return world.notes.flatMap(({ atMs, note }) =>
    note.type === "fill" && atMs > sinceMs ? [atMs - note.fill.timeMs] : [],
  );
}

describe("a user channel that dies while all else goes on", () => {
  test.each([
    ["silent", LOST],
    ["30 s late", 30_000],
  ])(
    "and is %s costs no quote: own orders and fills are listed over REST",
    async (_, delayMs) => {
      const { world, bot } = await running(9);
      world.fault = delayed("userEvent@", delayMs);
      const { share } = await quoted(world, bot, 300);
      expect(share).toBeGreaterThan(0.9);
      expect(states(world)[0]).toBe("userEvent behind");
      expect((await stopped(world, bot)).ok).toBe(true);
      await expectVerified(world);
    },
    60_000,
  );

  test("leaves no fill unknown for more than three seconds while quotes are allowed to stay", async () => {
    const world = await faultyWorld(9);
    const bot = await world.startBot({
      ...close(world),
      risk: riskSchema.parse({ staleBook: null }),
    });
    await world.clock.runFor(10_000);
    world.fault = delayed("userEvent@", LOST);
    const brokenMs = world.clock.nowMs();
    await world.clock.runFor(600_000);
    const lags = fillLags(world, brokenMs);
    expect(lags.length).toBeGreaterThan(3);
    expect(Math.max(...lags)).toBeLessThan(3_000);
    await stopped(world, bot);
  }, 60_000);

  test("delivers again after a new subscription, before any quote is pulled", async () => {
    const { world, bot } = await running(9);
    world.fault = (channel, subscription) =>
      channel.startsWith("userEvent@") && subscription === 1 ? LOST : 0;
    await world.clock.runFor(120_000);
    expect(states(world)).toEqual(["userEvent behind", "userEvent live"]);
    expect([...reasons(world)].filter((reason) => reason?.includes("channel"))).toEqual([]);
    const { summary } = await stopped(world, bot);
    expect(summary.uptimeBid).toBeGreaterThan(0.8);
    await expectVerified(world);
  }, 60_000);
});

describe("a trade channel that dies while all else goes on", () => {
  test("is subscribed to anew, and no quote is pulled for it", async () => {
    const world = await faultyWorld(9);
    const bot = await world.startBot(close(world));
    await world.clock.runFor(120_000);
    world.fault = (channel, subscription) =>
      channel.startsWith("trade@") && subscription === 1 ? LOST : 0;
    await world.clock.runFor(240_000);
    expect(states(world)).toEqual(["trade behind", "trade live"]);
    expect(world.requests.slice(-2)).toEqual(["unsubscribe trade@1_2", "subscribe trade@1_2"]);
    expect([...reasons(world)].filter((reason) => reason?.includes("channel"))).toEqual([]);
    const { summary } = await stopped(world, bot);
    expect(summary.uptimeBid).toBeGreaterThan(0.8);
    expect(summary.ownTradeLagMaxMs).toBeLessThan(100);
  }, 60_000);
});

describe("channels that all deliver", () => {
  test.each([
    ["fast", 0],
    ["all 400 ms late", 400],
  ])(
    "never count as behind when they are %s",
    async (_, delayMs) => {
      const world = await faultyWorld(11);
      world.fault = () => delayMs;
      const bot = await world.startBot(close(world));
      await world.clock.runFor(isSoak ? 900_000 : 300_000);
      expect(world.notesOf("channel")).toEqual([]);
      expect(world.requests.filter((request) => request.startsWith("unsubscribe"))).toEqual([]);
      expect(world.notesOf("ownTrade").length).toBeGreaterThan(isSoak ? 10 : 3);
      expect((await stopped(world, bot)).summary.staleMs).toBe(0);
    },
    60_000,
  );
});
