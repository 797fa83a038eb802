import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineStrategy, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { startLive } from "../../src/runtime/live.ts";
import { stopped, strategiesOf } from "./live-world.ts";
import { faultyWorld, quoted } from "./faulty-channels.ts";

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
}, 60_000);

/** Empties a depth event: its ids and its time stay as they are. */
function emptied(data: Uint8Array): Uint8Array {
  const frame = JSON.parse(new TextDecoder().decode(data)) as {
    params: { result: { bids: unknown; asks: unknown } };
  };
  frame.params.result.bids = [];
  frame.params.result.asks = [];
  return new TextEncoder().encode(JSON.stringify(frame));
}

/** A world in which depth events are empty once `isBroken` is set; with `isAudited`, snapshots go on. */
async function emptyEvents(isAudited: boolean) {
  const world = await faultyWorld(1);
  const state = { isBroken: false };
  const inner = world.ports.connector;
  const connector: typeof inner = {
    connect: (url, handlers) =>
      inner.connect(url, {
        ...handlers,
        frame(data) {
          const channel = /"channel":"([^"@]+)@/.exec(new TextDecoder().decode(data))?.[1];
          if (!state.isBroken || channel === undefined) handlers.frame(data);
          else if (channel === "depth") handlers.frame(emptied(data));
          else if (isAudited || channel !== "depthSnapshot") handlers.frame(data);
        },
      }),
  };
  const bot = await world.settle(startLive(world.settings, { ...world.ports, connector }));
  return { world, state, bot };
}

describe("a depth channel whose events go on with fresh ids and times, but without levels", () => {
  test.each([
    ["without", false],
    ["with", true],
  ])(
    "is found by the book over REST %s snapshots, and warned of once",
    async (_, isAudited) => {
      const { world, state, bot } = await emptyEvents(isAudited);
      let fills = 0;
      const codes: string[] = [];
      const behind: string[] = [];
      bot.observers.on(({ notes }) => {
        for (const note of notes) {
          if (state.isBroken && note.type === "fill") fills += 1;
          if (note.type === "warning") codes.push(note.code);
          if (note.type === "channel") behind.push(`${note.state} ${note.reason}`.trim());
        }
      });
      await world.clock.runFor(20_000);
      state.isBroken = true;
      await quoted(world, bot, 200);
      expect(behind).toEqual(["behind its events make a wrong book"]);
      expect(codes.filter((code) => code === "BOOK_MISMATCH")).toHaveLength(1);
      state.isBroken = false;
      await world.clock.runFor(20_000);
      expect(behind.at(-1)).toBe("live");
      await stopped(world, bot);
    },
    60_000,
  );
});

test("a depth channel whose lag comes and goes, up to 3 s, costs no quote, and few connections", async () => {
  const world = await faultyWorld(8);
  const bot = await world.startBot();
  await world.clock.runFor(10_000);
  let dueMs = 0;
  world.fault = (channel) => {
    if (!channel.startsWith("depth@")) return 0;
    const nowMs = world.clock.nowMs();
    const lagMs = 1_500 * (1 - Math.cos((2 * Math.PI * nowMs) / 5_000));
    // One channel delivers in order.
    dueMs = Math.max(dueMs, nowMs + Math.round(lagMs));
    return dueMs - nowMs;
  };
  const { length } = world.requests;
  const { share, farthest } = await quoted(world, bot, 600);
  expect(share).toBeGreaterThan(0.9);
  expect(farthest).toBeLessThan(0.01);
  const connections = world.requests.slice(length).filter((one) => one === "subscribe trade@1_2");
  expect(connections.length).toBeLessThan(10);
  await stopped(world, bot);
}, 60_000);

/** One quote a side that stays. */
const steady = defineStrategy({
  name: "steady",
  params: z.strictObject({}),
  init: () => ({}),
  decide: () =>
    setQuotes({ bids: [{ price: 90, size: "0.5" }], asks: [{ price: 110, size: "0.5" }] }),
});

test("a market in which nothing happens for two hours keeps its quotes", async () => {
  const world = await faultyWorld(3, { flow: "none" });
  const strategies = strategiesOf([{ name: "maker", definition: steady }]);
  // A book without orders of others has no mid.
  const bot = await world.startBot({ strategies, risk: riskSchema.parse({ priceCollar: null }) });
  await world.clock.runFor(20_000);
  const placed = world.openOrders(bot).map(({ orderId }) => orderId);
  expect(placed).toHaveLength(2);
  await world.clock.runFor(7_200_000);
  expect(world.openOrders(bot).map(({ orderId }) => orderId)).toEqual(placed);
  expect(world.notesOf("channel")).toEqual([]);
  expect((await stopped(world, bot)).summary).toMatchObject({ staleMs: 0 });
}, 120_000);

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
