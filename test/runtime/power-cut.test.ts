import { describe, expect, test } from "vitest";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { addFixed, type Fixed, fixed, fixedToNumber, ZERO } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { placedIn } from "../kernel/harness.ts";
import { funds, market, testAddress } from "../support/exchange.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A machine that loses power while its bot quotes, with the default durability. */

function notesOf(bot: Bot): Note[] {
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  return notes;
}

function warningsOf(notes: readonly Note[], code: string): readonly string[] {
  return notes.flatMap((note) =>
    note.type === "warning" && note.code === code ? [note.message] : [],
  );
}

/** The machine has restarted. */
const rebooted = { bootId: "second boot" };

/** Orders of the bot that are open at the venue and not in its journal. */
function lostOrders(world: World, bot: Bot): readonly OrderId[] {
  const known = new Set(
    restore(world.store, "journal").restored.orders.map(({ orderId }) => orderId),
  );
  return world
    .openOrders(bot)
    .map(({ orderId }) => orderId)
    .filter((orderId) => !known.has(orderId));
}

type Process = Awaited<ReturnType<World["startProcess"]>>;

/** Cuts the power just after the bot has placed quotes that its journal had not synced. Returns the orders that are lost. */
async function cutWhileQuoting(world: World, { bot, kill }: Process): Promise<readonly OrderId[]> {
  let hasPlaced = false;
  bot.observers.on(({ notes }) => {
    hasPlaced ||= placedIn(notes).length > 0;
  });
  world.store.isStuck = true;
  await world.clock.runUntil(() => hasPlaced, 4_000);
  await world.clock.runFor(10);
  kill();
  world.store.powerCut();
  const lost = lostOrders(world, bot);
  expect(lost.length).toBeGreaterThan(0);
  return lost;
}

/** A bot that has quoted for ten seconds when the power fails. */
async function cutAfterTenSeconds(world: World): Promise<{ bot: Bot; lost: readonly OrderId[] }> {
  const first = await world.startProcess();
  await world.clock.runFor(10_000);
  return { bot: first.bot, lost: await cutWhileQuoting(world, first) };
}

/** Another program's order on the bot's account. */
function placeForeign(world: World, bot: Bot, price: string): OrderId {
  const nowMs = unixMs(world.clock.nowMs());
  const response = world.venue.exchange.execute(
    bot.owner,
    {
      type: "place",
      marketId: marketId("1", "2"),
      side: "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: fixed(price),
      quantity: fixed("1"),
    },
    nowMs,
  );
  if (response.type !== "accepted") throw new Error("refused");
  return response.txHash;
}

/** Another account fills a part of this bid or ask. Returns how much. */
function fillInPart({ venue: { exchange }, clock }: World, orderId: OrderId): Fixed {
  const taker = testAddress(77);
  const nowMs = unixMs(clock.nowMs());
  exchange.deposit(taker, funds("100000", "100000000"), nowMs);
  const executed = (): Fixed => exchange.order(orderId)?.executedQty ?? ZERO;
  const { side, price } = exchange.order(orderId) ?? {};
  const away = fixedToNumber(price ?? ZERO);
  const { bids, asks } = exchange.book(marketId("1", "2"), 1_000);
  const ahead =
    side === "BUY"
      ? bids.filter((one) => one.price > away)
      : asks.filter((one) => one.price < away);
  const take = (quantity: Fixed): void =>
    void exchange.execute(
      taker,
      { ...market(side === "BUY" ? "SELL" : "BUY", "0"), quantity },
      nowMs,
    );
  take(ahead.reduce((sum, { quantity }) => addFixed(sum, quantity), ZERO));
  for (let at = 0; at < 500 && executed() === ZERO; at += 1) take(fixed("0.2"));
  return executed();
}

