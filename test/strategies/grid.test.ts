import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { replay, tryStrategy } from "../../src/testing/index.ts";
import strategy, { gridLines, heldByCells } from "../../strategies/grid.ts";
import { aView, type ViewOptions } from "./a-view.ts";

test.each(["geometric", "arithmetic"] as const)(
  "%s lines are the formula computed with 40 digits",
  (spacing) => {
    const Exact = Decimal.clone({ precision: 40 });
    for (const [low, high, levels] of [
      [1900, 2100, 41],
      [0.01, 5, 500],
      [99, 101, 3],
    ] as const) {
      const lines = gridLines({ low, high, levels, spacing });
      expect(lines).toHaveLength(levels);
      for (const [at, line] of lines.entries()) {
        const part = new Exact(at).div(levels - 1);
        const wanted =
          spacing === "geometric"
            ? new Exact(high).div(low).ln().times(part).exp().times(low)
            : new Exact(high).minus(low).times(part).plus(low);
        expect(Math.abs(line - wanted.toNumber())).toBeLessThan(1e-9 * high);
      }
    }
  },
);

test("cells hold together what was held at the start and bought since, the upper ones first", () => {
  const sizes = [1, 1, 1, 1].map((size) => new Decimal(size));
  const held = (moved: number) => heldByCells(sizes, 2, new Decimal(moved)).map(Number);
  expect(held(0)).toEqual([0, 0, 1, 1]);
  expect(held(1.25)).toEqual([0.25, 1, 1, 1]);
  expect(held(-0.25)).toEqual([0, 0, 0.75, 1]);
  expect(held(9)).toEqual([1, 1, 1, 1]);
  expect(held(-9)).toEqual([0, 0, 0, 0]);
});

const params = { low: "98", high: "102", levels: 5, spacing: "arithmetic", size: "1" } as const;
const around = (mid: number) => ({ bids: [[mid - 0.5, 50]], asks: [[mid + 0.5, 50]] }) as const;

const run = (saved?: unknown, settings: object = params) => {
  const parsed = strategy.params.parse(settings);
  const state = strategy.init({ params: parsed, seed: 1 });
  const loaded = saved === undefined ? state : strategy.state?.load(saved, 1, state);
  if (loaded === undefined) throw new Error("no state");
  return {
    decide: (view: ViewOptions) => {
      const decision = strategy.decide({ view: aView(view), params: parsed, state: loaded });
      if (decision.type !== "set") throw new Error(decision.type);
      return {
        bids: decision.bids.map(({ price }) => price),
        asks: decision.asks.map(({ price }) => price),
      };
    },
    save: (): unknown => JSON.parse(JSON.stringify(strategy.state?.save(loaded))),
  };
};
const book = (mid: number): ViewOptions => ({ bids: [[mid - 0.4, 5]], asks: [[mid + 0.4, 5]] });

async function running() {
  const bot = await tryStrategy(strategy, { params });
  bot.book(around(100));
  return bot;
}
const pricesOf = ({ orders }: { readonly orders: readonly { readonly price: number }[] }) =>
  orders.map(({ price }) => price);

test("each filled line places its opposite one line further, and the same again on the way back", async () => {
  const bot = await running();
  expect(pricesOf(bot)).toEqual([99, 98, 101, 102]);
  bot.trade({ side: "SELL", price: 99, quantity: 51 });
  bot.book(around(99.5));
  bot.wait("100ms");
  expect(pricesOf(bot)).toEqual([98, 100, 101, 102]);
  bot.book(around(99.6));
  bot.trade({ side: "BUY", price: 100, quantity: 1 });
  bot.wait("100ms");
  expect(bot.fills.map(({ price }) => price)).toEqual([99, 100]);
  expect(pricesOf(bot)).toEqual([99, 98, 101, 102]);
});

test("a partly filled line offers what it bought one line further and keeps the rest", async () => {
  const bot = await running();
  bot.trade({ side: "SELL", price: 99, quantity: 50.4 });
  bot.book(around(99.6));
  bot.wait("100ms");
  const [bid] = bot.orders;
  expect(bid).toMatchObject({ side: "BUY", price: 99 });
  expect(bid?.quantity).toBeCloseTo(0.6, 2);
  const ask = bot.orders.find(({ side }) => side === "SELL");
  expect(ask?.price).toBe(100);
  expect(ask?.quantity).toBeCloseTo(0.4, 2);
});

