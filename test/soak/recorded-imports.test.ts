import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bestText } from "../../src/book/book-lines.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { checkRecording } from "../../src/recordings/check.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import {
  checkpointsOf,
  filesOf,
  hasShared,
  io,
  negativeSet,
  sets,
} from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe.skipIf(!hasShared)(
  "imports of real recordings (../shared/data; skipped without it)",
  () => {
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

    test("the negative twin reports exactly its defects, with file and line", () => {
      const out = `${folder}/negative`;
      const { format } = negativeSet;
      const summary = importRecording(io, { format, files: filesOf(negativeSet), out });
      const [line] = checkRecording(io, new Recording(io, out));
      const counts = {
        badPrices: 1,
        badTimes: 2,
        timeJumps: 2,
        badSides: 0,
        gaps: 1,
        duplicates: 0,
        tradeGaps: 1,
        tradeDuplicates: 1,
      };
      expect(summary.defectCounts).toEqual(counts);
      expect(line).toMatchObject({ ...counts, applied: 2832, crossed: 0, locked: 0 });
      const day = "trxusdt_04-03-2025.csv.gz";
      const depth = `test_negative_binance_difference_depth_stream_spot_${day}`;
      const trades = `test_negative_binance_trade_stream_spot_${day}`;
      const places = summary.defects.map(({ what, file, line: at }) => [what, file, at]);
      expect(places).toEqual([
        ["badTimes", depth, 2],
        ["badPrices", depth, 2],
        ["badTimes", depth, 9],
        ["gaps", depth, 9],
        ["tradeDuplicates", trades, 4],
        ["tradeGaps", trades, 5],
        ["timeJumps", trades, 10_001],
        ["timeJumps", depth, 10_001],
      ]);
      expect(summary.defects[1]?.detail).toBe("bid -1 × 804627.7");
      expect(summary.defects[3]?.detail).toBe("depth id 5434434570 missing");
      // The check reports the same locations, from the list stored with the recording.
      expect(line?.defects).toEqual(
        summary.defects.map(({ what, file, line: at, detail }) => ({
          what,
          file,
          line: at,
          detail,
        })),
      );
      expect(line?.defectsOmitted).toBe(0);
      expect(readFileSync(`${out}/defects.ndjson`, "utf8").trim().split("\n")).toHaveLength(9);
    });

    test("a folded import reports the sources' defects, although its recording no longer contains them", () => {
      const out = `${folder}/folded`;
      const { format } = negativeSet;
      importRecording(io, { format, files: filesOf(negativeSet), out, isFolded: true });
      const [line] = checkRecording(io, new Recording(io, out));
      expect(line?.badPrices).toBe(1);
      expect(line?.defects.map((defect) => defect.what)).toContain("badPrices");
    });
  },
);
