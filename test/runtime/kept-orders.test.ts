import { describe, expect, test } from "vitest";
import { setQuotes } from "../../src/strategy/contract.ts";
import { scripted } from "../kernel/harness.ts";
import { expectVerified, liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

/** Two quotes far from the market, at prices that never change. */
const far = scripted(() =>
  setQuotes({ bids: [{ price: 96, size: "1" }], asks: [{ price: 104, size: "1" }] }),
);
const strategies = strategiesOf([{ name: "maker", definition: far }]);

const world = (): Promise<World> => liveWorld(4, { prices: { "1_2": 100 } });

describe("a bot that is stopped and keeps its orders", () => {
  test("leaves them open and names them, and the next start goes on with the same ones", async () => {
    const venue = await world();
    const bot = await venue.start({ strategies });
    await venue.clock.runFor(5_000);
    const before = venue.openOrders(bot).map(({ orderId }) => orderId);
    expect(before).toHaveLength(2);
    bot.keepOrders();
    const end = await stopped(venue, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [], summary: { ordersLeft: 2 } });
    expect([...end.kept].sort()).toEqual([...before].sort());
    await venue.clock.runFor(20_000);
    const next = await venue.start({ strategies });
    await venue.clock.runFor(10_000);
    expect(venue.openOrders(next).map(({ orderId }) => orderId)).toEqual(before);
    expect(await stopped(venue, next)).toMatchObject({
      ok: true,
      kept: [],
      summary: { ordersLeft: 0, quotesPlaced: 0 },
    });
  });

  test("cancels them when a failure ends the run meanwhile, or when it was being stopped without", async () => {
    for (const fail of [true, false]) {
      const venue = await world();
      const bot = await venue.start({ strategies });
      await venue.clock.runFor(5_000);
      if (fail) bot.keepOrders();
      bot.stop();
      if (fail) bot.stopBecause("the session wallet ends");
      else bot.keepOrders();
      const end = await venue.settle(bot.done);
      expect(end).toMatchObject({ ok: !fail, kept: [], inQuestion: [] });
      expect(venue.openOrders(bot)).toEqual([]);
    }
  });

  test("of which it is replacing one ends when the venue is known to have what it names", async () => {
    const venue = await liveWorld(4);
    const bot = await venue.start();
    await venue.clock.runFor(6_010);
    bot.keepOrders();
    const end = await stopped(venue, bot);
    const open = venue.openOrders(bot).map(({ orderId }) => orderId);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect([...end.kept].sort()).toEqual([...open].sort());
    expect(open).not.toEqual([]);
    await expectVerified(venue);
  });
});