test("lines that the market has passed come together behind its best price", () => {
  const { decide } = run();
  decide(book(100));
  const passed = { ...book(97.5), quotesPulled: true };
  expect(decide(passed)).toEqual({ bids: [97.899], asks: [101, 102] });
});

describe("over a restart", () => {
  test("the grid goes on where it was, whatever the price and earlier positions", () => {
    const before = run();
    before.decide({ ...book(100), bought: 7 });
    const after = run(before.save());
    expect(after.decide({ ...book(99.3), bought: 8 })).toEqual({
      bids: [98],
      asks: [100, 101, 102],
    });
  });

  test("with other lines it starts anew at the present price", () => {
    const before = run();
    before.decide(book(100));
    const after = run(before.save(), { ...params, low: "97", levels: 6 });
    expect(after.decide({ ...book(99), bought: 3 })).toEqual({
      bids: [98, 97],
      asks: [100, 101, 102],
    });
  });

  test("a run that never began has nothing to keep", () => {
    expect(run(run().save()).decide(book(100))).toEqual({ bids: [99, 98], asks: [101, 102] });
  });
});

test("never two orders at one price, never more than the cells, and no bid at or above an ask", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 97, max: 103, noNaN: true }),
      fc.double({ min: -9, max: 9, noNaN: true }),
      fc.constantFrom("geometric", "arithmetic"),
      fc.integer({ min: 3, max: 60 }),
      (mid, bought, spacing, levels) => {
        const parsed = strategy.params.parse({ ...params, spacing, levels });
        const state = strategy.init({ params: parsed, seed: 1 });
        strategy.decide({
          view: aView({ bids: [[99.6, 5]], asks: [[100.4, 5]] }),
          params: parsed,
          state,
        });
        const view = aView({
          bids: [[mid - 0.4, 5]],
          asks: [[mid + 0.4, 5]],
          bought,
          quotesPulled: true,
          held: { base: 1e6, quote: 1e9 },
        });
        const decision = strategy.decide({ view, params: parsed, state });
        if (decision.type !== "set") throw new Error(decision.type);
        const prices = [...decision.bids, ...decision.asks].map(({ price }) => price);
        expect(new Set(prices).size).toBe(prices.length);
        const [bid = 0] = decision.bids.map(({ price }) => price);
        const [ask = Infinity] = decision.asks.map(({ price }) => price);
        expect(bid).toBeLessThan(Math.min(ask, mid + 0.4));
        const sum = [...decision.bids, ...decision.asks].reduce(
          (all, { size }) => all + Number(size),
          0,
        );
        expect(sum).toBeLessThanOrEqual(levels - 1 + 1e-9);
      },
    ),
  );
});

test("warns about lines that do not pay the fees, and that are beyond the collar", () => {
  const review = (more: object) =>
    strategy.review?.({
      params: strategy.params.parse({ ...params, ...more }),
      makerFee: 0.0002,
      takerFee: 0.0005,
      priceCollar: 0.05,
    });
  expect(review({})).toEqual([]);
  expect(review({ levels: 200 })?.[0]).toContain("does not pay the maker fees of a round trip");
  expect(review({ high: "140" })?.[0]).toContain("beyond risk.priceCollar");
  expect(strategy.params.safeParse({ ...params, high: "98" }).error?.issues[0]?.message).toBe(
    "is not above low",
  );
});

test("trades in a replay of the recorded market, each time the same", async () => {
  const run = () =>
    replay({
      config: {
        venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1 },
        fees: { maker: "0.02%", taker: "0.05%" },
        balances: { ZIL: "500000", USDT: "100000" },
        strategies: [
          {
            name: "zil",
            plugin: "grid",
            market: "ZIL_USDT",
            params: { low: "0.2", high: "0.26", levels: 300, size: "500" },
          },
        ],
      },
      recording: path.join(import.meta.dirname, "../../config/recordings/zilusdt"),
      to: Date.parse("2021-04-05T18:36:00Z"),
    });
  const { result, warnings } = await run();
  expect(warnings).toEqual([]);
  expect(result.fills).toBeGreaterThan(0);
  expect((await run()).result.decisionsHash).toBe(result.decisionsHash);
});
