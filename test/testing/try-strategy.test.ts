import { expect, test } from "vitest";
import { z } from "zod";
import {
  defineStrategy,
  keepQuotes,
  setQuotes,
  type WantedQuote,
} from "../../src/strategy/contract.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import { scripted } from "../kernel/harness.ts";

const book = { bids: [[99.9, 5]], asks: [[100.1, 5]] } as const;

/** Bids at these shares below the mid. */
const bidsBelow = (mid: number, shares: readonly number[]): WantedQuote[] =>
  shares.map((share) => ({ price: mid * (1 - share), size: "1" }));

test("says how many quotes a rule denied, with the value of the first", async () => {
  const bot = await tryStrategy(
    scripted(({ book: { mid } }) =>
      mid === undefined ? setQuotes({}) : setQuotes({ bids: bidsBelow(mid, [0.01, 0.1, 0.3]) }),
    ),
  );
  bot.book(book);
  expect(bot.orders).toHaveLength(1);
  // Two of each decision: that of the book, and that of the resting order.
  expect(bot.denied).toEqual([
    { rule: "price-collar", count: 4, first: "BUY 1 at 90: 10%, limit 5%" },
  ]);
});

test("a replay says how many quotes a rule denied", async () => {
  const grid = scripted(({ book: { mid } }) =>
    mid === undefined ? setQuotes({}) : setQuotes({ bids: bidsBelow(mid, [0.01, 0.3]) }),
  );
  const { denied, quotesPlaced } = await replayStrategy(grid, { market: { duration: "1m" } });
  expect(quotesPlaced).toBeGreaterThan(0);
  expect(denied).toMatchObject([{ rule: "price-collar" }]);
  expect(denied[0]?.first).toMatch(/^BUY 1 at .*: 30.*%, limit 5%$/);
});

const bidAt = (price: number) => scripted(() => setQuotes({ bids: [{ price, size: "1" }] }));

test("a trade takes the best levels first, no more than its quantity, and then own orders behind them", async () => {
  let best: unknown;
  const behind = scripted(({ book: seen }) => {
    best = seen.best("BUY");
    return setQuotes({ bids: [{ price: 98, size: "1" }] });
  });
  const bot = await tryStrategy(behind);
  bot.book({ bids: [[99, 5]], asks: [[101, 5]] });
  bot.trade({ side: "SELL", price: 98, quantity: 1 });
  expect([best, bot.fills]).toEqual([{ price: 99, quantity: 4 }, []]);
  bot.trade({ side: "SELL", price: 98, quantity: 4.5 });
  expect(bot.fills).toEqual([{ side: "BUY", price: 98, quantity: 0.5 }]);
});

test("an own order waits behind what others have at its price", async () => {
  const bot = await tryStrategy(bidAt(99));
  bot.book({ bids: [[99, 5]], asks: [[101, 5]] });
  bot.trade({ side: "SELL", price: 99, quantity: 5 });
  expect(bot.fills).toEqual([]);
  bot.trade({ side: "SELL", price: 99, quantity: 1 });
  expect(bot.fills).toEqual([{ side: "BUY", price: 99, quantity: 1 }]);
});

test("a book that moves away leaves the price of an own order empty", async () => {
  const bot = await tryStrategy(bidAt(97));
  bot.book({ bids: [[99, 5]], asks: [[101, 5]] });
  bot.book({ bids: [[96, 5]], asks: [[101, 5]] });
  bot.trade({ side: "SELL", price: 97, quantity: 0.25 });
  expect(bot.fills).toEqual([{ side: "BUY", price: 97, quantity: 0.25 }]);
});

test.each([[99.123456789], [Number.NaN], [-1], [0]])(
  "refuses a price that no order can have: %s",
  async (price) => {
    const bot = await tryStrategy(bidAt(97));
    expect(() => bot.book({ bids: [[price, 5]], asks: [[101, 5]] })).toThrow("at most 8 decimals");
    expect(() => bot.trade({ side: "SELL", price, quantity: 1 })).toThrow("at most 8 decimals");
  },
);

test("has a bot's risk settings and delays, and says what it assumes", async () => {
  const bot = await tryStrategy(bidAt(70), {
    risk: { priceCollar: "50%" },
    latency: { entry: "20ms" },
  });
  bot.book(book);
  expect(bot.orders).toEqual([]);
  bot.wait("20ms");
  expect(bot.orders).toEqual([{ side: "BUY", price: 70, quantity: 1 }]);
  expect(bot.models).toMatchObject({ fills: { queue: "risk-averse" }, latency: { entry: "20ms" } });
  await expect(tryStrategy(bidAt(70), { latency: { entry: "soon" } })).rejects.toThrow("entry");
});

test("shows a strategy's own numbers, in a replay as well", async () => {
  const counting = defineStrategy({
    name: "counting",
    params: z.strictObject({}),
    init: () => ({ decisions: 0 }),
    decide({ state }) {
      state.decisions += 1;
      return keepQuotes();
    },
    describe: ({ decisions }) => ({
      decisions,
      ratio: decisions / 0,
      mood: "calm\u001b[2J",
      "no name": 1,
    }),
  });
  const bot = await tryStrategy(counting);
  bot.book(book);
  expect(bot.described).toEqual({
    decisions: expect.any(Number),
    ratio: "Infinity",
    mood: expect.stringMatching(/^calm[^\u001b]*$/),
  });
  const { described } = await replayStrategy(counting, { market: { duration: "1m" } });
  expect(described?.["decisions"]).toBeGreaterThan(10);
});

test("a describe that throws is shown, and the strategy goes on", async () => {
  const bot = await tryStrategy({
    ...bidAt(99),
    describe() {
      throw new Error("no such thing");
    },
  });
  bot.book(book);
  expect(bot.described).toEqual({ describe: expect.stringContaining("no such thing") });
  expect(bot.orders).toHaveLength(1);
});

test("a trial sets the price of a source, and an old one pulls the quotes", async () => {
  const bot = await tryStrategy(
    scripted(({ sources: { btc } }) =>
      setQuotes({ bids: btc === undefined ? [] : [{ price: btc.mid / 1_000, size: "1" }] }),
    ),
    { sources: { btc: { maxAge: "2s" } } },
  );
  bot.source("btc", 98_000, 98_200);
  bot.book(book);
  expect(bot.orders).toMatchObject([{ side: "BUY", price: 98.1 }]);
  bot.source("btc", 99_000);
  expect(bot.orders).toMatchObject([{ price: 99 }]);
  bot.wait("2100ms");
  expect(bot.orders).toEqual([]);
  expect(() => bot.source("btd", 1)).toThrow("btd is not one of the trial's sources: btc");
});
