import { describe, expect, test } from "vitest";
import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { scripted } from "../kernel/harness.ts";
import { liveWorld, stopped, strategiesOf, type StrategyChoice, type World } from "./live-world.ts";

/** A bot is killed; somebody edits `market:` or `name:` of a strategy and starts it again with the same journal. */

const options = { moreMarkets: ["3"], prices: { "1_2": 100, "3_2": 100 } } as const;

/** One bid far from the market that is never filled. */
const farBid = scripted(({ nowMs }) =>
  setQuotes({ bids: [{ price: 96, size: "1" }], tolerance: 0.001, wakeAtMs: nowMs + 1000 }),
);

/** Runs a bot with these strategies for a while and kills it. */
async function killed(world: World, choices: readonly StrategyChoice[]): Promise<Bot> {
  const { bot, kill } = await world.startProcess({ strategies: strategiesOf(choices) });
  await world.clock.runFor(10_000);
  kill();
  return bot;
}

/** The next run, its notes, and its end as long as it has none. */
async function restarted(world: World, choices: readonly StrategyChoice[]) {
  const bot = await world.start({ strategies: strategiesOf(choices) });
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  const ends: string[] = [];
  void bot.done.then(({ reason }) => ends.push(reason));
  const warnings = (): string[] =>
    notes.flatMap((note) =>
      note.type === "warning" && note.code.startsWith("ORPHANED") ? [note.message] : [],
    );
  return { bot, notes, ends, warnings };
}

describe("a strategy whose market changed while its orders were open", () => {
  test("gets the old market's orders canceled, and fills of them end nothing", async () => {
    const world = await liveWorld(3, options);
    const first = await killed(world, [{ name: "maker", marketId: "3_2" }]);
    expect(world.openOrders(first, "3_2")).toHaveLength(4);
    // Some are filled while no bot runs.
    await world.clock.runFor(120_000);
    const { bot, notes, ends, warnings } = await restarted(world, [{ name: "maker" }]);
    await world.clock.runFor(30_000);
    expect(ends).toEqual([]);
    expect(world.openOrders(bot, "3_2")).toEqual([]);
    expect(world.openOrders(bot, "1_2")).toHaveLength(4);
    const fills = notes.flatMap((note) => (note.type === "fill" ? [note.fill.marketId] : []));
    expect(fills).toContain("3_2");
    expect(warnings()[0]).toMatch(/^\d orders? of strategy maker in 3_2 /);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [], summary: { ordersLeft: 0 } });
    // Fills of the old market are counted, but they are no inventory of the new one.
    const own = notes.flatMap((note) =>
      note.type === "fill" && note.fill.marketId === "1_2" ? [note.fill] : [],
    );
    expect(end.summary.fills).toBe(fills.length);
    expect(own.length).toBeLessThan(fills.length);
  });

  test("does not take an order of the old market for a quote of the new one", async () => {
    const world = await liveWorld(3, options);
    const choice = { name: "maker", definition: farBid };
    await killed(world, [{ ...choice, marketId: "3_2" }]);
    const { bot } = await restarted(world, [choice]);
    await world.clock.runFor(60_000);
    expect(world.openOrders(bot, "3_2")).toEqual([]);
    expect(world.openOrders(bot, "1_2")).toHaveLength(1);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });
});

describe("strategies of an earlier run", () => {
  test("that are not in the config any more get their orders canceled, with a warning", async () => {
    const world = await liveWorld(3, options);
    await killed(world, [
      { name: "old", definition: farBid },
      { name: "gone", marketId: "3_2", definition: farBid },
    ]);
    const { bot, warnings } = await restarted(world, [{ name: "new", definition: farBid }]);
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toHaveLength(1);
    expect(warnings()).toEqual([
      "1 order of strategy old in 1_2 is left from an earlier run and will be canceled: no strategy of this name is in the config",
      "1 order of strategy gone in 3_2 is left from an earlier run and will be canceled: no strategy of this name is in the config",
    ]);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });

  test("that swapped their names get each other's orders canceled and quote anew", async () => {
    const world = await liveWorld(3, options);
    await killed(world, [
      { name: "one", marketId: "1_2", definition: farBid },
      { name: "two", marketId: "3_2", definition: farBid },
    ]);
    const { bot, warnings } = await restarted(world, [
      { name: "one", marketId: "3_2", definition: farBid },
      { name: "two", marketId: "1_2", definition: farBid },
    ]);
    const before = world.openOrders(bot).map(({ orderId }) => orderId);
    await world.clock.runFor(20_000);
    const after = world.openOrders(bot);
    expect(after.map(({ marketId }) => marketId).sort()).toEqual(["1_2", "3_2"]);
    expect(after.filter(({ orderId }) => before.includes(orderId))).toEqual([]);
    expect(warnings()).toEqual([
      "1 order of strategy one in 1_2 is left from an earlier run and will be canceled: the strategy trades 3_2 now",
      "1 order of strategy two in 3_2 is left from an earlier run and will be canceled: the strategy trades 1_2 now",
    ]);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });
});

test("a side whose quotes an earlier run left, and which keeps them, is shown as quoted", async () => {
  const world = await liveWorld(44);
  const keep = scripted((view) =>
    setQuotes({
      bids: [{ price: (view.book.mid ?? 0) * 0.97, size: "0.5" }],
      tolerance: 0.05,
      wakeAtMs: view.nowMs + 1_000,
    }),
  );
  const strategies = strategiesOf([{ name: "maker", definition: keep }]);
  const killed = await world.startProcess({ strategies });
  await world.clock.runFor(10_000);
  killed.kill();
  const bot = await world.start({ strategies });
  const [market] = bot.markets;
  if (market === undefined) throw new Error("a market of the bot");
  const fold = new DashboardFold([{ strategy: "maker", market }], 20);
  bot.observers.on((entry) => fold.observe(entry));
  await world.clock.runFor(10_000);
  const latency = { tickToOrderP50Us: null, tickToOrderP99Us: null };
  const [panel] = fold.snapshot(
    {
      latency,
      calls: [],
      sources: [],
      missed: 0,
      nets: [],
      uptimes: new Map(),
      described: new Map(),
      standstills: new Map(),
    },
    0,
  ).panels;
  expect(panel?.orders).toHaveLength(1);
  expect(panel?.reason).toEqual({ BUY: null, SELL: "the strategy wants none" });
  await stopped(world, bot);
});
