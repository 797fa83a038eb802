import { describe, expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Fold } from "../../src/recordings/fold.ts";
import type {
  RecordedBook,
  RecordedDepth,
  TextLevel,
} from "../../src/recordings/recorded-event.ts";

const market = marketId("BTC", "USDT");
const base = { atUs: 1e15, marketId: market, timeMs: unixMs(1e12) };

function book(lastId: number, bids: TextLevel[], asks: TextLevel[]): RecordedBook {
  return { type: "book", ...base, lastId, bids, asks };
}

function depth(firstId: number, bids: TextLevel[], asks: TextLevel[] = []): RecordedDepth {
  return { type: "depth", ...base, firstId, finalId: firstId, bids, asks };
}

describe("fold onto the price grid (§4.5)", () => {
  test("sums levels that fall on one price, emits new totals, and 0 when the last level is removed", () => {
    const fold = new Fold(market, { ids: undefined, snapshotIds: [5] });
    const levels: TextLevel[] = [
      ["61837.63", "0.10000000"],
      ["61837.20", "0.20000000"],
      ["61836.90", "7"],
    ];
    expect(fold.take(book(5, levels, [["61837.64", "1.5"]]))).toEqual([
      book(
        5,
        [
          ["61837", "0.3"],
          ["61836", "7"],
        ],
        [["61838", "1.5"]],
      ),
    ]);
    expect(fold.take(depth(6, [["61837.63", "0"]]))).toEqual([depth(6, [["61837", "0.2"]])]);
    expect(fold.take(depth(7, [["61837.20", "0.00"]]))).toEqual([depth(7, [["61837", "0"]])]);
    expect(fold.take(depth(8, [["61837.99", "0"]]))).toEqual([depth(8, [["61837", "0"]])]);
  });

  test("emits held events after their snapshot and drops older ones", () => {
    const fold = new Fold(market, { ids: undefined, snapshotIds: [5] });
    expect(fold.take(depth(5, [["61000.5", "1"]]))).toEqual([]);
    expect(fold.take(depth(6, [["61000.7", "2"]]))).toEqual([]);
    expect(fold.take(book(5, [["61000.5", "1"]], []))).toEqual([
      book(5, [["61000", "1"]], []),
      depth(6, [["61000", "3"]]),
    ]);
  });

  test("rounds trades toward the maker's side", () => {
    const fold = new Fold(market, { ids: undefined, snapshotIds: [] });
    const trade = {
      type: "trade",
      ...base,
      tradeId: "1",
      price: "61837.63",
      quantity: "1",
    } as const;
    expect(fold.take({ ...trade, isBuyerMaker: true })).toMatchObject([{ price: "61837" }]);
    expect(fold.take({ ...trade, isBuyerMaker: false })).toMatchObject([{ price: "61838" }]);
  });
});
