import { expect, it } from "vitest";
import { defineStrategy, noQuotes, z } from "../../src/index.ts";
import { tryStrategy } from "../../src/testing/index.ts";

it("gives a strategy the history of the test before its first decision, and goes on from it", async () => {
  const seen: { closes: number[]; open: number | undefined; trades: number }[] = [];
  const strategy = defineStrategy({
    name: "average",
    params: z.strictObject({ count: z.number().default(2) }),
    warmUp: ({ params: { count } }) => ({ candles: { resolution: "5", count }, trades: 1 }),
    init: () => ({}),
    decide({ view }) {
      const { closed, open } = view.candles("5");
      const closes = closed.map(({ close }) => close);
      seen.push({ closes, open: open?.close, trades: view.trades.length });
      return noQuotes("none");
    },
  });
  const candle = (close: number) => ({ open: close, high: close, low: close, close, volume: 1 });
  const trial = await tryStrategy(strategy, {
    history: {
      resolution: "5",
      candles: [candle(7), candle(8), candle(9)],
      trades: [
        { side: "BUY", price: 9, quantity: 1 },
        { side: "BUY", price: 10, quantity: 1 },
      ],
    },
  });
  trial.book({ bids: [[9, 5]], asks: [[11, 5]] });
  expect(seen[0]).toEqual({ closes: [8, 10], open: 10, trades: 1 });
  trial.trade({ side: "BUY", price: 11, quantity: 1 });
  expect(seen.at(-1)).toEqual({ closes: [8, 10], open: 11, trades: 1 });
  trial.wait("10m");
  expect(seen.at(-1)).toMatchObject({ closes: [10, 11], open: 11 });
});
