import { describe, expect, test } from "vitest";
import type { Note } from "../../src/kernel/note.ts";
import { stopped, liveWorld } from "./live-world.ts";

describe("a venue that loses its state in a restart", () => {
  test("counts vanished orders until two lists and a query by id lack them, then replaces them", async () => {
    const world = await liveWorld(41);
    const bot = await world.start();
    const notes: Note[] = [];
    bot.observers.on((entry) => notes.push(...entry.notes));
    await world.clock.runFor(20_000);
    const lost = world.openOrders(bot).map(({ orderId }) => orderId);
    expect(lost).toHaveLength(4);

    await world.forgetVenue();
    const statusOf = (orderId: string): string[] =>
      notes.flatMap((note) =>
        note.type === "order" && note.order.orderId === orderId ? [note.order.status] : [],
      );
    await world.clock.runFor(60_000);
    for (const orderId of lost) expect(statusOf(orderId).at(-1)).toBe("LOST");
    const codes = notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
    expect(codes.filter((code) => code === "ORDER_VANISHED")).toHaveLength(4);
    expect(codes.filter((code) => code === "ORDER_LOST")).toHaveLength(4);
    expect(world.openOrders(bot)).toHaveLength(4);

    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [], summary: { ordersLeft: 0 } });
  });

  test("a restarted bot gives up vanished orders once they can be placed no more, and quotes", async () => {
    const world = await liveWorld(42);
    const first = await world.start();
    await world.clock.runFor(20_000);
    world.network.faults.refuse = true;
    first.stop();
    const end = await world.settle(first.done);
    const lost = world.openOrders(first).map(({ orderId }) => orderId);
    expect(end.inQuestion).toEqual(expect.arrayContaining(lost));
    world.network.faults.refuse = false;
    await world.forgetVenue();

    const second = await world.start();
    const ended = new Set<string>();
    second.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type === "order" && note.order.state === "ended")
          ended.add(note.order.orderId ?? "");
      }
    });
    await world.clock.runFor(100_000);
    expect(lost.filter((orderId) => !ended.has(orderId))).toEqual([]);
    expect(world.openOrders(second)).toHaveLength(4);
    expect(await stopped(world, second)).toMatchObject({ ok: true });
  });
});
