import { describe, expect, it } from "vitest";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { defaultStreamTiming } from "../../src/gateway/stream-timing.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { placedIn } from "../kernel/harness.ts";
import { expectVerified, stopped, liveWorld, type World } from "./live-world.ts";

/** Failures around a long-running bot, on a virtual clock. */

/** Collects the bot's notes from now on. */
function notesOf(bot: Bot): Note[] {
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  return notes;
}

function warnings(notes: readonly Note[]): string[] {
  return notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

describe("a venue that limits the age of connections", () => {
  const streamLimits = { lifetimeMs: 12_000 };

  it("a bot that reconnects in time keeps its book and its quotes", async () => {
    const world = await liveWorld(21, { streamLimits });
    const bot = await world.start({ streams: { ...defaultStreamTiming, lifetimeMs: 8_000 } });
    const notes = notesOf(bot);
    await world.clock.runFor(120_000);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ bookResyncs: 0, bookAuditMismatches: 0, ordersLeft: 0 });
    expect(end.summary.bookAudits).toBeGreaterThan(150);
    expect(end.summary.uptimeBid).toBeGreaterThan(0.97);
    expect(warnings(notes)).toEqual([]);
    const states = notes.flatMap((note) => (note.type === "bookState" ? [note.state] : []));
    expect(states.filter((state) => state !== "live")).toEqual([]);
    expect(
      notes.filter((note) => note.type === "quoteReason" && note.reason?.includes("sync")),
    ).toEqual([]);
    await expectVerified(world);
  });
});

describe("a venue that fails for a while", () => {
  it("has each quote exactly once after its restart", async () => {
    const world = await liveWorld(22);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    world.network.faults.refuse = true;
    world.network.cutSockets();
    await world.clock.runFor(15_000);
    world.network.faults.refuse = false;
    await world.clock.runFor(20_000);
    const open = world.openOrders(bot);
    expect(open.filter(({ side }) => side === "BUY")).toHaveLength(2);
    expect(open.filter(({ side }) => side === "SELL")).toHaveLength(2);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ unknownOutcomes: 0, ordersLeft: 0 });
    await expectVerified(world);
  });

  it("gets no orders while it answers snapshots with 5xx, and quotes again afterwards", async () => {
    const world = await liveWorld(23);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const notes = notesOf(bot);
    world.network.faults.unavailable = 1;
    world.network.cutSockets();
    await world.clock.runFor(8_000);
    expect(placedIn(notes)).toEqual([]);
    expect(warnings(notes)).toContain("READ_FAILED");
    world.network.faults.unavailable = 0;
    await world.clock.runFor(25_000);
    expect(notes.some((note) => note.type === "bookState" && note.state === "live")).toBe(true);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});

describe("a bot that stops by itself", () => {
  it("does not wait forever for a venue that does not respond", async () => {
    const world = await liveWorld(26);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const before = world.clock.elapsedMs;
    world.network.faults.frozen = true;
    world.store.roomBytes = 0;
    const end = await world.settle(bot.done);
    expect(world.clock.elapsedMs - before).toBeLessThan(45_000);
    expect(end.ok).toBe(false);
    expect(end.reason).toMatch(/journal cannot be written.*could not be settled within 10 s/);
    expect(end.inQuestion.length).toBeGreaterThan(0);
  });

  it("does not name orders that it saw end after its journal failed", async () => {
    const world = await liveWorld(28);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    world.store.roomBytes = 0;
    const end = await world.settle(bot.done);
    expect(world.openOrders(bot)).toEqual([]);
    expect(end).toMatchObject({ ok: false, inQuestion: [], summary: { ordersLeft: 0 } });
    expect(end.reason).toContain("the journal cannot be written");
  });

  it("unlocks its journal for the next bot, and so does a failed start", async () => {
    const world = await liveWorld(27);
    const { rest, ws } = world.settings.venue;
    await expect(
      world.start({ venue: { rest: rest.replace("venue", "nobody"), ws, chainId: 1001 } }),
    ).rejects.toMatchObject({ outcome: "not-sent" });
    const first = await world.start();
    await world.clock.runFor(5_000);
    expect(await stopped(world, first)).toMatchObject({ ok: true });
    const second = await world.start();
    expect(await stopped(world, second)).toMatchObject({ ok: true });
  });
});

