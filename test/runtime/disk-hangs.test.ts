import { describe, expect, it } from "vitest";
import { HaltFile } from "../../src/runtime/halt-file.ts";
import { liveWorld, stopped } from "./live-world.ts";

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

describe("while the disk hangs, with durability power", () => {
  it("a stop cancels the orders of a bot that waits for the disk, and fails", async () => {
    const world = await liveWorld(61);
    const journal = { ...world.settings.journal, durability: "power" } as const;
    const bot = await world.start({ journal });
    await world.clock.runFor(20_000);
    world.store.isStuck = true;
    await world.clock.runFor(20_000);
    const resting = world.openOrders(bot);
    expect(resting.length).toBeGreaterThan(0);
    const end = await stopped(world, bot);
    expect(end.ok).toBe(false);
    expect(world.openOrders(bot)).toEqual([]);
    for (const { orderId } of resting) expect(end.inQuestion).not.toContain(orderId);
  });
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
