import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { SourceConfig } from "../../src/kernel/sources/source-config.ts";
import type { Input } from "../../src/kernel/input.ts";
import { unixMs } from "../../src/domain/time.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import hedgedMaker, { hedgedQuotes } from "../../strategies/hedged-maker.ts";
import { testMarket } from "../support/exchange.ts";
import { cancelsOf, Harness, hashOf, market, unwatched } from "../kernel/harness.ts";

const EUR = tokenId("3");
const hedge = testMarket({ marketId: marketId("1", "3"), quoteToken: EUR, ticker: "ETH/EUR" });

test("before rounding, the quotes are the formula computed with 40 digits", () => {
  const prng = new Prng(4);
  const Exact = Decimal.clone({ precision: 40 });
  for (let round = 0; round < 500; round += 1) {
    const [sell, buy] = [1000 * prng.exponential(1), 1000 * prng.exponential(1)];
    const [maker, taker, profit] = [0.01 * prng.unit(), 0.01 * prng.unit(), 0.1 * prng.unit()];
    const { bid, ask } = hedgedQuotes({ sell, buy }, { maker, taker }, profit);
    // Bought for what its sale brings less the profit, both fees taken from what is received.
    const received = new Exact(1).minus(maker);
    const proceeds = received.times(sell).times(new Exact(1).minus(taker));
    expect(bid).toBeCloseTo(proceeds.times(new Exact(1).minus(profit)).toNumber(), 9);
    // Sold for what buying it back costs, where the profit is a share of what is received.
    const cost = new Exact(buy).div(new Exact(1).minus(taker));
    expect(ask).toBeCloseTo(cost.div(received).div(new Exact(1).minus(profit)).toNumber(), 8);
  }
});

interface Levels {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}
const deep: Levels = { bids: [1999, 1, 1998, 50], asks: [2001, 1, 2002, 50] };

function botWith(
  written: object = {},
  more: {
    readonly euros?: string;
    readonly hedge?: typeof hedge;
    readonly sources?: readonly SourceConfig[];
  } = {},
) {
  const definition = hedgedMaker;
  const params = definition.params.parse({ size: "2", ...written });
  const binding = { name: "pair", definition, params, marketId: market.marketId, seed: 1 };
  const bot = new Harness({
    decide: () => keepQuotes(),
    config: {
      markets: [market, more.hedge ?? hedge],
      strategies: [{ ...binding, otherMarkets: { hedge: hedge.marketId } }],
      timing: unwatched,
      sources: more.sources ?? [],
      risk: riskSchema.parse({ staleBook: "10s" }),
    },
  });
  const lastIds = new Map<string, number>();
  const nextId = (of: string, step: number): number => {
    const id = (lastIds.get(of) ?? 100) + step;
    lastIds.set(of, id);
    return id;
  };
  const bookOf = ({ marketId: of }: typeof hedge, { bids, asks }: Levels): Input => {
    const lastId = nextId(of, 100);
    const snapshot = { marketId: of, lastId, timeMs: unixMs(bot.nowMs) };
    return {
      type: "book",
      snapshot: {
        ...snapshot,
        bids: Float64Array.from(bids),
        asks: Float64Array.from(asks),
      },
    };
  };
  const balances = bot.balances();
  if (balances.type !== "balances") throw new Error("balances");
  const euros = { tokenId: EUR, locked: ZERO, unlocked: fixed(more.euros ?? "1000000") };
  return {
    bot,
    bookOf,
    /** Levels of a market's book change. */
    moves: (of: typeof hedge, bids: readonly number[], asks: readonly number[]) =>
      bot.depth(nextId(of.marketId, 1), [...bids], [...asks], of),
    /** Both books, 1990 / 2010 in the main market. */
    begin: (levels = deep): readonly Effect[] => [
      ...bot.begin(
        { bid: 1990, ask: 2010 },
        {
          ...balances,
          balances: [...balances.balances, euros],
        },
      ),
      ...bot.step(bookOf(hedge, levels)),
    ],
    /** A market's book has a gap, and only the other market goes on for 15 seconds; gives what is canceled. */
    losesBook: (of: typeof hedge) => {
      const other = of === hedge ? market : hedge;
      const canceled = cancelsOf(bot.step(bot.depth(nextId(of.marketId, 50), [1000, 1], [], of)));
      for (let at = 0; at < 30; at += 1) {
        const lastId = nextId(other.marketId, 1);
        const go = bot.depth(lastId, [1000, lastId], [], other);
        canceled.push(...cancelsOf(bot.after(500, go)));
      }
      return canceled;
    },
  };
}

