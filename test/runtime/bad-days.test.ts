import { describe, expect, it } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { defaultStreamTiming } from "../../src/gateway/stream-timing.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { placedIn } from "../kernel/harness.ts";
import { expectVerified, stopped, liveWorld, type World } from "./live-world.ts";

/** What goes wrong around a bot in the long run, each on the virtual clock. */

/** Whatever the bot notes from here on. */
function notesOf(bot: Bot): Note[] {
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  return notes;
}

function warnings(notes: readonly Note[]): string[] {
  return notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

describe("the venue ends every connection at its age", () => {
  const streamLimits = { lifetimeMs: 12_000 };

  it("the next one takes over: no moment without a book, no quote taken down", async () => {
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

  it("without that, the book is lost each time", async () => {
    const world = await liveWorld(21, { streamLimits });
    const bot = await world.start();
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    const end = await stopped(world, bot);
    expect(end.ok).toBe(true);
    expect(end.summary.bookResyncs).toBeGreaterThan(2);
    expect(warnings(notes)).toContain("STREAM_CLOSED");
  });
});

describe("the venue is in trouble", () => {
  it("restarts: quotes are back when it is, once each", async () => {
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

  it("answers the snapshot with 5xx: nothing is placed without a book, and it goes on after", async () => {
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

  it("leaves the socket half-open: found by the ping, and the book is synced anew", async () => {
    const world = await liveWorld(24);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const notes = notesOf(bot);
    world.network.makeSocketsHalfOpen();
    await world.clock.runFor(20_000);
    expect(warnings(notes)).toContain("STREAM_CLOSED");
    expect(notes.findLast((note) => note.type === "bookState")).toMatchObject({ state: "live" });
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary.bookResyncs).toBe(1);
  });
});

describe("the bot stops by itself", () => {
  it("and does not wait for ever for a venue that is gone", async () => {
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

  it("and leaves its journal to the next one, as does a start that failed", async () => {
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
    it(`the venue's by ${byMs / 1000} s: followed, and quoting goes on`, async () => {
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

  it("the venue's by -300 s: cancels go on, new orders wait for it, and it is said how long", async () => {
    const world = await liveWorld(36);
    const bot = await world.start();
    await world.clock.runFor(320_000);
    const notes = notesOf(bot);
    world.venueClock.skewMs = -300_000;
    await world.clock.runFor(70_000);
    const said = notes.flatMap((note) =>
      note.type === "warning" && note.code === "VENUE_CLOCK_BACK" ? [note.message] : [],
    );
    expect(said[0]).toMatch(/no new order for 2\d\d s, cancels go on/);
    expect(said.length).toBeLessThan(4);
    expect(notes).toContainEqual(
      expect.objectContaining({
        type: "quoteReason",
        reason: expect.stringContaining("which was set back"),
      }),
    );
    // Whatever rests can be taken away at any time.
    bot.pause();
    await world.clock.runFor(3_000);
    expect(world.openOrders(bot)).toEqual([]);
    bot.resume();
    await world.clock.runFor(250_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });

  /** A bot whose machine's clock, or whose venue's, is set by so much after 10 s. */
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
    it(`ours by ${byMs / 1000} s: no command is refused for it, and quoting goes on`, async () => {
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
