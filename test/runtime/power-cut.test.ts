import { describe, expect, test } from "vitest";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Note } from "../../src/kernel/note.ts";
import { TransportError } from "../../src/base/error.ts";
import type { Http } from "../../src/ports/http.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import type { LivePorts } from "../../src/runtime/live-settings.ts";
import { placedIn } from "../kernel/harness.ts";
import {
  expectVerified,
  liveWorld,
  recordNonces,
  stopped,
  strategiesOf,
  type World,
} from "./live-world.ts";

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

/** Each of these orders is named as adopted, and none of them is open. */
function expectAdopted(
  world: World,
  bot: Bot,
  notes: readonly Note[],
  lost: readonly OrderId[],
): void {
  const [message = ""] = warningsOf(notes, "ORDERS_ADOPTED");
  for (const orderId of lost) expect(message).toContain(orderId);
  const open = world.openOrders(bot).map(({ orderId }) => orderId);
  for (const orderId of lost) expect(open).not.toContain(orderId);
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

/** Ports of a machine whose clock is 400 s ahead, with a venue whose `/time` is late or fails. */
function aheadWithTime({ clock, ports }: World, time: "late" | "fails"): Partial<LivePorts> {
  const http: Http = {
    close: () => ports.http.close(),
    async request(request) {
      if (!request.url.endsWith("/time")) return ports.http.request(request);
      if (time === "fails") throw new TransportError("unknown", "HTTP_TIMEOUT", "no response");
      await new Promise<void>((resolve) => {
        clock.after(500, resolve);
      });
      return ports.http.request(request);
    },
  };
  const ahead = {
    nowMs: () => unixMs(clock.nowMs() + 400_000),
    monotonicUs: () => clock.monotonicUs(),
  };
  return { http, clock: ahead };
}

/** A venue whose lists of open orders take three seconds. */
function withLateLists({ clock, ports }: World): Http {
  return {
    close: () => ports.http.close(),
    async request(request) {
      if (request.url.includes("/order/open")) {
        await new Promise<void>((resolve) => {
          clock.after(3_000, resolve);
        });
      }
      return ports.http.request(request);
    },
  };
}

describe("after a power cut", () => {
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

  test("lost orders are adopted when the venue's clock went back before they were placed, and older orders of others are left alone", async () => {
    const world = await liveWorld(70);
    const first = await world.startProcess();
    await world.clock.runFor(10_000);
    const foreign = placeForeign(world, first.bot, "50");
    // A list of open orders shows it.
    await world.clock.runFor(31_000);
    // The venue dates its orders alike until its clock has caught up.
    world.venueClock.skewMs -= 35_000;
    await world.clock.runFor(2_000);
    const lost = await cutWhileQuoting(world, first);
    expect(lost.length).toBeGreaterThan(1);
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    const [message = ""] = warningsOf(notes, "ORDERS_ADOPTED");
    expect(lost.filter((orderId) => !message.includes(orderId))).toEqual([foreign]);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(lost.filter((orderId) => open.includes(orderId))).toEqual([foreign]);
    await expectVerified(world);
  });

  test.each([
    { setBy: "further than the venue's", setBackMs: 20_000 },
    { setBy: "less far than the venue's", setBackMs: 8_000 },
    { setBy: "by the same time", setBackMs: 10_000 },
  ])(
    "lost orders are adopted when the venue's clock went back and the machine's was set back, too, $setBy",
    async ({ setBackMs }) => {
      const world = await liveWorld(74);
      const first = await world.startProcess();
      await world.clock.runFor(20_000);
      world.venueClock.skewMs -= 10_000;
      await world.clock.runFor(5_000);
      const lost = await cutWhileQuoting(world, first);
      const clock = {
        nowMs: () => unixMs(world.clock.nowMs() - setBackMs),
        monotonicUs: () => world.clock.monotonicUs(),
      };
      const bot = await world.start({}, { ...rebooted, clock });
      const notes = notesOf(bot);
      await world.clock.runFor(60_000);
      expectAdopted(world, bot, notes, lost);
      await expectVerified(world);
    },
  );

  test("they are adopted when the venue's clock went back before they were placed and ahead again, and only a run between, which saw no list, has read it", async () => {
    const world = await liveWorld(75);
    const first = await world.startProcess();
    await world.clock.runFor(20_000);
    world.venueClock.skewMs -= 10_000;
    await world.clock.runFor(5_000);
    const lost = await cutWhileQuoting(world, first);

    const http: Http = {
      close: () => world.ports.http.close(),
      request: (request) =>
        request.url.includes("/order/open")
          ? new Promise(() => undefined)
          : world.ports.http.request(request),
    };
    const second = await world.startProcess({}, { ...rebooted, http });
    await world.clock.runFor(1_000);
    second.kill();
    world.store.powerCut();
    world.venueClock.skewMs += 10_000;

    const bot = await world.start({}, { bootId: "third boot" });
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    expectAdopted(world, bot, notes, lost);
    await expectVerified(world);
  });

  test("an order by hand that only an event showed before the cut is left alone when the machine's clock is ahead after it", async () => {
    const world = await liveWorld(71);
    const first = await world.startProcess();
    await world.clock.runFor(20_000);
    const foreign = placeForeign(world, first.bot, "50");
    // Its event is in the journal and on disk; the next list of open orders would have shown it.
    await world.clock.runFor(5_000);
    await cutWhileQuoting(world, first);
    world.venueClock.skewMs -= 10_000;
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(30_000);
    expect(warningsOf(notes, "ORDERS_ADOPTED").join()).not.toContain(foreign);
    expect(world.openOrders(bot).map(({ orderId }) => orderId)).toContain(foreign);
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

  test.each([
    { disk: "answers", isStuck: false, forMs: 5 },
    // Cancels wait a second for it.
    { disk: "hangs", isStuck: true, forMs: 1_500 },
  ])(
    "no nonce is given again when a second power cut takes the whole next run, and the disk $disk",
    async ({ isStuck, forMs }) => {
      const world = await liveWorld(73);
      const { http, nonces } = recordNonces(world, world.ports.http);
      const first = await world.startProcess({}, { http });
      await world.clock.runFor(20_000);
      first.kill();
      world.store.powerCut();
      // Another name of the strategy, so each run begins with cancels.
      const sentOf = async (name: string, bootId: string): Promise<readonly number[]> => {
        const before = nonces.length;
        const strategies = strategiesOf([{ name }]);
        world.store.isStuck = isStuck;
        const { kill } = await world.startProcess({ strategies }, { http, bootId });
        await world.clock.runFor(forMs);
        kill();
        world.store.powerCut();
        return nonces.slice(before);
      };
      const second = await sentOf("second", "second boot");
      const third = await sentOf("third", "third boot");
      expect(second.length).toBeGreaterThan(0);
      expect(third.length).toBeGreaterThan(0);
      expect(Math.min(...third)).toBeGreaterThan(Math.max(...second));
    },
  );

  test("one that takes the whole run after a clean end does not give its nonces again", async () => {
    const world = await liveWorld(75);
    const { http, nonces } = recordNonces(world, world.ports.http);
    const first = await world.start({}, { http });
    await world.clock.runFor(5_000);
    expect(await stopped(world, first)).toMatchObject({ ok: true });
    nonces.length = 0;
    // Its first cancel waits a second for the disk.
    world.store.isStuck = true;
    const { kill } = await world.startProcess({}, { http, ...rebooted });
    await world.clock.runFor(1_500);
    kill();
    world.store.powerCut();
    const lost = nonces.splice(0);
    const { kill: killLast } = await world.startProcess({}, { http, bootId: "third boot" });
    await world.clock.runFor(1_500);
    killLast();
    expect(lost.length).toBeGreaterThan(0);
    expect(nonces.length).toBeGreaterThan(0);
    expect(Math.min(...nonces)).toBeGreaterThan(Math.max(...lost));
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

  test("a bot that is stopped before it has read the venue's clock, which went back, finds and cancels them after that reading", async () => {
    const world = await liveWorld(76);
    const first = await world.startProcess();
    await world.clock.runFor(20_000);
    world.venueClock.skewMs -= 10_000;
    // All orders that the journal knows have ended, so that the stop waits for none of them.
    first.bot.pause();
    await world.clock.runFor(5_000);
    first.bot.resume();
    await cutWhileQuoting(world, first);
    // The venue takes no more of them.
    await world.clock.runFor(90_000);
    const lost = lostOrders(world, first.bot);
    expect(lost.length).toBeGreaterThan(0);
    const bot = await world.start({}, { ...rebooted, ...aheadWithTime(world, "late") });
    const notes = notesOf(bot);
    const end = await stopped(world, bot);
    const [message = ""] = warningsOf(notes, "ORDERS_ADOPTED");
    for (const orderId of lost) expect(message).toContain(orderId);
    expect(world.openOrders(bot)).toEqual([]);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });

  test("a bot that is stopped and cannot read the venue's clock does not end as ok, and the next one still finds them", async () => {
    const world = await liveWorld(77);
    const first = await world.startProcess();
    await world.clock.runFor(20_000);
    world.venueClock.skewMs -= 10_000;
    await world.clock.runFor(5_000);
    const lost = await cutWhileQuoting(world, first);
    const early = await world.start({}, { ...rebooted, ...aheadWithTime(world, "fails") });
    expect(await stopped(world, early)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /orders that the journal lost may be open; the venue's clock is not known$/,
      ),
    });
    const bot = await world.start({}, rebooted);
    const notes = notesOf(bot);
    await world.clock.runFor(60_000);
    expectAdopted(world, bot, notes, lost);
    await expectVerified(world);
  });

  test("orders are still found when the power fails again during the next start", async () => {
    const world = await liveWorld(63);
    const { lost } = await cutAfterTenSeconds(world);
    const second = await world.startProcess({}, rebooted);
    second.kill();
    world.store.powerCut();
    const bot = await world.start({}, { bootId: "third boot" });
    await world.clock.runFor(30_000);
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    for (const orderId of lost) expect(open).not.toContain(orderId);
    expect(open).toHaveLength(4);
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
    const open = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(open).toEqual(expect.arrayContaining([...lost]));
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