describe("clocks that jump", () => {
  for (const byMs of [3_600_000, -20_000]) {
    it(`quoting continues when the venue's clock jumps by ${byMs / 1000} s`, async () => {
      const world = await liveWorld(byMs > 0 ? 34 : 35);
      const bot = await world.start();
      await world.clock.runFor(10_000);
      const notes = notesOf(bot);
      world.venueClock.skewMs = byMs;
      await world.clock.runFor(100_000);
      expect(warnings(notes)).toContain("CLOCK_OFFSET");
      expect(world.openOrders(bot)).toHaveLength(4);
      const end = await stopped(world, bot);
      expect(end).toMatchObject({ ok: true, inQuestion: [] });
      expect(end.summary.uptimeBid).toBeGreaterThan(0.8);
      await expectVerified(world);
    });
  }

  /** Starts a bot whose machine's clock jumps by `byMs` after 10 s. */
  async function jump(seed: number, byMs: number): Promise<[World, Bot, Note[]]> {
    const world = await liveWorld(seed);
    const machine = { skewMs: 0 };
    const bot = await world.settle(
      startLive(world.settings, {
        ...world.ports,
        clock: {
          nowMs: () => unixMs(world.clock.nowMs() + machine.skewMs),
          monotonicUs: () => world.clock.monotonicUs(),
        },
      }),
    );
    await world.clock.runFor(10_000);
    const notes = notesOf(bot);
    machine.skewMs = byMs;
    return [world, bot, notes];
  }

  for (const [seed, byMs] of [
    [31, 3_600_000],
    [32, -3_600_000],
    [33, 90_000],
  ] as const) {
    it(`no command is refused and quoting continues when the machine's clock jumps by ${byMs / 1000} s`, async () => {
      const [world, bot, notes] = await jump(seed, byMs);
      await world.clock.runFor(40_000);
      expect(warnings(notes)).toEqual(["CLOCK_STEPPED"]);
      expect(world.openOrders(bot)).toHaveLength(4);
      const end = await stopped(world, bot);
      expect(end).toMatchObject({ ok: true, inQuestion: [] });
      expect(end.summary).toMatchObject({ ordersRejected: 0, unknownOutcomes: 0 });
      expect(end.summary.uptimeAsk).toBeGreaterThan(0.95);
      expect(end.summary.durationMs).toBeLessThan(60_000);
      await expectVerified(world);
    });
  }
});

describe("a network that is down for longer than quotes may rest", () => {
  it("gets quotes of now as soon as it is back, long before the strategy's next refresh", async () => {
    const world = await liveWorld(26);
    const written = { bidSpread: "0.1%", askSpread: "0.1%", size: "0.5", refresh: "10m" };
    const [maker] = world.settings.strategies;
    if (maker === undefined) throw new Error("a strategy");
    const params = maker.definition.params.parse(written);
    const strategies = [{ ...maker, params, writtenParams: written }];
    const bot = await world.start({ strategies });
    await world.clock.runFor(10_000);
    const before = world.openOrders(bot);
    expect(before).toHaveLength(2);

    world.network.faults.refuse = true;
    world.network.cutSockets();
    await world.clock.runFor(45_000);
    world.network.faults.refuse = false;
    await world.clock.runFor(10_000);
    const after = world.openOrders(bot);
    expect(after.map(({ side }) => side).sort()).toEqual(["BUY", "SELL"]);
    const prices = (orders: typeof after) =>
      orders.map(({ price }) => fixedToNumber(price)).sort((left, right) => left - right);
    const [low = 0, high = 0] = prices(after);
    // Around one fair price, wider while the book is, and another one than before.
    expect(high / low).toBeGreaterThan(1.0019);
    expect(high / low).toBeLessThan(1.004);
    for (const price of prices(before)) expect([low, high]).not.toContain(price);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});
