import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { type CheckLine, checkRecording } from "../../src/recordings/check.ts";
import { openAllCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { cutRecording } from "../../src/recordings/cut.ts";
import { exportTardis } from "../../src/recordings/export-tardis.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { recordingInfo } from "../../src/recordings/info.ts";
import { mergeRecordings } from "../../src/recordings/merge.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import type { RecordedEvent } from "../../src/recordings/recorded-event.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sample = resolve(import.meta.dirname, "../data/cryptofeed-zilusdt.txt.gz");
const folder = temporaryFolder();
const whole = `${folder}/whole`;

function check(out: string): CheckLine[] {
  return [...checkRecording(io, new Recording(io, out))];
}

/** The final book. */
function ending({ bestBid, bestAsk, top20, top100, full, gaps, crossed }: CheckLine) {
  return { bestBid, bestAsk, top20, top100, full, gaps, crossed };
}

function cut(dir: string, options: Omit<Parameters<typeof cutRecording>[2], "out">, name: string) {
  const out = `${folder}/${name}`;
  runAll(cutRecording(io, new Recording(io, dir), { ...options, out }));
  return out;
}

function merge(dirs: string[], name: string) {
  const out = `${folder}/${name}`;
  runAll(
    mergeRecordings(
      io,
      dirs.map((dir) => new Recording(io, dir)),
      { out },
    ),
  );
  return out;
}

beforeAll(() => {
  importRecording(io, { format: "cryptofeed", files: [sample], out: whole });
});

describe("info", () => {
  test("counts the events of a recording", () => {
    const [info] = runAll(recordingInfo(new Recording(io, whole)));
    const [line] = check(whole);
    expect(info).toMatchObject({
      market: "ZIL_USDT",
      symbol: "ZILUSDT",
      grid: "native",
      makerFee: null,
      depthEvents: line?.depthEvents,
      trades: line?.trades,
      books: 1,
      interruptions: 0,
    });
    expect((info?.to ?? 0) - (info?.from ?? 0)).toBeGreaterThan(5000);
  });
});

describe("cut", () => {
  test("from the middle starts with the book at that time and ends with the same book as the whole", () => {
    const [info] = runAll(recordingInfo(new Recording(io, whole)));
    const middleMs = ((info?.from ?? 0) + (info?.to ?? 0)) / 2;
    const second = cut(whole, { fromMs: middleMs }, "second-half");
    const [all, half] = [check(whole)[0], check(second)[0]];
    if (all === undefined || half === undefined) throw new Error("no market");
    expect(ending(half)).toEqual(ending(all));
    expect(half.applied).toBeLessThan(all.applied);
    expect(half.applied).toBeGreaterThan(10);
    const first = [...new Recording(io, second).events()][0];
    expect(first).toMatchObject({ type: "book", atUs: middleMs * 1000 });

    // Merges the two halves again.
    const before = cut(whole, { toMs: middleMs - 0.001 }, "first-half");
    const joined = check(merge([second, before], "joined"))[0];
    if (joined === undefined) throw new Error("no market");
    expect(ending(joined)).toEqual(ending(all));
    expect(joined).toMatchObject({
      depthEvents: all.depthEvents,
      applied: all.applied,
      trades: all.trades,
      interruptions: 1,
      gaps: 0,
    });
  });

  test("begins with the book of every market at that time, also of one that is silent from then on", () => {
    const [a, b] = ["A_Q", "B_Q"].map((name) => name as MarketId);
    if (a === undefined || b === undefined) throw new Error("two markets");
    const place = (ms: number, marketId: MarketId) => ({
      atUs: ms * 1000,
      marketId,
      timeMs: unixMs(ms),
    });
    const book = (ms: number, marketId: MarketId): RecordedEvent => ({
      type: "book",
      ...place(ms, marketId),
      lastId: 1,
      bids: [["1", "1"]],
      asks: [["2", "1"]],
    });
    const depth = (ms: number, marketId: MarketId, id: number): RecordedEvent => ({
      type: "depth",
      ...place(ms, marketId),
      firstId: id,
      finalId: id,
      bids: [["1", String(id)]],
      asks: [],
    });
    const writer = new RecordingWriter(io, `${folder}/quiet`);
    const events = [book(1000, a), book(1001, b), depth(1002, b, 2), depth(3000, a, 2)];
    for (const event of [...events, depth(3001, a, 3)]) writer.append(event);
    writer.close();
    const markets = [a, b].map((marketId) => {
      return { marketId, symbol: marketId.replace("_", ""), grid: "native" as const };
    });
    writer.writeManifest({ format: "touchline-recording", version: 1, markets, source: "test" });

    const later = new Recording(io, cut(`${folder}/quiet`, { fromMs: 2000 }, "quiet-later"));
    expect(
      [...later.events()].map(({ type, marketId, atUs }) => `${type} ${marketId} ${atUs / 1000}`),
    ).toEqual(["book A_Q 2000", "book B_Q 2000", "depth A_Q 3000", "depth A_Q 3001"]);
    expect(check(later.folder).map(({ bestBid }) => bestBid)).toEqual([
      ["1", "3"],
      ["1", "2"],
    ]);
  });

  test("before the first snapshot includes the events that wait for it", () => {
    const events = [...new Recording(io, whole).events()];
    const at = events.findIndex((event) => event.type === "book");
    expect(at).toBeGreaterThan(0);
    const fromMs = (events[at]?.atUs ?? 0) / 1000 - 0.001;
    const [line] = check(cut(whole, { fromMs }, "early"));
    const [all] = check(whole);
    expect(line && ending(line)).toEqual(all && ending(all));
  });

  test("reports an empty time range or an unknown market and leaves no files", () => {
    expect(() => cut(whole, { fromMs: 4e12 }, "never")).toThrow(/no events in that time/);
    expect(() => cut(whole, { markets: ["X_Y"] }, "never")).toThrow(/no market X_Y/);
    expect(io.store.list(`${folder}/never`)).toEqual([]);
    expect(io.store.list(`${folder}/never.part`)).toEqual([]);
  });
});

describe("merge", () => {
  const at = (ms: number, market: string) => {
    const marketId = market as MarketId;
    return { atUs: ms * 1000, marketId, timeMs: unixMs(ms) };
  };

  function write(name: string, marketId: string, from: number, events: RecordedEvent[]) {
    const writer = new RecordingWriter(io, `${folder}/${name}`);
    for (const event of events) writer.append(event);
    writer.close();
    const symbol = marketId.replace("_", "");
    const market = { marketId, symbol, grid: "native" } as const;
    const version = { format: "touchline-recording", version: 1 } as const;
    writer.writeManifest({ ...version, markets: [market], source: `test ${from}` });
    return `${folder}/${name}`;
  }
  const session = (name: string, marketId: string, from: number) =>
    write(name, marketId, from, [
      {
        type: "book",
        ...at(from, marketId),
        lastId: 0,
        bids: [[String(from), "1"]],
        asks: [],
      },
      {
        type: "depth",
        ...at(from + 1, marketId),
        firstId: 1,
        finalId: 1,
        bids: [["2", "1"]],
        asks: [],
      },
    ]);

  test("restarts the book where a market continues in another recording, even if its ids start again", () => {
    const out = merge([session("b", "X_Y", 2000), session("a", "X_Y", 1000)], "days");
    const [line] = check(out);
    expect(line).toMatchObject({ applied: 2, gaps: 0, duplicates: 0, interruptions: 1 });
    expect(line).toMatchObject({ bestBid: ["2000", "1"], bidLevels: 2 });
    expect(new Recording(io, out).manifest.source).toBe("test 2000; test 1000");
  });

  test("combines different markets", () => {
    const out = merge([session("c", "X_Y", 1000), session("d", "V_W", 1000)], "markets");
    expect(check(out).map((line) => [line.market, line.interruptions])).toEqual([
      ["X_Y", 0],
      ["V_W", 0],
    ]);
  });

  test("refuses overlapping recordings of one market and leaves no files", () => {
    const twice = [session("e", "X_Y", 1000), session("f", "X_Y", 1000.5)];
    expect(() => merge(twice, "twice")).toThrow(/X_Y at the same time/);
    expect(io.store.list(`${folder}/twice.part`)).toEqual([]);
  });
});

describe("Tardis CSV", () => {
  test("exported and imported again gives the same book and trades", () => {
    const csv = `${folder}/csv`;
    const options = { out: csv, exchange: "binance" };
    const files = runAll(exportTardis(io, new Recording(io, whole), options));
    const [all] = check(whole);
    const book = readFileSync(`${csv}/incremental_book_L2_ZILUSDT.csv`, "utf8").split("\n");
    expect(book[0]).toBe("exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount");
    expect(book[1]).toMatch(/^binance,ZILUSDT,\d{16},\d{16},true,bid,0\.\d+,[\d.]+$/);
    expect(files[0]?.rows).toBe(book.length - 2);
    const out = `${folder}/tardis`;
    const paths = files.map((file) => file.path);
    importRecording(io, { format: "tardis", files: paths, out });
    const [line] = check(out);
    expect(line && ending(line)).toEqual(all && ending(all));
    expect(line).toMatchObject({ trades: all?.trades, tradeGaps: 0, duplicates: 0, badTimes: 0 });
    const trades = (dir: string) =>
      [...new Recording(io, dir).events()].flatMap((event) =>
        event.type === "trade" ? [[event.tradeId, event.price, event.isBuyerMaker]] : [],
      );
    expect(trades(out)).toEqual(trades(whole));
    expect(() => runAll(exportTardis(io, new Recording(io, whole), options))).toThrow(
      /already exists/,
    );
  });

  test("has no update ids, so trades without depth for more than 10 s are a gap, also in the compiled form", () => {
    const head = (rest: string) => `exchange,symbol,timestamp,local_timestamp,${rest}`;
    const at = (second: number) =>
      `binance,ETHUSDT,17000000${second}000000,17000000${second}000000`;
    const write = (name: string, lines: readonly string[]) => {
      writeFileSync(`${folder}/${name}`, `${lines.join("\n")}\n`);
      return `${folder}/${name}`;
    };
    const files = [
      write("silent-book.csv", [
        head("is_snapshot,side,price,amount"),
        `${at(10)},true,bid,999,5`,
        `${at(10)},true,ask,1001,5`,
        `${at(11)},false,bid,998,5`,
        `${at(40)},false,bid,899,5`,
        `${at(41)},false,ask,901,5`,
      ]),
      write("silent-trades.csv", [
        head("id,side,price,amount"),
        `${at(12)},1,sell,950,1`,
        `${at(30)},2,sell,900,1`,
      ]),
    ];
    const out = `${folder}/silent`;
    const { defectCounts } = importRecording(io, { format: "tardis", files, out });
    expect(defectCounts).toMatchObject({ gaps: 1 });
    const sparse = { format: "tardis", files, out: `${folder}/sparse`, hasSparseDepth: true };
    expect(importRecording(io, sparse)).toMatchObject({ silences: 0, defectCounts: { gaps: 0 } });
    const played = [...new Recording(io, sparse.out).replayEvents("ETH_USDT")];
    expect(played.map(({ type }) => type)).toEqual([
      "book",
      "depth",
      "trade",
      "trade",
      "depth",
      "depth",
    ]);
    const [book = "", trades = ""] = files;
    const late = write("late-trades.csv", [
      head("id,side,price,amount"),
      `${at(50)},3,sell,900,1`,
      `${at(70)},4,sell,900,1`,
    ]);
    const ending = { ...sparse, files: [book, trades, late], out: `${folder}/sparse-end` };
    importRecording(io, ending);
    const toEnd = [...new Recording(io, ending.out).replayEvents("ETH_USDT")];
    expect(toEnd.map(({ type }) => type)).toEqual([
      ...played.map(({ type }) => type),
      "trade",
      "trade",
    ]);
    const recording = new Recording(io, out);
    const [market] = recording.manifest.markets;
    expect(market).toMatchObject({ marketId: "ETH_USDT", ids: "made" });
    const kinds = [...recording.replayEvents("ETH_USDT")].map(({ type }) => type);
    expect(kinds).toEqual(["book", "depth", "gap", "book", "depth", "depth"]);
    const compiled = runAll(openAllCompiled(recording, () => undefined));
    expect([...compiled.replayEvents("ETH_USDT")]).toEqual([...recording.replayEvents("ETH_USDT")]);
    compiled.close();
    const [checked] = checkRecording(io, recording);
    expect(checked).toMatchObject({
      gaps: 1,
      defects: [
        {
          what: "gaps",
          file: "silent-book.csv",
          line: 5,
          detail: "depth before this event is missing: trades went on without it",
        },
      ],
    });
    // A cut and a merge keep what is known of the ids.
    runAll(mergeRecordings(io, [recording], { out: `${folder}/silent-merged` }));
    const merged = new Recording(io, `${folder}/silent-merged`);
    expect(merged.manifest.markets).toMatchObject([{ ids: "made" }]);
  });

  test("a snapshot in mid-recording replaces the book, and a gap is before it where the source was silent", () => {
    const csv = `${folder}/resync.csv`;
    const row = (us: number, isSnapshot: boolean, side: string, price: string, amount: string) =>
      `x,BTCUSDT,${us},${us},${isSnapshot},${side},${price},${amount}`;
    const file = io.store.openAppend(csv);
    const lines = [
      "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount",
      row(1_700_000_000_000_000, true, "bid", "9", "1"),
      row(1_700_000_000_000_000, true, "ask", "11", "1"),
      row(1_700_000_000_000_500, false, "bid", "9.5", "1"),
      row(1_700_000_000_000_900, true, "bid", "8", "1"),
      row(1_700_000_000_000_900, true, "ask", "12", "1"),
      row(1_700_000_000_001_000, false, "ask", "12", "0"),
      row(1_700_000_011_000_000, true, "bid", "8", "1"),
      // A second snapshot, long after the first.
      row(1_700_000_031_000_000, true, "bid", "7", "1"),
      row(1_700_000_031_000_001, true, "ask", "8", "1"),
    ];
    file.append(new TextEncoder().encode(lines.join("\n")));
    file.close();
    const out = `${folder}/resync`;
    const { defects } = importRecording(io, { format: "tardis", files: [csv], out });
    expect(defects).toMatchObject([{ what: "gaps", line: 8 }]);
    expect(check(out)).toMatchObject([
      { gaps: 1, bestBid: ["7", "1"], bidLevels: 1, askLevels: 1 },
    ]);
    const kinds = [...new Recording(io, out).replayEvents("BTC_USDT")].map(({ type }) => type);
    expect(kinds).toEqual(["book", "depth", "book", "depth", "gap", "book", "book"]);
  });
});
