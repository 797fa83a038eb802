import { describe, expect, it } from "vitest";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { HaltFile } from "../../src/runtime/halt-file.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A bot whose disk hangs for minutes, for example because its volume is being repaired. Its last durable entry is of 20 s. */
async function hangingWorld() {
  const world = await liveWorld(61);
  const bot = await world.start();
  await world.clock.runFor(20_000);
  expect(world.openOrders(bot).length).toBeGreaterThan(0);
  world.store.isStuck = true;
  const hangsSinceMs = world.clock.nowMs();
  return { world, bot, hangsSinceMs };
}

/** Number of modifies that the newest run decided from this time on, our clock. */
function modifiesSince({ store }: World, sinceMs: number): number {
  const run = listRuns(store, "journal").at(-1);
  if (run === undefined) throw new Error("no run");
  let count = 0;
  for (const entry of entriesOfRun(store, run)) {
    if (entry.type !== "batch" || entry.entry.batch.nowMs < sinceMs) continue;
    count += entry.entry.effects.filter(({ type }) => type === "modify").length;
  }
  return count;
}

describe("while the disk hangs, with durability power", () => {
  async function powerWorld() {
    const world = await liveWorld(61);
    const journal = { ...world.settings.journal, durability: "power" } as const;
    const bot = await world.start({ journal });
    await world.clock.runFor(20_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    world.store.isStuck = true;
    const hangsSinceMs = world.clock.nowMs();
    return { world, bot, hangsSinceMs };
  }

  it("a bot cancels quotes that it wants no more, and places none until the disk is back", async () => {
    const { world, bot, hangsSinceMs } = await powerWorld();
    await world.clock.runFor(60_000);
    const newest = world.openOrders(bot).map(({ createdAtMs }) => createdAtMs - hangsSinceMs);
    expect(Math.max(0, ...newest)).toBe(0);
    bot.resume();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toEqual([]);
    world.store.isStuck = false;
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    await expectVerified(world);
  });

  it.each([
    ["a pause", (bot: Bot) => bot.pause()],
    ["a halt", (bot: Bot) => void bot.halt("news")],
  ])("%s cancels", async (_, act) => {
    const { world, bot } = await powerWorld();
    act(bot);
    await world.clock.runFor(3_000);
    expect(world.openOrders(bot)).toEqual([]);
  });

  it("a stop cancels and ends well, within its limit", async () => {
    const { world, bot } = await powerWorld();
    await world.clock.runFor(500);
    const stoppedMs = world.clock.nowMs();
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(world.openOrders(bot)).toEqual([]);
    expect(world.clock.nowMs() - stoppedMs).toBeLessThanOrEqual(13_000);
  });

  it("a stop without a network names the orders within its limit", async () => {
    const { world, bot } = await powerWorld();
    world.network.faults.refuse = true;
    const stoppedMs = world.clock.nowMs();
    const end = await stopped(world, bot);
    expect(end.ok).toBe(false);
    const resting = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(end.inQuestion).toEqual(expect.arrayContaining(resting));
    expect(world.clock.nowMs() - stoppedMs).toBeLessThanOrEqual(13_000);
  });
});

it("a pause is not done while orders of the step before it wait for the disk", async () => {
  const world = await liveWorld(61);
  const journal = { ...world.settings.journal, durability: "power" } as const;
  const bot = await world.start({ journal });
  await world.clock.runFor(20_000);
  bot.pause();
  await world.clock.runFor(3_000);
  expect(bot.openOrders("quotes")).toEqual([]);
  world.store.isStuck = true;
  bot.resume();
  await world.clock.runFor(100);
  bot.pause();
  await world.clock.runFor(500);
  const waiting = bot.openOrders("quotes");
  expect(waiting).toHaveLength(4);
  expect(bot.openOrders("quotes", "another")).toEqual([]);
  world.store.isStuck = false;
  await world.clock.runUntil(() => world.openOrders(bot).length > 0, 1_000);
  expect(waiting).toContain(world.openOrders(bot)[0]?.orderId);
  await world.clock.runUntil(() => bot.openOrders("quotes").length === 0, 3_000);
  expect(bot.openOrders("quotes")).toEqual([]);
  expect(world.openOrders(bot)).toEqual([]);
  await stopped(world, bot);
});

it.each(["process", "power"] as const)(
  "orders that are not sent while the disk hangs are warned about at once, then once a minute, with durability %s",
  async (durability) => {
    const world = await liveWorld(61);
    const bot = await world.start({ journal: { ...world.settings.journal, durability } });
    await world.clock.runFor(20_000);
    const warnings: string[] = [];
    bot.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type === "warning" && note.code === "ORDERS_NOT_SENT") warnings.push(note.message);
      }
    });
    await world.clock.runFor(10_000);
    expect(warnings).toEqual([]);
    world.store.isStuck = true;
    await world.clock.runFor(20_000);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^\d orders? (was|were) not sent: the step took 0 ms and the disk \d+ ms/,
      ),
    ]);
    await world.clock.runFor(60_000);
    expect(warnings).toHaveLength(2);
    expect(await stopped(world, bot)).toMatchObject({ inQuestion: [] });
    await expectVerified(world);
  },
);

describe("while the disk hangs, a bot that moves its quotes by modifies", () => {
  it.each(["process", "power"] as const)(
    "cancels those that it wants no more, with durability %s, and uses modifies again afterwards",
    async (durability) => {
      const world = await liveWorld(61);
      const bot = await world.start({
        journal: { ...world.settings.journal, durability },
        execution: { useModify: true },
      });
      await world.clock.runFor(20_000);
      expect(world.openOrders(bot).length).toBe(4);
      world.store.isStuck = true;
      await world.clock.runFor(30_000);
      expect(world.openOrders(bot)).toEqual([]);
      world.store.isStuck = false;
      const backMs = world.clock.nowMs();
      await world.clock.runFor(20_000);
      expect(world.openOrders(bot).length).toBeGreaterThan(0);
      expect(modifiesSince(world, backMs)).toBeGreaterThan(0);
      expect(await stopped(world, bot)).toMatchObject({ ok: true });
      await expectVerified(world);
    },
  );
});

describe("while the disk hangs", () => {
  it("a bot cancels quotes that it wants no more, and places none until the disk is back", async () => {
    const { world, bot, hangsSinceMs } = await hangingWorld();
    await world.clock.runFor(60_000);
    const newest = world.openOrders(bot).map(({ createdAtMs }) => createdAtMs - hangsSinceMs);
    expect(Math.max(0, ...newest)).toBeLessThanOrEqual(5_000);
    bot.pause();
    await world.clock.runFor(3_000);
    expect(world.openOrders(bot)).toEqual([]);
    bot.resume();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toEqual([]);
    world.store.isStuck = false;
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot).length).toBeGreaterThan(0);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  it("a bot stops", async () => {
    const { world, bot } = await hangingWorld();
    await world.clock.runFor(20_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    expect(world.openOrders(bot)).toEqual([]);
    expect(world.store.blocked).toBe(0);
  });

  it("a halt cancels every order before anything waits for the disk, and says that a restart would end it", async () => {
    const { world, bot } = await hangingWorld();
    const problem = bot.halt("news");
    await world.clock.runFor(3_000);
    expect(world.openOrders(bot)).toEqual([]);
    expect(world.store.blocked).toBe(0);
    expect(await world.settle(problem)).toContain("a restart would end the halt");
    world.store.isStuck = false;
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot)).toEqual([]);
    expect(new HaltFile(world.store, "journal").read()).toBe("news");
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});
