import { describe, expect, test } from "vitest";
import type { Note } from "../../src/kernel/note.ts";
import { stopped, world } from "./live-world.ts";

describe("a venue that restarts and has forgotten everything", () => {
  test("orders of ours that it lost count until that is certain, then quoting goes on without them", async () => {
    const it = await world(41);
    const bot = await it.start();
    const notes: Note[] = [];
    bot.observers.on((entry) => notes.push(...entry.notes));
    await it.clock.runFor(20_000);
    const lost = it.openOrders(bot).map(({ orderId }) => orderId);
    expect(lost).toHaveLength(4);

    await it.forgetVenue();
    await it.clock.runFor(100_000);
    const statusOf = (orderId: string): string[] =>
      notes.flatMap((note) =>
        note.type === "order" && note.order.orderId === orderId ? [note.order.status] : [],
      );
    for (const orderId of lost) expect(statusOf(orderId)).not.toContain("LOST");
    await it.clock.runFor(100_000);
    for (const orderId of lost) expect(statusOf(orderId).at(-1)).toBe("LOST");
    const said = notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
    expect(said.filter((code) => code === "ORDER_VANISHED")).toHaveLength(4);
    expect(said.filter((code) => code === "ORDER_LOST")).toHaveLength(4);
    expect(it.openOrders(bot)).toHaveLength(4);

    const end = await stopped(it, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [], summary: { ordersLeft: 0 } });
  }, 60_000);

  test("a restart of the bot does not free them by one answer", async () => {
    const it = await world(42);
    const first = await it.start();
    await it.clock.runFor(20_000);
    const lost = it.openOrders(first).map(({ orderId }) => orderId);
    it.network.faults.refuse = true;
    first.stop();
    const end = await it.settle(first.done);
    expect([...end.inQuestion].sort()).toEqual([...lost].sort());
    it.network.faults.refuse = false;
    await it.forgetVenue();

    const second = await it.start();
    const given: string[] = [];
    second.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type !== "order") continue;
        const { orderId, status } = note.order;
        if (status !== "UNKNOWN" && orderId !== undefined && lost.includes(orderId)) {
          given.push(status);
        }
      }
    });
    await it.clock.runFor(100_000);
    expect(given).toEqual([]);
    await it.clock.runFor(100_000);
    expect(given).toEqual(lost.map(() => "LOST"));
    expect(await stopped(it, second)).toMatchObject({ ok: true });
  }, 60_000);
});
