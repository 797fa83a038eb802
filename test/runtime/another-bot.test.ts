import { describe, expect, test } from "vitest";
import type { Bot, BotEnd } from "../../src/runtime/bot.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import type { TpslRequest } from "../../src/exchange/command.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { startLive } from "../../src/runtime/live.ts";
import { createStore } from "../../src/platform/store.ts";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

/** Starts a bot with a journal of its own, as on another machine. */
function onAnotherMachine(world: World): Promise<Bot> {
  return world.settle(startLive(world.settings, { ...world.ports, store: new MemoryStore() }));
}

/** What a person places by hand, far from the market. */
function placeByHand(world: World, bot: Bot, price: string, tpsl?: TpslRequest): void {
  world.venue.exchange.execute(
    bot.owner,
    {
      type: "place",
      marketId: "1_2" as MarketId,
      side: "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: fixed(price),
      quantity: fixed("1"),
      tpsl,
    },
    world.clock.nowMs(),
  );
}

function codesOf(bot: Bot): readonly string[] {
  const codes: string[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "warning") codes.push(note.code);
  });
  return codes;
}

describe("a second bot on one account and market, on another machine", () => {
  test("ends before its first quote, and the first bot goes on", async () => {
    const world = await liveWorld(4);
    const first = await world.start();
    await world.clock.runFor(5_000);
    const second = await onAnotherMachine(world);
    await world.clock.runFor(15_000);
    const end: BotEnd = await world.settle(second.done);
    expect(end).toMatchObject({ ok: false, code: "ANOTHER_BOT", summary: { quotesPlaced: 0 } });
    expect(end.reason).toContain("another bot trades on this account in 1_2");
    expect(world.openOrders(first)).not.toEqual([]);
    expect(await stopped(world, first)).toMatchObject({ ok: true });
  });

  test("ends when both start at the same moment: one of the two goes on", async () => {
    const world = await liveWorld(4);
    const bots = await world.settle(
      Promise.all([
        startLive(world.settings, world.ports),
        startLive(world.settings, { ...world.ports, store: new MemoryStore() }),
      ]),
    );
    const ended: (string | undefined)[] = [];
    for (const bot of bots) void bot.done.then(({ code }) => ended.push(code));
    await world.clock.runFor(120_000);
    expect(ended).toEqual(["ANOTHER_BOT"]);
    for (const bot of bots) bot.stop();
    await world.clock.runFor(20_000);
    expect(ended).toEqual(["ANOTHER_BOT", undefined]);
  });

  test("ends before its first quote although the first one's stream is cut meanwhile", async () => {
    const world = await liveWorld(4);
    const first = await world.start();
    await world.clock.runFor(5_000);
    const second = await onAnotherMachine(world);
    world.network.cutSockets();
    const ended: string[] = [];
    void first.done.then(() => ended.push("first"));
    void second.done.then(() => ended.push("second"));
    await world.clock.runFor(60_000);
    expect(ended).toEqual(["second"]);
    await stopped(world, first);
  });

  test("quotes beside orders that a dead bot left, after it has watched them", async () => {
    const world = await liveWorld(4);
    const bot = await world.start();
    await world.clock.runFor(2_000);
    placeByHand(world, bot, "10");
    placeByHand(world, bot, "11");
    await stopped(world, bot);
    const next = await onAnotherMachine(world);
    await world.clock.runFor(5_000);
    expect(world.openOrders(next)).toHaveLength(2);
    await world.clock.runFor(15_000);
    expect(world.openOrders(next).length).toBeGreaterThan(2);
    expect(await stopped(world, next)).toMatchObject({ ok: true, code: undefined });
  });
});