describe("after a power cut", () => {
  test("fills that a lost order had before it was adopted are told", async () => {
    const world = await liveWorld(61);
    const { lost } = await cutAfterTenSeconds(world);
    const [orderId] = lost;
    if (orderId === undefined) throw new Error("no order was lost");
    const executed = fillInPart(world, orderId);
    expect(executed).toBeGreaterThan(ZERO);
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    expect(world.venue.exchange.order(orderId)?.status).toBe("CANCELED");
    const fills = notes.flatMap((note) =>
      note.type === "fill" && note.fill.orderId === orderId ? [note] : [],
    );
    expect(fills.map(({ strategy }) => strategy)).toContain("(adopted)");
    expect(fills.reduce((sum, { fill }) => addFixed(sum, fill.quantity), ZERO)).toBe(executed);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });

  test("orders that the journal lost are adopted, named and canceled", async () => {
    const world = await liveWorld(61);
    const { lost } = await cutAfterTenSeconds(world);
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open).toHaveLength(4);
    for (const orderId of lost) expect(open).not.toContain(orderId);
    const [message = ""] = warningsOf(notes, "ORDERS_ADOPTED");
    for (const orderId of lost) expect(message).toContain(orderId);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });

  test("an order that reaches the venue after the restart is adopted, too", async () => {
    const world = await liveWorld(62);
    const { bot: before } = await cutAfterTenSeconds(world);
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(3_000);
    const late = placeForeign(world, before, "50");
    await world.clock.runFor(5_000);
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).not.toContain(late);
    expect(warningsOf(notes, "ORDERS_ADOPTED").join()).toContain(late);
    // As late as the venue takes its nonce.
    await world.clock.runFor(45_000);
    const latest = placeForeign(world, before, "50");
    await world.clock.runFor(15_000);
    expect(warningsOf(notes, "ORDERS_ADOPTED").join()).toContain(latest);
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).not.toContain(latest);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });

  test("a bot that is stopped at once still finds and cancels them, and does not end as ok before none can appear", async () => {
    const world = await liveWorld(69);
    const { lost } = await cutAfterTenSeconds(world);
    const early = await world.start({}, rebooted);
    expect(await stopped(world, early)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/orders that the journal lost may still be placed for \d+ s$/),
    });
    for (const orderId of lost) {
      expect(world.openOrders(early).map((order) => order.orderId)).not.toContain(orderId);
    }
    await world.clock.runFor(60_000);
    const late = await world.start({}, rebooted);
    expect(await stopped(world, late)).toMatchObject({ ok: true, inQuestion: [] });
    expect(world.openOrders(late)).toEqual([]);
  });

  test("orders of other programs that were placed before or long after it are left alone", async () => {
    const world = await liveWorld(64);
    const early = await world.start();
    await world.clock.runFor(5_000);
    await stopped(world, early);
    const before = placeForeign(world, early, "50");
    await world.clock.runFor(1_000);
    await cutAfterTenSeconds(world);
    await world.clock.runFor(30_000);
    const after = placeForeign(world, early, "50");
    await world.clock.runFor(1_000);
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(20_000);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open).toEqual(expect.arrayContaining([before, after]));
    expect(open).toHaveLength(6);
    expect(warningsOf(notes, "FOREIGN_ORDERS")).toHaveLength(1);
  });

  test("no order is adopted where the account is shared, and a warning counts them", async () => {
    const world = await liveWorld(65);
    const { lost } = await cutAfterTenSeconds(world);
    const bot = await world.start({ isAccountShared: true }, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(20_000);
    expect(lost.length).toBeGreaterThan(0);
    for (const orderId of lost) {
      expect(world.venue.exchange.order(orderId)?.status).not.toBe("CANCELED");
    }
    expect(warningsOf(notes, "ORDERS_ADOPTED")).toEqual([]);
    expect(warningsOf(notes, "FOREIGN_ORDERS")).toHaveLength(1);
  });
});

describe("no order is adopted", () => {
  test("after a clean end", async () => {
    const world = await liveWorld(66);
    const first = await world.start();
    await world.clock.runFor(5_000);
    expect(await stopped(world, first)).toMatchObject({ ok: true });
    const foreign = placeForeign(world, first, "50");
    const bot = await world.start({}, rebooted);
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).toContain(foreign);
  });

  test("after a kill, when the machine has not restarted since", async () => {
    const world = await liveWorld(67);
    const first = await world.startProcess();
    await world.clock.runFor(5_000);
    first.kill();
    const foreign = placeForeign(world, first.bot, "50");
    const bot = await world.start();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).toContain(foreign);
  });
});

describe("a page of the journal's end that reads as zeros", () => {
  test("does not keep the bot from starting, and what followed it is kept aside", async () => {
    const world = await liveWorld(68);
    const first = await world.startProcess();
    await world.clock.runFor(10_000);
    world.store.isStuck = true;
    await world.clock.runFor(4_000);
    first.kill();
    world.store.powerCut(1, { losesPage: true });
    const before = world.openOrders(first.bot).map(({ orderId }) => orderId);
    const lost = lostOrders(world, first.bot);

    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    const aside = world.store.list("journal").filter((name) => name.includes("damaged"));
    expect(aside).toHaveLength(1);
    await world.clock.runFor(30_000);
    const [message = ""] = warningsOf(notes, "JOURNAL_TAIL_DAMAGED");
    expect(message).toContain(aside[0]);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open).toHaveLength(4);
    expect(before.length).toBeGreaterThan(0);
    for (const orderId of lost) expect(open).not.toContain(orderId);
    await world.clock.runFor(40_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});
