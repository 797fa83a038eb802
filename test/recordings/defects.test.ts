import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkRecording } from "../../src/recordings/check.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const none = {
  badPrices: 0,
  badTimes: 0,
  timeJumps: 0,
  badSides: 0,
  gaps: 0,
  duplicates: 0,
  tradeGaps: 0,
  tradeDuplicates: 0,
};

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
    // Pairs: 0 1, 3 4, 6 7 …
    const rows = Array.from({ length: 300 }, (_, at) => {
      const stamp = 1_741_046_401_272_286 + at;
      return `${stamp},x,trade,${stamp},${stamp},TRXUSDT,${at + Math.floor(at / 2)},1,1,1`;
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
    const detail = "trades before 3 are missing";
    const place = { file: "events-0001.ndjson.zst", line: 3 };
    expect(line?.defects[0]).toEqual({ what: "tradeGaps", ...place, detail });
  });
});