describe("orders placed by hand on a bot's account", () => {
  test("do not end a bot that starts: one that is placed, and others that rest or fill", async () => {
    const world = await liveWorld(4);
    const bot = await world.start();
    await world.clock.runFor(2_000);
    placeByHand(world, bot, "10");
    await stopped(world, bot);
    const next = await world.start();
    await world.clock.runFor(3_000);
    placeByHand(world, next, "11");
    await world.clock.runFor(20_000);
    expect(world.openOrders(next).length).toBeGreaterThan(2);
    expect(await stopped(world, next)).toMatchObject({ ok: true });
  });

  test("hold back the start of quotes in their market alone", async () => {
    const world = await liveWorld(4, { moreMarkets: ["3"], prices: { "1_2": 100, "3_2": 100 } });
    const strategies = strategiesOf([{ name: "maker" }, { name: "beside", marketId: "3_2" }]);
    const bot = await world.start({ strategies });
    await world.clock.runFor(2_000);
    placeByHand(world, bot, "10");
    await stopped(world, bot);
    const next = await world.start({ strategies });
    await world.clock.runFor(3_000);
    expect(world.openOrders(next, "1_2")).toHaveLength(1);
    expect(world.openOrders(next, "3_2")).not.toEqual([]);
    await world.clock.runFor(12_000);
    expect(world.openOrders(next, "1_2").length).toBeGreaterThan(1);
    expect(await stopped(world, next)).toMatchObject({ ok: true });
  });

  test("do not end a bot that starts when they are filled and their exits appear", async () => {
    const world = await liveWorld(4);
    const bot = await world.start();
    await world.clock.runFor(2_000);
    placeByHand(world, bot, "10");
    await stopped(world, bot);
    const next = await world.start();
    await world.clock.runFor(3_000);
    const tpsl = { tpLimit: fixed("130"), slTrigger: fixed("80"), slLimit: undefined };
    placeByHand(world, next, "110", tpsl);
    await world.clock.runFor(20_000);
    const types = world.openOrders(next).map(({ otoLegType }) => otoLegType);
    expect(types).toContain("TP_LEG");
    expect(await stopped(world, next)).toMatchObject({ ok: true });
  });

  test("do not end a bot that was paused while a person placed them, and is resumed", async () => {
    const world = await liveWorld(4);
    const bot = await world.start();
    await world.clock.runFor(5_000);
    bot.pause();
    await world.clock.runFor(2_000);
    for (const price of ["10", "11", "12"]) placeByHand(world, bot, price);
    await world.clock.runFor(5_000);
    bot.resume();
    await world.clock.runFor(2_000);
    placeByHand(world, bot, "13");
    await world.clock.runFor(30_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });

  test("do not end a bot that runs, which warns once", async () => {
    const world = await liveWorld(4);
    const bot = await world.start();
    const codes = codesOf(bot);
    await world.clock.runFor(5_000);
    for (const price of ["10", "11", "12", "13"]) placeByHand(world, bot, price);
    await world.clock.runFor(30_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
    expect(codes.filter((code) => code === "FOREIGN_ORDER_PLACED")).toHaveLength(1);
  });
});

describe("a second bot on one machine, with another journal", () => {
  test("is refused by name until the first has ended", async () => {
    const world = await liveWorld(4);
    const lockFolder = "home/locks";
    const first = await world.start({ lockFolder });
    const journal = { path: "other", durability: "process", keep: {} } as const;
    await expect(world.start({ lockFolder, journal })).rejects.toMatchObject({
      code: "ANOTHER_BOT",
      message: expect.stringContaining("trades in 1_2"),
    });
    // A dry run sends nothing.
    const dry = await world.start({ lockFolder, journal, dryRun: true });
    await stopped(world, dry);
    await stopped(world, first);
    const second = await world.start({ lockFolder, journal });
    expect(await stopped(world, second)).toMatchObject({ ok: true });
  });

  test("is not refused where the folder of the locks cannot be made", async () => {
    const world = await liveWorld(4);
    const { store } = world;
    const lock = store.lock.bind(store);
    store.lock = (folder) => {
      if (folder.startsWith("home")) throw new Error("EROFS: read-only file system");
      return lock(folder);
    };
    const bot = await world.start({ lockFolder: "home/locks" });
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});

test("the lock's folders and file are readable to their user only, and go with it", () => {
  const home = mkdtempSync(path.join(tmpdir(), "touchline-locks-"));
  const store = createStore();
  const folder = path.join(home, ".touchline/locks/one");
  const isLocked = store.lock(folder, { isPrivate: true });
  const modes = [".touchline", ".touchline/locks", ".touchline/locks/one"].map(
    (name) => statSync(path.join(home, name)).mode & 0o777,
  );
  const fileMode = statSync(path.join(folder, "lock.db")).mode & 0o777;
  const other = createStore().lock(folder, { isPrivate: true });
  store.unlock(folder);
  const isLeft = existsSync(folder);
  const next = createStore();
  const isLockedAgain = next.lock(folder, { isPrivate: true });
  next.unlock(folder);
  rmSync(home, { recursive: true });
  expect([isLocked, other, isLeft, isLockedAgain]).toEqual([true, false, false, true]);
  expect(modes).toEqual([0o700, 0o700, 0o700]);
  expect(fileMode).toBe(0o600);
});
