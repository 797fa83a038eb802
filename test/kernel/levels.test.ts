import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { setQuotes, type WantedQuote } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

/** A bot with these bids, and what its strategy saw last. */
function quoting(bids: readonly WantedQuote[]) {
  const known = { bids, tolerance: 0.001, place: true };
  let view: MarketView | undefined;
  const fills: unknown[] = [];
  const bot = new Harness({
    decide(newest) {
      view = newest;
      fills.push(...newest.fills.map(({ key, isComplete }) => [key, isComplete]));
      const { tolerance, place } = known;
      return setQuotes({ bids: known.bids.map((bid) => ({ ...bid, place })), tolerance });
    },
  });
  const begun = bot.begin();
  const placed = placesOf(begun);
  const accept = placed.flatMap(({ intent }) => [bot.accepted(intent), bot.event(intent, "NEW")]);
  bot.after(20, ...accept);
  const fill = (intent: number, quantity: string, status: "FILLED" | "PARTIALLY_FILLED") =>
    bot.after(10, bot.event(intent, status, { quantity, tradeId: `t${String(bot.seq)}` }));
  const orders = () =>
    view?.orders.map(({ id, key, price, remaining }) => [id, key, price, remaining.toNumber()]);
  let updates = 100;
  const decide = () => {
    updates += 1;
    return bot.after(10, bot.depth(updates, [1998, updates], []));
  };
  return { bot, known, fills, fill, orders, begun, decide };
}

describe("the key of a level", () => {
  it("is its number from the best price on, and goes with the order into commands, notes, views and fills", () => {
    const { bot, fills, fill, orders, begun } = quoting([
      { price: 1980, size: "1" },
      { price: 1990, size: "1", key: "near" },
      { price: 1985, size: "1" },
    ]);
    const keys = begun.flatMap((effect) => (effect.type === "place" ? [effect.key] : []));
    expect(keys).toEqual(["near", "2", "3"]);
    expect(orders()?.map(([, key]) => key)).toEqual(["near", "2", "3"]);
    fill(1, "0.4", "PARTIALLY_FILLED");
    fill(1, "0.6", "FILLED");
    expect(fills).toEqual([
      ["near", false],
      ["near", true],
    ]);
    const noted = bot.notes.flatMap((note) => (note.type === "order" ? [note.order.key] : []));
    expect(new Set(noted)).toEqual(new Set(["near", "2", "3"]));
  });

  it("changes with the quote that an order is kept for", () => {
    const { bot, known, orders, decide } = quoting([
      { price: 1990, size: "1" },
      { price: 1980, size: "1" },
    ]);
    known.bids = [{ price: 1980, size: "1" }];
    decide();
    bot.after(10, bot.event(1, "CANCELED"));
    expect(orders()).toEqual([[2, "1", 1980, 1]]);
  });

  it("is text of 1 to 100 characters", () => {
    const { bot } = quoting([{ price: 1990, size: "1", key: "" }]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "strategyFault",
        message: expect.stringContaining("bids[0].key"),
      }),
    );
  });
});

describe("a partly filled order", () => {
  it("keeps its place, and a second one of its level has the rest, never a third", () => {
    const { fill, orders, bot } = quoting([{ price: 1990, size: "1" }]);
    const first = placesOf(fill(1, "0.4", "PARTIALLY_FILLED"));
    expect(first).toMatchObject([{ price: 1990, quantity: fixed("0.4"), key: "1" }]);
    const second = first[0]?.intent ?? 0;
    bot.after(10, bot.accepted(second), bot.event(second, "NEW"));
    expect(orders()).toEqual([
      [1, "1", 1990, 0.6],
      [second, "1", 1990, 0.4],
    ]);
    const effects = fill(1, "0.2", "PARTIALLY_FILLED");
    expect(cancelsOf(effects)).toEqual([hashOf(second)]);
    expect(placesOf(effects)).toMatchObject([{ quantity: fixed("0.6") }]);
  });

  it("gets no second one while the strategy places none, as in a cool-down", () => {
    const { known, fill, decide } = quoting([{ price: 1990, size: "1" }]);
    known.place = false;
    const effects = fill(1, "0.4", "PARTIALLY_FILLED");
    expect([...placesOf(effects), ...cancelsOf(effects)]).toEqual([]);
    known.place = true;
    expect(placesOf(decide())).toHaveLength(1);
  });
});
