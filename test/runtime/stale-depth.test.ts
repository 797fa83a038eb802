import { describe, expect, test } from "vitest";
import { placedBy } from "../../src/metrics/counters.ts";
import { expectVerified, stopped } from "./live-world.ts";
import {
  delayed,
  type FaultyWorld,
  type FrameFault,
  LOST,
  reasons,
  running,
  states,
} from "./faulty-channels.ts";

function placementsSince(world: FaultyWorld, sinceMs: number): number {
  return world.notes.filter(
    ({ atMs, note }) => atMs >= sinceMs && "strategy" in note && placedBy(note) !== undefined,
  ).length;
}

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
