import { expect, it } from "vitest";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market, placesOf, start } from "./harness.ts";

it("nothing is quoted before a list of open orders that was requested when no order that the journal lost can appear any more", () => {
  const bot = new Harness({
    decide: (view) => setQuotes({ bids: [{ price: (view.book.mid ?? 0) - 1, size: "1" }] }),
  });
  const tail = { sinceMs: start - 1_000, untilMs: start + 5_000, marketIds: [market.marketId] };
  bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails: [tail] } });
  expect(placesOf(bot.begin())).toEqual([]);
  const listed = () => {
    bot.after(2_000);
    return placesOf(bot.after(1, { type: "openOrders", orders: [] }));
  };
  // Requested before that time: an order may still appear.
  expect(listed()).toEqual([]);
  expect(listed()).toEqual([]);
  expect(listed()).toHaveLength(1);
});
