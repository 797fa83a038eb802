import { expect, it } from "vitest";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, placesOf } from "./harness.ts";

it("levels that cross the touch stay one order when they are wanted again", () => {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [2010, 2005, 2002].map((price) => ({ price, size: "1" })) }),
  });
  const [first, ...others] = placesOf(bot.begin());
  expect([first?.price, others]).toEqual([2000.9, []]);
  const intent = first?.intent ?? 0;
  bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  const effects = [1, 2, 3].flatMap((at) => bot.after(10, bot.depth(100 + at, [1990 - at, 5], [])));
  expect([...placesOf(effects), ...cancelsOf(effects)]).toEqual([]);
});

it("levels that cross the touch follow it as one order", () => {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [2010, 2005, 2002].map((price) => ({ price, size: "1" })) }),
  });
  const intent = placesOf(bot.begin())[0]?.intent ?? 0;
  bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  const effects = bot.after(10, bot.depth(101, [], [2000.5, 5]));
  expect(placesOf(effects).map(({ price }) => price)).toEqual([2000.4]);
  expect(cancelsOf(effects)).toHaveLength(1);
});

it("a level that crosses gives way to one that is wanted where it would go", () => {
  const bot = new Harness({
    decide: () =>
      setQuotes({
        bids: [
          { price: 2010, size: "1" },
          { price: 2000.9, size: "2" },
        ],
      }),
  });
  const [first, ...others] = placesOf(bot.begin());
  expect([first?.price, first?.quantity, others]).toEqual([2000.9, 2n * 10n ** 26n, []]);
  const intent = first?.intent ?? 0;
  bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  expect(placesOf(bot.after(10, bot.depth(101, [1990, 5], [])))).toEqual([]);
});
