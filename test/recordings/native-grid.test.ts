import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixed, fixedText, mulFixed } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { joinRules, NativeGrid } from "../../src/recordings/native-grid.ts";
import type { RecordedRules } from "../../src/recordings/manifest.ts";
import type { RecordedEvent, TextLevel } from "../../src/recordings/recorded-event.ts";

const base = { atUs: 1e15, marketId: marketId("BTC", "USDT"), timeMs: unixMs(1e12) };

const depth = (bids: TextLevel[], asks: TextLevel[] = []): RecordedEvent => ({
  type: "depth",
  ...base,
  firstId: 1,
  finalId: 1,
  bids,
  asks,
});
const trade = (price: string, quantity: string): RecordedEvent => ({
  type: "trade",
  ...base,
  tradeId: "1",
  price,
  quantity,
  isBuyerMaker: true,
});

function rulesIn(events: readonly RecordedEvent[]) {
  const grid = new NativeGrid();
  for (const event of events) grid.take(event);
  return grid.rules;
}

/** So many whole multiples of a tick and of a lot, from `first` on. */
function levels(tick: string, lot: string, count: number, first = 1000): TextLevel[] {
  const times = (step: string, by: number) => fixedText(mulFixed(fixed(step), fixed(String(by))));
  return Array.from({ length: count }, (_, at) => [times(tick, first + at), times(lot, 7 + at)]);
}

describe("the tick and lot of a recorded market", () => {
  test.each([
    ["0.01", "0.00001"],
    ["0.5", "1"],
    ["0.00025", "0.1"],
    ["0.00000001", "1"],
    ["25", "0.001"],
  ])("are found where every price is a multiple of %s, every quantity of %s", (tick, lot) => {
    expect(rulesIn([depth(levels(tick, lot, 40))])).toMatchObject({
      tick,
      lot,
      source: "inferred",
    });
  });

  test("are the greatest steps that fit: whatever the multiples, all are whole and no larger step fits", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: 40, maxLength: 60 }),
        (multiples) => {
          const pairs = multiples.map(
            (by): TextLevel => [fixedText(mulFixed(fixed("0.05"), fixed(String(by)))), String(by)],
          );
          const rules = rulesIn([depth(pairs)]);
          const tick = fixed(rules?.tick ?? "0");
          const counts = pairs.map(([price]) => fixed(price) / tick);
          expect(pairs.every(([price]) => fixed(price) % tick === 0n)).toBe(true);
          const common = counts.reduce((left, right) => {
            let [large, small] = [left, right];
            while (small !== 0n) [large, small] = [small, large % small];
            return large;
          });
          expect(common).toBe(1n);
        },
      ),
    );
  });

  test("come from trades and from both sides of depth and books; removals count as prices alone", () => {
    const rules = rulesIn([
      depth(levels("1", "2", 40)),
      depth([], levels("1", "2", 40, 2000)),
      depth([["1000.5", "0"]]),
      trade("1000.25", "3"),
    ]);
    expect(rules).toMatchObject({ tick: "0.25", lot: "1" });
  });

  test("are unknown with fewer than 32 different prices or quantities", () => {
    expect(rulesIn([depth(levels("0.01", "1", 31))])).toBeUndefined();
    expect(
      rulesIn([depth(levels("0.01", "1", 40).map(([price]) => [price, "1"]))]),
    ).toBeUndefined();
    expect(rulesIn([])).toBeUndefined();
  });

  test("are unknown where prices are finer than any order's", () => {
    expect(rulesIn([depth(levels("0.000000001", "1", 40))])).toBeUndefined();
  });

  test("leave impossible rows out", () => {
    const bad: TextLevel[] = [
      ["-1", "1"],
      ["0", "1"],
      ["1.005", "-1"],
      ["none", "1"],
      ["1.005", "1e5"],
    ];
    expect(rulesIn([depth([...levels("0.01", "1", 40), ...bad])])).toMatchObject({
      tick: "0.01",
      lot: "1",
    });
  });

  test("say whether every price is on the grid of §4.5", () => {
    expect(rulesIn([depth(levels("0.01", "1", 40, 10_000))])?.fitsVenueGrid).toBe(true);
    expect(rulesIn([depth(levels("0.01", "1", 40, 1_000_001))])?.fitsVenueGrid).toBe(false);
  });
});

describe("the rules of two recordings of one market together", () => {
  const rules = (
    tick: string,
    lot: string,
    change: Partial<RecordedRules> = {},
  ): RecordedRules => ({
    tick,
    lot,
    source: "inferred",
    fitsVenueGrid: true,
    ...change,
  });

  test("are the steps that fit both", () => {
    expect(joinRules(rules("0.02", "5"), rules("0.05", "2"))).toEqual(rules("0.01", "1"));
  });

  test("fit the grid when both do, are stated when both are, and keep a minimum size that both have", () => {
    const stated = rules("0.01", "1", { source: "stated", minSize: "5" });
    expect(joinRules(stated, stated)).toEqual(stated);
    expect(joinRules(stated, { ...stated, source: "inferred" })?.source).toBe("inferred");
    expect(joinRules(stated, { ...stated, minSize: "6" })).not.toHaveProperty("minSize");
    expect(joinRules(stated, { ...stated, fitsVenueGrid: false })?.fitsVenueGrid).toBe(false);
  });

  test("are unknown when one of them is", () => {
    expect(joinRules(rules("1", "1"), undefined)).toBeUndefined();
    expect(joinRules(undefined, rules("1", "1"))).toBeUndefined();
  });
});
