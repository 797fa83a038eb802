import { describe, expect, test } from "vitest";
import type { Decision, StrategyDefinition } from "../../src/strategy/contract.ts";
import avellanedaStoikov from "../../strategies/avellaneda-stoikov.ts";
import bracketEntry from "../../strategies/bracket-entry.ts";
import fairValueQuoter from "../../strategies/fair-value-quoter.ts";
import glft from "../../strategies/glft.ts";
import grid from "../../strategies/grid.ts";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { aView, type ViewOptions } from "./a-view.ts";

type Levels = readonly (readonly [number, number])[];

const bids: Levels = [
  [98, 5],
  [97, 10],
];
const asks: Levels = [
  [102, 5],
  [103, 10],
];

/** A spread of 0.1 % with the maker fee: 1/k is 0.08 %, and risk counts for nothing. */
const model = {
  size: "1",
  riskAversion: 1e-9,
  volatility: "1%",
  tradeRate: 1,
  tradeReach: "0.08%",
  fitFrom: "0.01%",
  refresh: "50ms",
};

const makers: readonly (readonly [string, StrategyDefinition, object])[] = [
  [
    "pure-market-making",
    pureMarketMaking,
    { bidSpread: "0.1%", askSpread: "0.1%", size: "1", refresh: "50ms" },
  ],
  [
    "bracket-entry",
    bracketEntry,
    { distance: "0.1%", size: "1", takeProfit: "1%", stopLoss: "1%", refresh: "50ms" },
  ],
  ["avellaneda-stoikov", avellanedaStoikov, model],
  ["glft", glft, model],
  [
    "fair-value-quoter",
    fairValueQuoter,
    {
      source: "ref",
      size: "1",
      minEdge: "0.08%",
      volatility: "0.1%",
      volatilityFactor: 0,
      refresh: "50ms",
    },
  ],
  [
    "grid",
    grid,
    { low: "98", high: "102", levels: 41, spacing: "arithmetic", size: "1", refresh: "50ms" },
  ],
];

/** Its lines stand still: own fills move it. */
const moving = makers.filter(([name]) => name !== "grid");

/** The strategy before its first decision. */
function atStart(definition: StrategyDefinition, written: object) {
  const params = definition.params.parse(written);
  const state = definition.init({ params, seed: 1 });
  let afterMs = 0;
  return (book: ViewOptions, passedMs = 100): Decision => {
    afterMs += passedMs;
    return definition.decide({
      view: aView({ bids, asks, source: 100, ...book, afterMs }),
      params,
      state,
    });
  };
}

/** The strategy after a minute in a book of 98 / 102 in which others traded at 100. */
function inCalmMarket(definition: StrategyDefinition, written: object) {
  const step = atStart(definition, written);
  for (let at = 0; at < 600; at += 1) step(at % 50 === 0 ? { lastTrade: 100 } : {});
  return step;
}

/** The highest bid; 0 without one. */
function bidOf(decision: Decision): number {
  if (decision.type !== "set") throw new Error("the quotes were kept");
  return Math.max(0, ...decision.bids.map(({ price }) => price));
}

/** What a bid of 0.1 % below the price before the attack may gain at most by it. */
const BOUND = 100.25;

describe.each(makers)("%s at a start", (_name, definition, written) => {
  test.each([104, 110, 190])(
    "quotes nothing for 20 seconds while the asks are gone up to %d, and says why",
    (gap) => {
      const step = atStart(definition, written);
      for (let at = 0; at < 200; at += 1) {
        const decision = step({ asks: [[gap, 5]], ...(at % 10 === 9 ? { lastTrade: 98 } : {}) });
        expect(bidOf(decision)).toBe(0);
        expect(decision).toMatchObject({ reason: { BUY: expect.stringContaining("spread") } });
      }
    },
  );
});

test.each(moving)(
  "%s quotes a market of 94 / 106 less than half a minute after a pull, as after a start",
  (_name, definition, written) => {
    const wide: ViewOptions = { bids: [[94, 5]], asks: [[106, 5]] };
    const step = inCalmMarket(definition, written);
    const bidsAfter = (seconds: number): number[] => {
      const first = step({ ...wide, quotesPulled: true }, 5_000);
      const later = Array.from({ length: seconds * 10 }, () =>
        bidOf(step({ ...wide, quotesPulled: true })),
      );
      return [bidOf(first), ...later];
    };
    const bids = bidsAfter(25);
    expect(bids.slice(0, 150).every((bid) => bid === 0)).toBe(true);
    expect(bids.at(-1)).toBeGreaterThan(90);
  },
);

describe.each(makers)(
  "an attack on %s moves its bid of 99.90 in a book of 98 / 102",
  (_name, definition, written) => {
    test("not at all without an attack", () => {
      expect(bidOf(inCalmMarket(definition, written)({}))).toBe(99.9);
    });

    test("little when dust trades at the end of the walk", () => {
      const step = inCalmMarket(definition, written);
      for (let ask = 102; ask < 148; ask += 0.5) step({ asks: [[ask, 5]] });
      const dust = { lastTrade: 147, lastTradeSize: 0.001 };
      expect(bidOf(step({ ...dust, asks: [[148, 5]] }))).toBeLessThanOrEqual(BOUND + 0.4);
    });

    test("little with its own trades, which confirm nothing", () => {
      const step = inCalmMarket(definition, written);
      const high: Levels = [[110, 5]];
      const own: ViewOptions = { lastTrade: 111, isOwnTrade: true };
      expect(bidOf(step({ bids: high, asks: [[112, 5]], ...own }))).toBeLessThanOrEqual(
        BOUND + 0.4,
      );
    });
  },
);

describe.each(moving)(
  "%s moves its bid of 99.90 in a book of 98 / 102",
  (_name, definition, written) => {
    test("as far as the market when both sides move up and others trade there", () => {
      const step = inCalmMarket(definition, written);
      const higher: ViewOptions = {
        bids: [[100, 5]],
        asks: [[104, 5]],
        lastTrade: 102,
        source: 102,
      };
      expect(bidOf(step(higher))).toBeCloseTo(101.89, 1);
    });

    test("over seconds, not at once, when only the order behind dust at the best bid goes", () => {
      const step = inCalmMarket(definition, written);
      const dust: Levels = [
        [98, 0.001],
        [97, 10],
      ];
      expect(bidOf(step({ bids: dust }))).toBeGreaterThan(99.8);
      for (let at = 0; at < 600; at += 1) step({ bids: dust });
      expect(bidOf(step({ bids: dust }))).toBeLessThan(99.7);
    });

    test("down at once when the market falls, whether anybody traded or not", () => {
      const step = inCalmMarket(definition, written);
      expect(bidOf(step({ bids: [[94, 5]], asks: [[98, 5]], source: 96 }))).toBeLessThanOrEqual(
        95.91,
      );
    });
  },
);