const sent = (effects: readonly Effect[], of = market.marketId) =>
  effects.flatMap((effect) =>
    effect.type === "place" && effect.marketId === of
      ? [[effect.side, effect.price, fixedText(effect.quantity)]]
      : [],
  );
const intents = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "place" ? [effect.intent] : []));
const hedges = (effects: readonly Effect[]) => sent(effects, hedge.marketId);

describe("a hedged maker", () => {
  test("quotes from the average price of its size in the hedge market", () => {
    const { begin } = botWith();
    const [maker, taker, profit] = [0.0002, 0.0005, 0.001];
    const left = (1 - maker) * (1 - taker) * (1 - profit);
    const bought = 2 / (1 - taker);
    const ask = (2001 + 2002 * (bought - 1)) / bought / left;
    expect(sent(begin())).toEqual([
      ["BUY", Math.floor(((1999 + 1998) / 2) * left * 10) / 10, "2"],
      ["SELL", Math.ceil(ask * 10) / 10, "2"],
    ]);
  });

  test.each<[string, Levels, string[]]>([
    ["less than its size", { bids: [1999, 1], asks: deep.asks }, ["SELL"]],
    ["its size only beyond the slippage", { bids: deep.bids, asks: [2001, 1, 2006, 50] }, ["BUY"]],
    ["its size, but not the fee of a purchase", { bids: [1999, 2], asks: [2001, 2] }, ["BUY"]],
  ])("does not quote a side for which the hedge market has %s", (_, levels, expected) => {
    const { begin } = botWith({ depth: "0" });
    expect(sent(begin(levels)).map(([side]) => side)).toEqual(expected);
  });

  test.each([
    ["100", ["BUY"]],
    // 2 cost 4003, and the fee in base token is bought, too.
    ["4004", ["BUY"]],
    ["4006", ["BUY", "SELL"]],
  ])(
    "quotes a side only when the account can pay its hedge: with %s euros %s",
    (euros, expected) => {
      const { begin } = botWith({}, { euros });
      expect(sent(begin()).map(([side]) => side)).toEqual(expected);
    },
  );

  test.each([
    ["BUY", [1999, 0, 1998, 0, 2019, 50], [2001, 0, 2002, 0, 2021, 50]],
    ["SELL", [1999, 0, 1998, 0, 1979, 50], [2001, 0, 2002, 0, 1981, 50]],
  ] as const)(
    "believes a better price for the hedge of a %s only over time",
    (side, bids, asks) => {
      const { begin, bot, moves } = botWith();
      begin();
      bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
      const placed = [...sent(bot.after(2_100, moves(hedge, bids, asks)))];
      for (const intent of [1, 2])
        placed.push(...sent(bot.after(100, bot.event(intent, "CANCELED"))));
      const prices = placed.flatMap(([on, at]) => (on === side ? [Number(at)] : []));
      // Around 2000, the hedge market's mid before, and one spread beyond it at most.
      expect(prices).toHaveLength(1);
      expect(Math.abs((prices[0] ?? 0) - 2000)).toBeLessThan(4);
    },
  );

  test("pulls no quotes for a fill below the hedge market's smallest order, nor quotes a size below it", () => {
    const rules = { type: "fixed", tick: "0.1", lot: "0.0001", minSize: "0.5" } as const;
    const coarse = { ...hedge, rules };
    const { begin, bot } = botWith({}, { hedge: coarse });
    begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const filled = (quantity: string, tradeId: string) =>
      bot.after(300, bot.event(1, "PARTIALLY_FILLED", { quantity, tradeId }));
    const small = filled("0.4", "7");
    expect([...hedges(small), ...cancelsOf(small)]).toEqual([]);
    const enough = filled("0.1", "8");
    expect(hedges(enough)).toEqual([["SELL", expect.any(Number), "0.5"]]);
    expect(cancelsOf(enough)).toContain(hashOf(1));
    expect(sent(botWith({ size: "0.4" }, { hedge: coarse }).begin())).toEqual([]);
    expect(sent(botWith({ size: "0.5" }, { hedge: coarse }).begin())).toHaveLength(2);
  });

  test("hedges a fill at once and pulls the quotes that would add to it", () => {
    const { begin, bot } = botWith();
    begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const effects = bot.after(
      300,
      bot.event(1, "PARTIALLY_FILLED", { quantity: "0.5", tradeId: "7" }),
    );
    expect(hedges(effects)).toEqual([["SELL", 1995.1, "0.5"]]);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    bot.step(bot.event(1, "CANCELED"));
    const [intent = 0] = intents(effects);
    const again = bot.after(300, bot.event(intent, "FILLED", { quantity: "0.5", tradeId: "8" }));
    expect(sent(again)).toMatchObject([["BUY", expect.any(Number), "2"]]);
  });

  test("hedges while its own market is stale, and quotes nothing there", () => {
    const { begin, bot, losesBook } = botWith();
    begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    expect(new Set(losesBook(market))).toEqual(new Set([hashOf(1), hashOf(2)]));
    const effects = bot.after(300, bot.event(1, "FILLED", { quantity: "2", tradeId: "7" }));
    expect(hedges(effects)).toEqual([["SELL", 1995.1, "2"]]);
    expect(sent(effects)).toEqual([]);
  });

  test.each([{ rate: "fx" }, {}])(
    "with %o, hedges a fill while a source is old that pulls its quotes",
    (written) => {
      const origin = { type: "input" } as const;
      const fx = { name: "fx", origin, maxAgeMs: 5_000, whenOld: "stop" } as const;
      const { begin, bot } = botWith(written, { sources: [fx] });
      begin();
      bot.step({ type: "source", name: "fx", bid: 1, ask: 1 });
      bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
      expect(cancelsOf(bot.after(5_001))).toEqual([hashOf(1), hashOf(2)]);
      const effects = bot.after(300, bot.event(1, "FILLED", { quantity: "2", tradeId: "7" }));
      expect(hedges(effects)).toEqual([["SELL", 1995.1, "2"]]);
      expect(sent(effects)).toEqual([]);
      const back = bot.step(bot.event(2, "CANCELED"), {
        type: "source",
        name: "fx",
        bid: 1,
        ask: 1,
      });
      expect(sent(back)).toMatchObject([["SELL", expect.any(Number), "2"]]);
    },
  );

  test("quotes nothing while the hedge market is stale, and hedges when it is back", () => {
    const { begin, bot, bookOf, losesBook } = botWith();
    begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    expect(new Set(losesBook(hedge))).toEqual(new Set([hashOf(1), hashOf(2)]));
    const fill = bot.after(300, bot.event(1, "FILLED", { quantity: "2", tradeId: "7" }));
    expect([...hedges(fill), ...sent(fill)]).toEqual([]);
    bot.step(bot.event(2, "CANCELED"));
    const back = bot.after(300, bookOf(hedge, { bids: [1899, 50], asks: [1901, 50] }));
    expect(hedges(back)).toEqual([["SELL", 1895.3, "2"]]);
  });
});
