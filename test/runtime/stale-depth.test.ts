import { describe, expect, test } from "vitest";
import { expectVerified, stopped } from "./live-world.ts";
import {
  delayed,
  type FrameFault,
  LOST,
  quoted,
  reasons,
  running,
  states,
} from "./faulty-channels.ts";

describe("a depth channel that dies while REST goes on", () => {
  test.each<[string, FrameFault]>([
    ["is silent", delayed("depth@", LOST)],
    ["is 30 s late", delayed("depth@", 30_000)],
    ["is 5 s late", delayed("depth@", 5_000)],
    ["is silent with the snapshots", delayed("depth", LOST)],
    [
      "is silent with all channels of the market",
      (channel) => (channel.startsWith("userEvent") ? 0 : LOST),
    ],
    ["is 30 s late with every channel", () => 30_000],
  ])(
    "and %s costs no quote: they follow the books that are read over REST",
    async (_, fault) => {
      const { world, bot } = await running(7);
      world.fault = fault;
      const { share, farthest } = await quoted(world, bot, 240);
      expect(share).toBeGreaterThan(0.9);
      expect(farthest).toBeLessThan(0.01);
      expect((await stopped(world, bot)).ok).toBe(true);
      await expectVerified(world);
    },
    60_000,
  );

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
