import { describe, expect, test } from "vitest";
import { z } from "zod";
import { placedBy } from "../../src/metrics/counters.ts";
import { defineStrategy, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { startLive } from "../../src/runtime/live.ts";
import { stopped, strategiesOf } from "./live-world.ts";
import { faultyWorld, type FaultyWorld } from "./faulty-channels.ts";

const LOST = Number.POSITIVE_INFINITY;

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

/** All market data of a market is silent from now on; user events, pongs and REST go on. */
function freeze(world: FaultyWorld): number {
  world.fault = (channel) => (channel.startsWith("userEvent") ? 0 : LOST);
  return world.clock.nowMs();
}

function placementsSince({ notes }: FaultyWorld, sinceMs: number): number {
  return notes.filter(
    ({ atMs, note }) => atMs >= sinceMs && "strategy" in note && placedBy(note) !== undefined,
  ).length;
}

describe("all market data of a market freezes while pongs, user events and REST go on", () => {
  test("no quote of a strategy that keeps its quotes rests a minute later", async () => {
    const world = await faultyWorld(7);
    const bot = await world.startBot({
      strategies: strategiesOf([{ name: "maker", definition: patient }]),
    });
    await world.clock.runFor(20_000);
    expect(world.openOrders(bot)).toHaveLength(2);
    freeze(world);
    await world.clock.runFor(60_000);
    expect(world.openOrders(bot)).toHaveLength(0);
  }, 60_000);

  test("pure market making places nothing on the frozen book from half a minute on, and rests nothing", async () => {
    const world = await faultyWorld(1);
    const bot = await world.startBot();
    await world.clock.runFor(20_000);
    const brokenMs = freeze(world);
    await world.clock.runFor(300_000);
    expect(placementsSince(world, brokenMs - 20_000)).toBeGreaterThan(0);
    expect(placementsSince(world, brokenMs + 30_000)).toBe(0);
    expect(world.openOrders(bot)).toHaveLength(0);
  }, 60_000);
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

describe("a depth channel whose events go on with fresh ids and times, but without levels", () => {
  test("is noticed without snapshots, by trades through its touch and by own orders", async () => {
    const world = await faultyWorld(1);
    let isBroken = false;
    const inner = world.ports.connector;
    const connector: typeof inner = {
      connect: (url, handlers) =>
        inner.connect(url, {
          ...handlers,
          frame(data) {
            const channel = /"channel":"([^"@]+)@/.exec(new TextDecoder().decode(data))?.[1];
            if (!isBroken || channel === undefined) handlers.frame(data);
            else if (channel === "depth") handlers.frame(emptied(data));
            else if (channel !== "depthSnapshot") handlers.frame(data);
          },
        }),
    };
    const bot = await world.settle(startLive(world.settings, { ...world.ports, connector }));
    let fills = 0;
    bot.observers.on(({ notes }) => {
      for (const note of notes) if (isBroken && note.type === "fill") fills += 1;
    });
    await world.clock.runFor(20_000);
    isBroken = true;
    await world.clock.runFor(300_000);
    const open = world.openOrders(bot).length;
    const { summary } = await stopped(world, bot);
    expect({ open, isStaleClaimed: summary.staleMs > 100_000, manyFills: fills > 20 }).toEqual({
      open: 0,
      isStaleClaimed: true,
      manyFills: false,
    });
  }, 60_000);
});

/** Quotes 0.02 % around the mid once, and keeps its quotes until both are gone. */
const resting = defineStrategy({
  name: "resting",
  params: z.strictObject({}),
  init: () => ({ atMs: 0 }),
  decide({ view, state }) {
    if (view.nowMs - state.atMs < 3_600_000) return keepQuotes();
    const { mid } = view.book;
    if (mid === undefined) return keepQuotes();
    state.atMs = view.nowMs;
    return setQuotes({
      bids: [{ price: mid * 0.9993, size: "0.05" }],
      asks: [{ price: mid * 1.0007, size: "0.05" }],
    });
  },
});

describe("the user channel and the trade channel die together while depth, pongs and REST go on", () => {
  test("no fill is unknown for longer than the limit of stale-book", async () => {
    const world = await faultyWorld(9);
    await world.startBot({ strategies: strategiesOf([{ name: "maker", definition: resting }]) });
    await world.clock.runFor(10_000);
    world.fault = (channel) =>
      channel.startsWith("userEvent") || channel.startsWith("trade") ? LOST : 0;
    const brokenMs = world.clock.nowMs();
    await world.clock.runFor(600_000);
    const lags = world.notes.flatMap(({ atMs, note }) =>
      note.type === "fill" && atMs > brokenMs ? [atMs - note.fill.timeMs] : [],
    );
    expect(lags.length).toBeGreaterThan(0);
    expect(Math.max(...lags)).toBeLessThan(12_000);
  }, 60_000);
});
