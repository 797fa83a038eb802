import { describe, expect, test, vi } from "vitest";
import { bestText } from "../../src/book/book-lines.ts";
import { marketId } from "../../src/domain/ids.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { unixMs } from "../../src/domain/time.ts";
import { checkRecording } from "../../src/recordings/check.ts";
import { Fold } from "../../src/recordings/fold.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type {
  RecordedBook,
  RecordedDepth,
  TextLevel,
} from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import {
  checkpointsOf,
  filesOf,
  hasShared,
  io,
  sets,
  temporaryFolder,
} from "./shared-recordings.ts";

// Replaying real data takes several seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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
    const fold = new Fold(market, [5]);
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
    const fold = new Fold(market, [5]);
    expect(fold.take(depth(5, [["61000.5", "1"]]))).toEqual([]);
    expect(fold.take(depth(6, [["61000.7", "2"]]))).toEqual([]);
    expect(fold.take(book(5, [["61000.5", "1"]], []))).toEqual([
      book(5, [["61000", "1"]], []),
      depth(6, [["61000", "3"]]),
    ]);
  });

  test("rounds trades toward the maker's side", () => {
    const fold = new Fold(market, []);
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

  describe.skipIf(!hasShared)("on real recordings (../shared/data; skipped without it)", () => {
    const folder = temporaryFolder();
    const chosen = sets.filter((set) => /^0[147]/.test(set.name));
    test.each(chosen)("$name: the folded best prices match every checkpoint", (set) => {
      const out = `${folder}/${set.name}`;
      const { markets } = importRecording(io, {
        format: set.format,
        files: filesOf(set),
        out,
        isFolded: true,
      });
      const recording = new Recording(io, out);
      const illegal = new Set<string>();
      for (const event of recording.events()) {
        if (event.type === "mark" || event.type === "candle") continue;
        const levels = event.type === "trade" ? [[event.price]] : [...event.bids, ...event.asks];
        for (const [price = ""] of levels) {
          if (gridRules.priceProblem(price) !== undefined) illegal.add(price);
        }
      }
      expect([...illegal]).toEqual([]);
      const symbols = new Map(markets.map((each) => [each.marketId, each.symbol]));
      const touches = new Map<string, object>();
      const lines = checkRecording(io, recording, {
        onApplied: ({ marketId: id, event, book: folded }) => {
          const touch = { bestBid: bestText(folded, "BUY"), bestAsk: bestText(folded, "SELL") };
          touches.set(`${id} ${event.finalId}`, touch);
        },
      });
      for (const [id, symbol] of symbols) {
        for (const { finalId, gridBid, gridAsk } of checkpointsOf(set, symbol)) {
          expect(touches.get(`${id} ${finalId}`)).toEqual({ bestBid: gridBid, bestAsk: gridAsk });
        }
      }
      for (const line of lines) expect(line).toMatchObject({ gaps: 0, crossed: 0, badPrices: 0 });
    });
  });
});
