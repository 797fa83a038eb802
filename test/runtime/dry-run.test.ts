import { describe, expect, it } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { listSegments } from "../../src/journal/segments.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { HaltFile } from "../../src/runtime/halt-file.ts";
import { silentLog } from "../support/venue.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A log that keeps its sentences. */
function keptLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (_fields: object, message: string): void => void lines.push(message);
  return { log: { ...silentLog, info: keep, warn: keep }, lines };
}

/** Every file of the live journal with its bytes. */
function filesOf({ store }: World): ReadonlyMap<string, string> {
  const names = store.list("journal");
  return new Map(names.map((name) => [name, String(store.read(name))]));
}

function idsOf(world: World, bot: Bot): readonly string[] {
  return world
    .openOrders(bot)
    .map(({ orderId }) => orderId)
    .toSorted();
}

/** The position in the bot's journal, in base token. */
function heldBase({ store }: World): string {
  const { carried } = restore(store, "journal").restored;
  return carried.find((item) => item.type === "position")?.base ?? "0";
}

async function killedBot(world: World): Promise<Bot> {
  const killed = await world.startProcess();
  await world.clock.runFor(10_000);
  killed.kill();
  expect(world.openOrders(killed.bot)).toHaveLength(4);
  return killed.bot;
}

describe("a dry run after a kill of the bot", () => {
  it("leaves its orders and its journal as they are, and ends well", async () => {
    const world = await liveWorld(57);
    const killed = await killedBot(world);
    const open = idsOf(world, killed);
    const before = filesOf(world);
    const { log, lines } = keptLog();
    const dry = await world.start({ dryRun: true }, { log });
    await world.clock.runFor(10_000);
    const end = await stopped(world, dry);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersLeft: 0, foreignOrders: 4, unknownOutcomes: 0 });
    expect(end.summary.quotesPlaced).toBeGreaterThan(0);
    expect(idsOf(world, killed)).toEqual(open);
    expect(filesOf(world)).toEqual(before);
    expect(lines).toContainEqual(
      "dry run: the journal in journal has 4 orders that may be open; they are left as they are",
    );
  });

  it("has a journal of its own, which verifies and leaves no orders to the next dry run", async () => {
    const world = await liveWorld(57);
    await killedBot(world);
    const first = await world.startProcess({ dryRun: true });
    await world.clock.runFor(10_000);
    first.kill();
    const second = await world.start({ dryRun: true });
    await world.clock.runFor(5_000);
    expect(await stopped(world, second)).toMatchObject({ ok: true, inQuestion: [] });
    expect(listSegments(world.store, "journal-dry-run").length).toBeGreaterThan(1);
    await expectVerified(world, "journal-dry-run");
  });

  it("is no obstacle to the next start of the bot, which adopts the orders", async () => {
    const world = await liveWorld(57);
    const killed = await killedBot(world);
    const dry = await world.start({ dryRun: true });
    await world.clock.runFor(1_000);
    const next = await world.start();
    await world.clock.runFor(10_000);
    expect(await stopped(world, dry)).toMatchObject({ ok: true });
    expect(await stopped(world, next)).toMatchObject({ ok: true });
    expect(world.openOrders(killed)).toEqual([]);
  });
});

describe("a dry run beside its bot", () => {
  it("runs to its end while the bot quotes, pauses and changes its orders", async () => {
    const world = await liveWorld(58);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    const dry = await world.start({ dryRun: true });
    await world.clock.runFor(20_000);
    bot.pause();
    await world.clock.runFor(2_000);
    bot.resume();
    await world.clock.runFor(20_000);
    expect(await stopped(world, dry)).toMatchObject({ ok: true, inQuestion: [] });
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});

it("a dry run begins with the bot's position, and without its pause and halt, which it names", async () => {
  const flow = { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } };
  const world = await liveWorld(57, { flow });
  const bid = { bidSpread: "0.01%", askSpread: "5%", size: "0.5", sides: "bids", levels: 1 };
  const params = pureMarketMaking.params.parse(bid);
  const strategies = world.settings.strategies.map((one) => ({
    ...one,
    params,
    writtenParams: bid,
  }));
  const bot = await world.start({ strategies });
  await world.clock.runFor(10_000);
  bot.pause();
  await stopped(world, bot);
  await new HaltFile(world.store, "journal").write("lunch");
  const held = heldBase(world);
  expect(held).not.toBe("0");
  const { log, lines } = keptLog();
  const dry = await world.start({ strategies, dryRun: true }, { log });
  await world.clock.runFor(5_000);
  const { summary } = await stopped(world, dry);
  expect(summary.position?.base).toBe(held);
  expect(summary.quotesPlaced).toBeGreaterThan(0);
  expect(lines).toContainEqual(`dry run: it begins with a position of ${held} of maker in 1_2`);
  const begins = "dry run: a real run would begin with";
  expect(lines).toContainEqual(`${begins} the bot paused since an earlier run`);
  expect(lines).toContainEqual(
    "dry run: a real run would quote nothing, since it is halted: lunch",
  );
});
