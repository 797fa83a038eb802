import { describe, expect, test } from "vitest";
import { z } from "zod";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { startLive } from "../../src/runtime/live.ts";
import { defineStrategy, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import {
  delayed,
  type FrameFault,
  faultyWorld,
  type FaultyWorld,
  LOST,
  quoted,
  running,
  states,
} from "./faulty-channels.ts";
import { expectVerified, stopped, strategiesOf } from "./live-world.ts";

/** Channels that die in a whole bot; `test/kernel/freshness.test.ts` has what the kernel does about each. */

/** Settings of a strategy that quotes close to the mid, so that it is filled often. */
function close({ settings }: FaultyWorld): Pick<FaultyWorld["settings"], "strategies"> {
  const writtenParams = { bidSpread: "0.02%", askSpread: "0.02%", size: "0.05", refresh: "1s" };
  const params = pureMarketMaking.params.parse(writtenParams);
  return { strategies: settings.strategies.map((one) => ({ ...one, params, writtenParams })) };
}

describe("a channel that dies while REST goes on", () => {
  test.each<[string, FrameFault]>([
    ["the depth channel is silent", delayed("depth@", LOST)],
    ["the depth channel is 5 s late", delayed("depth@", 5_000)],
    ["every channel is 30 s late", () => 30_000],
    ["the user channel is silent", delayed("userEvent@", LOST)],
  ])("costs no quote: books, own orders and fills are read over REST (%s)", async (_, fault) => {
    const { world, bot } = await running(7);
    world.fault = fault;
    const { share, farthest } = await quoted(world, bot, 60);
    expect(share).toBeGreaterThan(0.9);
    expect(farthest).toBeLessThan(0.01);
    expect((await stopped(world, bot)).ok).toBe(true);
    await expectVerified(world);
  });

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
  });

  test("leaves no fill unknown for more than three seconds while quotes are allowed to stay", async () => {
    const world = await faultyWorld(9);
    const bot = await world.startBot({
      ...close(world),
      risk: riskSchema.parse({ staleBook: null }),
    });
    await world.clock.runFor(10_000);
    world.fault = delayed("userEvent@", LOST);
    const brokenMs = world.clock.nowMs();
    await world.clock.runFor(150_000);
    const lags = world.notes.flatMap(({ atMs, note }) =>
      note.type === "fill" && atMs > brokenMs ? [atMs - note.fill.timeMs] : [],
    );
    expect(lags.length).toBeGreaterThan(3);
    expect(Math.max(...lags)).toBeLessThan(3_000);
    await stopped(world, bot);
  });
});

test("channels that are all 400 ms late never count as behind", async () => {
  const world = await faultyWorld(11);
  world.fault = () => 400;
  const bot = await world.startBot(close(world));
  await world.clock.runFor(60_000);
  expect(world.notesOf("channel")).toEqual([]);
  expect(world.requests.filter((request) => request.startsWith("unsubscribe"))).toEqual([]);
  expect(world.notesOf("ownTrade").length).toBeGreaterThan(3);
  expect((await stopped(world, bot)).summary.staleMs).toBe(0);
});

/** Quotes 0.1 % around the mid, and keeps its quotes for as long as the mid is the same within 0.02 %. */
const patient = defineStrategy({
  name: "patient",
  params: z.strictObject({}),
  init: () => ({ mid: 0 }),
  decide({ view, state }) {
    const { mid } = view.book;
    if (mid === undefined || Math.abs(mid - state.mid) < 0.0002 * mid) return keepQuotes();
    state.mid = mid;
    return setQuotes({
      bids: [{ price: mid * 0.999, size: "0.5" }],
      asks: [{ price: mid * 1.001, size: "0.5" }],
    });
  },
});

test("all market data of a market that freezes leave no quote of a patient strategy behind the market", async () => {
  const world = await faultyWorld(7);
  const bot = await world.startBot({
    strategies: strategiesOf([{ name: "maker", definition: patient }]),
  });
  await world.clock.runFor(20_000);
  world.fault = (channel) => (channel.startsWith("userEvent") ? 0 : LOST);
  const { share, farthest } = await quoted(world, bot, 120);
  expect(share).toBeGreaterThan(0.9);
  expect(farthest).toBeLessThan(0.004);
});

/** Empties a depth event: its ids and its time stay as they are. */
function emptied(data: Uint8Array): Uint8Array {
  const frame = JSON.parse(new TextDecoder().decode(data)) as {
    params: { result: { bids: unknown; asks: unknown } };
  };
  frame.params.result.bids = [];
  frame.params.result.asks = [];
  return new TextEncoder().encode(JSON.stringify(frame));
}

test("depth events with fresh ids and times, but without levels, are found by the book over REST, and warned of once", async () => {
  const world = await faultyWorld(1, { flow: "synthetic" });
  let isBroken = false;
  const inner = world.ports.connector;
  const connector: typeof inner = {
    connect: (url, handlers) =>
      inner.connect(url, {
        ...handlers,
        frame(data) {
          const channel = /"channel":"([^"@]+)@/.exec(new TextDecoder().decode(data))?.[1];
          if (!isBroken || !channel?.startsWith("depth")) handlers.frame(data);
          else if (channel === "depth") handlers.frame(emptied(data));
        },
      }),
  };
  const bot = await world.settle(startLive(world.settings, { ...world.ports, connector }));
  const codes: string[] = [];
  const behind: string[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) {
      if (note.type === "warning") codes.push(note.code);
      if (note.type === "channel") behind.push(`${note.state} ${note.reason}`.trim());
    }
  });
  await world.clock.runFor(20_000);
  isBroken = true;
  await world.clock.runFor(100_000);
  expect(behind).toEqual(["behind its events make a wrong book"]);
  expect(codes.filter((code) => code === "BOOK_MISMATCH")).toHaveLength(1);
  isBroken = false;
  await world.clock.runFor(20_000);
  expect(behind.at(-1)).toBe("live");
  await stopped(world, bot);
});
