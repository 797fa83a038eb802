import fc from "fast-check";
import { expect, test } from "vitest";
import { isLegalPrice } from "../../src/domain/grid-rules.ts";
import strategy from "../../strategies/pure-market-making.ts";
import { aView, type ViewOptions } from "./a-view.ts";

const share = (max: number) =>
  fc.integer({ min: 0, max: Math.round(max * 1e5) }).map((steps) => steps / 1e5);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const sorted = (spreads: readonly number[]) => [...spreads].sort((left, right) => left - right);

const settings = fc
  .record({
    bidSpread: fc.array(share(0.3), { minLength: 1, maxLength: 3 }).map(sorted),
    askSpread: fc.array(share(0.3), { minLength: 1, maxLength: 3 }).map(sorted),
    size: fc.array(
      fc.integer({ min: 1, max: 1000 }).map((units) => units / 100),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    levels: fc.integer({ min: 3, max: 8 }),
    levelSpread: share(0.1),
    sizeFactor: fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10),
    priceSource: fc.constantFrom("mid", "weightedMid", "lastTrade"),
    touch: fc.constantFrom("free", "join", "step"),
    touchDepth: fc.integer({ min: 0, max: 5 }),
    pingPong: fc.boolean(),
    inventory: fc.constantFrom("position", "balance"),
    inventoryTargetBase: maybe(fc.integer({ min: 0, max: 100 })),
    inventoryRange: maybe(fc.integer({ min: 1, max: 100 })),
    sizeSkew: share(1),
    priceSkew: share(0.2),
    rebalanceSpread: maybe(share(0.1)),
    minEdge: maybe(share(0.01)),
    minPrice: maybe(fc.integer({ min: 1, max: 5000 })),
    maxPrice: maybe(fc.integer({ min: 1, max: 5000 })),
    maxSpread: fc.constant(2),
  })
  .map((record) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  );

const views: fc.Arbitrary<ViewOptions> = fc
  .record({
    bid: fc.integer({ min: 1, max: 90_000 }),
    gap: fc.integer({ min: 1, max: 1000 }),
    depth: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 6 }),
    base: fc.integer({ min: 0, max: 1000 }),
    quote: fc.integer({ min: 0, max: 1_000_000 }),
    bought: fc.integer({ min: -50, max: 50 }),
    lastTrade: fc.integer({ min: 1, max: 100_000 }),
  })
  .map(({ bid, gap, depth, base, quote, bought, lastTrade }) => ({
    bids: depth.slice(0, 3).map((quantity, at) => [(bid - at * 0.2) / 10, quantity] as const),
    asks: depth.slice(3).map((quantity, at) => [(bid + gap + at) / 10, quantity] as const),
    held: { base, quote },
    bought,
    lastTrade: lastTrade / 10,
  }));

function decide(written: object, view: ViewOptions) {
  const params = strategy.params.parse(written);
  const decision = strategy.decide({
    view: aView(view),
    params,
    state: strategy.init({ params, seed: 1 }),
  });
  if (decision.type !== "set") throw new Error("the first decision sets quotes");
  return decision;
}

test("with any settings prices are legal and within limits, sides never cross, and sizes are positive", () => {
  fc.assert(
    fc.property(settings, views, (written, view) => {
      const { bids, asks } = decide(written, view);
      const bidPrices = bids.map(({ price }) => price);
      const askPrices = asks.map(({ price }) => price);
      for (const price of [...bidPrices, ...askPrices]) expect(isLegalPrice(price)).toBe(true);
      for (const { size } of [...bids, ...asks]) expect(Number(size)).toBeGreaterThan(0);
      if (bids.length > 0 && asks.length > 0) {
        expect(Math.max(...bidPrices)).toBeLessThan(Math.min(...askPrices));
      }
      const {
        maxPrice = Number.POSITIVE_INFINITY,
        minPrice = 0,
        levels,
      } = written as {
        maxPrice?: number;
        minPrice?: number;
        levels: number;
      };
      for (const price of bidPrices) expect(price).toBeLessThanOrEqual(maxPrice);
      for (const price of askPrices) expect(price).toBeGreaterThanOrEqual(minPrice);
      expect(Math.max(bids.length, asks.length)).toBeLessThanOrEqual(levels);
      // Sorted from the best price outwards.
      expect(bidPrices).toEqual([...bidPrices].sort((left, right) => right - left));
      expect(askPrices).toEqual([...askPrices].sort((left, right) => left - right));
    }),
    { numRuns: 150 },
  );
});

test("with inventory on target both sides mirror each other around the mid, within a tick", () => {
  const flat = fc.record({
    spread: fc.array(share(0.3), { minLength: 1, maxLength: 3 }).map(sorted),
    levels: fc.integer({ min: 3, max: 8 }),
    levelSpread: share(0.05),
    sizeSkew: share(1),
    priceSkew: share(0.2),
    mid: fc.integer({ min: 1000, max: 50_000 }),
  });
  fc.assert(
    fc.property(flat, ({ spread, mid, ...rest }) => {
      const price = mid / 10;
      const written = { ...rest, bidSpread: spread, askSpread: spread, size: 1 };
      const { bids, asks } = decide(written, {
        bids: [[price - 0.1, 5]],
        asks: [[price + 0.1, 5]],
        held: { base: 10, quote: 10 * price },
      });
      // Rounding may bring two levels of one side to one price.
      fc.pre(bids.length === asks.length);
      for (const [level, bid] of bids.entries()) {
        const ask = asks[level];
        expect(ask).toBeDefined();
        expect(Number(ask?.size)).toBeCloseTo(Number(bid.size), 7);
        const below = price - bid.price;
        const above = (ask?.price ?? 0) - price;
        expect(Math.abs(above - below)).toBeLessThanOrEqual(1 + 1e-6);
      }
    }),
    { numRuns: 100 },
  );
});

test("with more inventory asks are larger, bids are smaller and both sides are lower", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const at = (base: number) =>
          decide(
            {
              bidSpread: "0.5%",
              askSpread: "0.5%",
              size: 1,
              sizeSkew: "90%",
              priceSkew: "0.4%",
              inventoryRange: 40,
              inventoryTargetBase: 50,
            },
            { bought: base },
          );
        const [short, long] = [at(less), at(more)];
        expect(long.bids[0]?.price).toBeLessThanOrEqual(short.bids[0]?.price ?? 0);
        expect(long.asks[0]?.price).toBeLessThanOrEqual(short.asks[0]?.price ?? 0);
        expect(Number(long.asks[0]?.size)).toBeGreaterThanOrEqual(Number(short.asks[0]?.size));
        expect(Number(long.bids[0]?.size)).toBeLessThanOrEqual(Number(short.bids[0]?.size));
      },
    ),
  );
});
