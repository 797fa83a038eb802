import { describe, expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { placedBy } from "../../src/metrics/counters.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { expectVerified, stopped } from "./live-world.ts";
import { delayed, faultyWorld, type FaultyWorld, type FrameFault } from "./faulty-channels.ts";

const LOST = Number.POSITIVE_INFINITY;

/** Settings of a strategy that quotes close to the mid, so that it is filled often. */
function close({ settings }: FaultyWorld): Pick<FaultyWorld["settings"], "strategies"> {
  const writtenParams = { bidSpread: "0.02%", askSpread: "0.02%", size: "0.05", refresh: "1s" };
  const params = pureMarketMaking.params.parse(writtenParams);
  return { strategies: settings.strategies.map((one) => ({ ...one, params, writtenParams })) };
}

async function running(seed: number): Promise<{ world: FaultyWorld; bot: Bot }> {
  const world = await faultyWorld(seed);
  const bot = await world.startBot();
  await world.clock.runFor(10_000);
  return { world, bot };
}

function placementsSince(world: FaultyWorld, sinceMs: number): number {
  return world.notes.filter(
    ({ atMs, note }) => atMs >= sinceMs && "strategy" in note && placedBy(note) !== undefined,
  ).length;
}

/** How long after its execution each fill was known, of the fills since `sinceMs`. */
function fillLags(world: FaultyWorld, sinceMs: number): readonly number[] {
  return world.notes.flatMap(({ atMs, note }) =>
    note.type === "fill" && atMs > sinceMs ? [atMs - note.fill.timeMs] : [],
  );
}

const reasons = (world: FaultyWorld): ReadonlySet<string | undefined> =>
  new Set(world.notesOf("quoteReason").map(({ reason }) => reason));

const states = (world: FaultyWorld): readonly string[] =>
  world.notesOf("channel").map(({ channel, state }) => `${channel.kind} ${state}`);

describe("a depth channel that dies while snapshots, trades, pongs and REST go on", () => {
  test.each([
    ["silent", LOST],
    ["30 s late", 30_000],
  ])(
    "pulls the quotes when it is %s, and nothing is quoted on the frozen book",
    async (_, delayMs) => {
      const { world, bot } = await running(7);
      world.fault = delayed("depth@", delayMs);
      const brokenMs = world.clock.nowMs();
      await world.clock.runFor(240_000);
      expect(placementsSince(world, brokenMs - 8_000)).toBeGreaterThan(0);
      expect(placementsSince(world, brokenMs + 15_000)).toBe(0);
      expect(world.openOrders(bot)).toEqual([]);
      expect(reasons(world)).toContain(
        "depth channel is behind: a snapshot is newer than the book",
      );
      const { ok, summary } = await stopped(world, bot);
      expect(ok).toBe(true);
      expect(summary.uptimeBid).toBeLessThan(0.05);
      expect(summary.staleMs).toBeGreaterThan(235_000);
      await expectVerified(world);
    },
    60_000,
  );

  test.each<[string, FrameFault]>([
    ["the snapshots are silent, too", delayed("depth", LOST)],
    [
      "all channels of the market are silent",
      (channel) => (channel.startsWith("userEvent") ? 0 : LOST),
    ],
    ["every channel is 30 s late", () => 30_000],
  ])(
    "is noticed by trades, own orders and event times when %s",
    async (_, fault) => {
      const { world, bot } = await running(8);
      world.fault = fault;
      const brokenMs = world.clock.nowMs();
      await world.clock.runFor(300_000);
      expect(placementsSince(world, brokenMs + 60_000)).toBe(0);
      expect((await stopped(world, bot)).summary.uptimeBid).toBeLessThan(0.2);
    },
    60_000,
  );

  test("is behind once, and keeps its quotes, when it goes on 5 s late, within the limit", async () => {
    const { world, bot } = await running(8);
    world.fault = delayed("depth@", 5_000);
    await world.clock.runFor(300_000);
    expect(states(world)).toEqual(["depth behind", "depth live"]);
    expect((await stopped(world, bot)).summary.uptimeBid).toBeGreaterThan(0.9);
  }, 60_000);

  test("delivers again after a new subscription, before any quote is pulled", async () => {
    const { world, bot } = await running(7);
    const firstConnection = world.requests.length;
    world.fault = (channel, subscription) =>
      channel.startsWith("depth@") && subscription === 1 ? LOST : 0;
    await world.clock.runFor(120_000);
    expect(world.requests.slice(firstConnection)).toEqual([
      "unsubscribe depth@1_2",
      "subscribe depth@1_2",
    ]);
    expect(states(world)).toEqual(["depth behind", "depth live"]);
    expect([...reasons(world)].filter((reason) => reason?.includes("channel"))).toEqual([]);
    const { summary } = await stopped(world, bot);
    expect(summary.uptimeBid).toBeGreaterThan(0.9);
    expect(summary.staleMs).toBeLessThan(5_000);
    await expectVerified(world);
  }, 60_000);

  test("delivers again after a new connection, and quotes return", async () => {
    const { world, bot } = await running(7);
    const firstConnection = world.requests.length;
    world.fault = (channel, subscription) =>
      channel.startsWith("depth@") && subscription <= 2 ? LOST : 0;
    await world.clock.runFor(60_000);
    expect(world.requests.slice(firstConnection)).toEqual([
      "unsubscribe depth@1_2",
      "subscribe depth@1_2",
      ...world.requests.slice(0, firstConnection),
    ]);
    expect(states(world)).toEqual(["depth behind", "depth live"]);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    await stopped(world, bot);
  }, 60_000);

  test("is not hammered: connections are replaced after waits that double", async () => {
    const { world, bot } = await running(7);
    const firstConnection = world.requests.length;
    world.fault = delayed("depth@", LOST);
    await world.clock.runFor(600_000);
    const connections = world.requests.slice(firstConnection).filter((request) => {
      return request === "subscribe trade@1_2";
    });
    expect(connections.length).toBeGreaterThan(3);
    expect(connections.length).toBeLessThan(10);
    await stopped(world, bot);
  }, 60_000);
});

describe("a user channel that dies while all else goes on", () => {
  test.each([
    ["silent", LOST],
    ["30 s late", 30_000],
  ])(
    "pulls the quotes when it is %s, and the summary claims no uptime for that time",
    async (_, delayMs) => {
      const { world, bot } = await running(9);
      world.fault = delayed("userEvent@", delayMs);
      await world.clock.runFor(600_000);
      expect(reasons(world)).toContain("user channel is behind: an event did not come");
      const { ok, summary } = await stopped(world, bot);
      expect(ok).toBe(true);
      expect(summary.uptimeBid).toBeLessThan(0.1);
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
      await world.clock.runFor(900_000);
      expect(world.notesOf("channel")).toEqual([]);
      expect(world.requests.filter((request) => request.startsWith("unsubscribe"))).toEqual([]);
      expect(world.notesOf("ownTrade").length).toBeGreaterThan(10);
      expect((await stopped(world, bot)).summary.staleMs).toBe(0);
    },
    60_000,
  );
});
