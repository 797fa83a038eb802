import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
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
  temporaryFolder,
} from "./shared-recordings.ts";

const folder = temporaryFolder();

const none = {
  badPrices: 0,
  badTimes: 0,
  timeJumps: 0,
  gaps: 0,
  duplicates: 0,
  tradeGaps: 0,
  tradeDuplicates: 0,
};

describe.skipIf(!hasShared)("set 06 (../shared/data; skipped without it)", () => {
  const positive = sets.find((set) => set.name.startsWith("06"));

  function imported(name: string, set = negativeSet) {
    const out = `${folder}/${name}`;
    const summary = importRecording(io, { format: set.format, files: filesOf(set), out });
    const [line] = checkRecording(io, new Recording(io, out));
    return { out, summary, line };
  }

  test("the negative twin reports exactly its defects, with file and line", () => {
    const { out, summary, line } = imported("negative");
    const counts = {
      badPrices: 1,
      badTimes: 2,
      timeJumps: 2,
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
      summary.defects.map(({ what, file, line: at, detail }) => ({ what, file, line: at, detail })),
    );
    expect(line?.defectsOmitted).toBe(0);
    expect(readFileSync(`${out}/defects.ndjson`, "utf8").trim().split("\n")).toHaveLength(8);
  });

  test("the negative twin without its defects equals the positive twin, except for the omitted level", () => {
    const { out } = imported("negative-book");
    if (positive === undefined) throw new Error("set 06 is not listed");
    const expected = new Map(checkpointsOf(positive, "TRXUSDT").map((each) => [each.n, each]));
    const first = expected.get(1);
    const [line] = checkRecording(io, new Recording(io, out), { at: 1 });
    // The event is kept with the time of its valid rows; the bad level is left out.
    expect(line).toMatchObject({ finalId: first?.finalId, time: first?.["time"], bestBid: null });
    expect(line).toMatchObject({ bestAsk: first?.["bestAsk"] });
    const [at100] = checkRecording(io, new Recording(io, out), { at: 100 });
    const wanted = expected.get(100);
    expect(at100).toMatchObject({ bestBid: wanted?.["bestBid"], time: wanted?.["time"] });
  });

  test("the positive twin reports only the row whose time was edited", () => {
    const { summary, line } = imported("positive", positive);
    expect(summary.defectCounts).toEqual({ ...none, timeJumps: 1 });
    expect(summary.defects).toMatchObject([{ what: "timeJumps", line: 10_001 }]);
    expect(line).toMatchObject({ ...none, timeJumps: 1, applied: 2832, trades: 10_000 });
    // 2,878 s of trades (the set's README); the edited row is of the end of the day.
    expect(Math.round((summary.toMs - summary.fromMs) / 1000)).toBe(2_879);
  });

  test("a folded import reports the sources' defects, which its recording no longer contains", () => {
    const out = `${folder}/folded`;
    const { format } = negativeSet;
    importRecording(io, { format, files: filesOf(negativeSet), out, isFolded: true });
    const [line] = checkRecording(io, new Recording(io, out));
    expect(line?.badPrices).toBe(0);
    expect(line?.defects.map((defect) => defect.what)).toContain("badPrices");
  });
});

describe("an import that fails", () => {
  const out = `${folder}/retry`;
  const broken = `${folder}/broken.csv`;
  const header =
    "TimestampOfReceive,Stream,EventType,EventTime,TransactionTime,Symbol,TradeId,Price,Quantity,IsBuyerMarketMaker";
  const row = "1741046401272286,x@trade,trade,1741046401271969,1741046401271497,TRXUSDT";
  const run = () => importRecording(io, { format: "binance-csv", files: [broken], out });

  test("leaves nothing behind, and the same folder can be used again", () => {
    writeFileSync(broken, `${header}\n${row},1,0.2312,2619.4,1\n${row},x,0.2312,2619.4,1\n`);
    expect(run).toThrow(/broken\.csv, line 3: TradeId is not a whole number/);
    expect(readdirSync(folder).filter((name) => name.startsWith("retry"))).toEqual([]);
    writeFileSync(broken, `${header}\n${row},1,0.2312,2619.4,1\n`);
    expect(run().events).toBe(1);
    expect(run).toThrow(/already holds a recording/);
  });

  test("removes the remains of a killed import, but not other files", () => {
    mkdirSync(`${folder}/killed.part`);
    writeFileSync(`${folder}/killed.part/events-0001.ndjson.zst`, "torn");
    const again = { format: "binance-csv", files: [broken], out: `${folder}/killed/` };
    expect(importRecording(io, again).events).toBe(1);
    expect(existsSync(`${folder}/killed.part`)).toBe(false);
    mkdirSync(`${folder}/own.part`);
    writeFileSync(`${folder}/own.part/letter.txt`, "mine");
    const own = { ...again, out: `${folder}/own` };
    expect(() => importRecording(io, own)).toThrow(/holds other files/);
    expect(() => importRecording(io, { ...again, out: `${folder}/own.part` })).toThrow(
      /other files/,
    );
    expect(existsSync(`${folder}/own.part/letter.txt`)).toBe(true);
    expect(() => importRecording(io, { ...again, out: "." })).toThrow(
      /not a name for a new folder/,
    );
  });
});

describe("defects without a source", () => {
  test("are located in the recording by a check, in a list of limited length", () => {
    const file = `${folder}/many.csv`;
    const rows = Array.from({ length: 150 }, (_, at) => {
      const stamp = 1_741_046_401_272_286 + at;
      return `${stamp},x,trade,${stamp},${stamp},TRXUSDT,${at * 2},1,1,1`;
    });
    const names =
      "TimestampOfReceive,Stream,EventType,EventTime,TransactionTime,Symbol,TradeId,Price,Quantity,IsBuyerMarketMaker";
    writeFileSync(file, [names, ...rows].join("\n"));
    const out = `${folder}/many`;
    const { defectCounts } = importRecording(io, { format: "binance-csv", files: [file], out });
    expect(defectCounts).toEqual({ ...none, tradeGaps: 149 });
    io.store.remove(`${out}/defects.ndjson`);
    const [line] = checkRecording(io, new Recording(io, out));
    expect(line).toMatchObject({ tradeGaps: 149, defectsOmitted: 49 });
    expect(line?.defects).toHaveLength(100);
    const detail = "trades before 2 are missing";
    const place = { file: "events-0001.ndjson.zst", line: 2 };
    expect(line?.defects[0]).toEqual({ what: "tradeGaps", ...place, detail });
  });
});
