import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { openAllCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { openParquet } from "../../src/platform/parquet.ts";
import { checkRecording } from "../../src/recordings/check.ts";
import { cutRecording } from "../../src/recordings/cut.ts";
import { eventLine } from "../../src/recordings/event-line.ts";
import { exportNdjson } from "../../src/recordings/export-ndjson.ts";
import { exportParquet } from "../../src/recordings/export-parquet.ts";
import { exportTardis } from "../../src/recordings/export-tardis.ts";
import { mergeRecordings } from "../../src/recordings/merge.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { runLine } from "../cli/run-line.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const csv = [
  "timestamp,open,high,low,close,volume",
  "2024-08-08T00:00:00Z,100,101.5,99,100.5,12.25",
  "1723075260,100.5,102,100.5,101,3.5",
  "2024-08-08 00:03:00,101,103,101.5,102,1",
  "2024-08-08 00:04:00,102,103,101,102,2",
].join("\n");

function imported(format: string, name: string, text: string) {
  return importedFiles(format, { [name]: text });
}

function importedFiles(format: string, texts: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const files = Object.entries(texts).map(([name, text]) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  });
  const out = path.join(folder, "recording");
  return { out, summary: importRecording(io, { format, files, out }) };
}

/** Ten candles of a minute from this hour of the day on. */
const minutes = (hour: number): string =>
  Array.from({ length: 10 }, (_, minute) => {
    const price = 0.1 + minute / 1000;
    const [high, low] = [price + 0.002, price - 0.002].map((value) => value.toFixed(4));
    const openMs = hour * 3_600_000 + minute * 60_000;
    return `${openMs},${price.toFixed(4)},${high},${low},${price.toFixed(4)},50000\n`;
  }).join("");
const minuteFile = "binance-zilusdt-minute-20240808_trade.csv";
const start = Date.parse("2024-08-08T00:00:00Z");
const mixed = {
  "binance-zilusdt-minute-20240808_trade.csv": minutes(0),
  "binance-zilusdt-daily_trade.csv": "20240808 00:00,0.1,0.11,0.09,0.1,500000\n",
};
const opens = (folder: string): readonly number[] =>
  [...new Recording(io, folder).replayEvents("ZIL_USDT")]
    .filter(({ type }) => type === "open")
    .map(({ atMs }) => (atMs - start) / 60_000);

/** A header and `count` rows of candles of a minute. */
const csvOf = (count: number): readonly string[] => [
  "time,open,high,low,close,volume",
  ...Array.from({ length: count }, (_, at) => `${start + at * 60_000},1,1.2,0.9,1.1,10`),
];

test("a CSV of candles becomes a recording with two moments for each candle, and an impossible candle is left out", () => {
  const { out, summary } = imported("candles-csv", "ZILUSDT-prices.csv", csv);
  expect(summary.defectCounts).toMatchObject({ badPrices: 1, badTimes: 0 });
  const recording = new Recording(io, out);
  expect(recording.manifest).toMatchObject({
    content: "candles",
    markets: [{ marketId: "ZIL_USDT" }],
  });
  const events = [...recording.replayEvents("ZIL_USDT")];
  expect(events.map(({ type, atMs }) => [type, (atMs - start) / 60_000])).toEqual([
    ["open", 0],
    ["candle", 1],
    ["open", 1],
    ["candle", 2],
    ["open", 4],
    ["candle", 5],
  ]);
  expect(events[1]).toMatchObject({
    candle: { open: 100, high: 101.5, low: 99, close: 100.5, volume: 12.25 },
  });
  const compiled = runAll(openAllCompiled(recording, () => undefined));
  expect([...compiled.replayEvents("ZIL_USDT")]).toEqual(events);
  compiled.close();
});

test.each<[string, (rows: readonly string[]) => readonly string[], number]>([
  ["whose halves are swapped", (rows) => [...rows.slice(10), ...rows.slice(0, 10)], 0],
  ["of three parts", (rows) => [...rows.slice(12, 17), ...rows.slice(0, 12), ...rows.slice(17)], 0],
  ["with the newest row first", (rows) => rows.toReversed(), 0],
  ["with one row twice", (rows) => [...rows.slice(0, 9), rows[3] ?? "", ...rows.slice(9)], 1],
])("a CSV of candles %s keeps all of them", (_, ordered, badTimes) => {
  const [header = "", ...rows] = csvOf(20);
  const { summary } = imported(
    "candles-csv",
    "ZILUSDT-1m.csv",
    [header, ...ordered(rows)].join("\n"),
  );
  expect(summary.defectCounts).toMatchObject({ badTimes });
  expect([summary.events, summary.toMs - summary.fromMs]).toEqual([20 + badTimes, 19 * 60_000]);
});

test.each([
  ["BTCUSDT-1h.csv", "BTC_USDT"],
  ["btc_usdt-1m.csv", "BTC_USDT"],
  ["ETH-BTC-90d-1m.csv", "ETH_BTC"],
  ["BTCUSDT_ETH.csv", "BTC_USDT"],
])("the market is that with which the file's name begins: %s", (name, market) => {
  const { summary } = imported("candles-csv", name, csv);
  expect(summary.markets).toMatchObject([{ marketId: market }]);
});

test("Lean's bars take symbol, length and day from the file's name, and bars of quotes are refused", () => {
  const { out } = imported(
    "lean",
    "binance-zilusdt-minute-20240808_trade.csv",
    "60000,1,3,1,2,7\n",
  );
  const [open, candle] = new Recording(io, out).replayEvents("ZIL_USDT");
  expect([open?.atMs, candle?.atMs]).toEqual(
    [1, 2].map((minute) => Date.parse("2024-08-08T00:00:00Z") + minute * 60_000),
  );
  expect(() => imported("lean", "zilusdt-minute-20240808_quote.csv", "0,1,1,1,1,1\n")).toThrow(
    "no volume",
  );
});

test("a model that needs a book is refused by its name, and the warning says what candles do not tell", async () => {
  const { out } = imported("candles-csv", "ZILUSDT-1m.csv", csv);
  const recording = new Recording(io, out);
  const bot = path.join(root, "test/data/replay-bot.yaml");
  const load = (...overrides: string[]) => loadBotConfig(bot, { overrides });
  expect(replaySetup(await load(), recording).warnings.join()).toContain("order of high and low");
  const power = await load("models.fills.queue=power");
  expect(() => replaySetup(power, recording)).toThrow("models.fills.queue: power needs a book");
  const feed = await load("models.latency.feed=5ms");
  expect(() => replaySetup(feed, recording)).toThrow("models.latency.feed needs a book");
});

test.each([
  ["import", () => importedFiles("lean", mixed)],
  [
    "merge",
    () => {
      const parts = Object.entries(mixed).map(([name, text]) => imported("lean", name, text).out);
      const recordings = parts.map((part) => new Recording(io, part));
      return runAll(mergeRecordings(io, recordings, { out: path.join(temporaryFolder(), "all") }));
    },
  ],
])("%s refuses candles of two lengths of one market", (_, run) => {
  expect(run).toThrow(/candles of 1m and 1d of ZIL_USDT/);
});

test("recordings of candles are merged, and the replay has the candles of both", async () => {
  const parts = [0, 2].map((hour) => imported("lean", minuteFile, minutes(hour)).out);
  const out = path.join(temporaryFolder(), "merged");
  const recordings = parts.map((part) => new Recording(io, part));
  runAll(mergeRecordings(io, recordings, { out }));
  expect(opens(out)).toEqual([...opens(parts[0] ?? ""), ...opens(parts[1] ?? "")]);
  expect(opens(out)).toHaveLength(20);
  const recording = new Recording(io, out);
  const compiled = runAll(openAllCompiled(recording, () => undefined));
  expect([...compiled.replayEvents("ZIL_USDT")]).toEqual([...recording.replayEvents("ZIL_USDT")]);
  compiled.close();
  expect(checkRecording(io, recording)).toMatchObject([{ candles: 20, badTimes: 0, defects: [] }]);
});

test("a recording of candles is merged with none of a book", () => {
  const { out } = imported("lean", minuteFile, minutes(0));
  const sample = path.join(root, "config/recordings/zilusdt");
  const both = [out, sample].map((folder) => new Recording(io, folder));
  const merged = path.join(temporaryFolder(), "merged");
  expect(() => runAll(mergeRecordings(io, both, { out: merged }))).toThrow("cannot be merged");
});

test("a cut of candles has the candles that end within its time, and is a recording of candles", () => {
  const { out } = imported("lean", minuteFile, minutes(0));
  const cut = path.join(temporaryFolder(), "cut");
  const [fromMs, toMs] = [start + 3 * 60_000, start + 6 * 60_000];
  expect(runAll(cutRecording(io, new Recording(io, out), { out: cut, fromMs, toMs }))).toBe(4);
  expect(new Recording(io, cut).manifest.content).toBe("candles");
  expect(opens(cut)).toEqual([2, 3, 4, 5]);
});

test("a sweep over candles varies their models, and a cut in two that is merged again gives the same result", async () => {
  const { out: first } = imported("lean", minuteFile, minutes(0));
  const folder = temporaryFolder();
  const whole = new Recording(io, first);
  const parts = [
    { out: path.join(folder, "one"), toMs: start + 5 * 60_000 },
    { out: path.join(folder, "two"), fromMs: start + 5 * 60_000 + 1 },
  ].map((part) => {
    runAll(cutRecording(io, whole, part));
    return new Recording(io, part.out);
  });
  const merged = path.join(folder, "merged");
  runAll(mergeRecordings(io, parts, { out: merged }));
  writeFileSync(
    path.join(folder, "bot.yaml"),
    `fees: { maker: 0.02%, taker: 0.05% }
balances: { ZIL: "1000000", USDT: "1000000" }
strategies:
  - name: zil
    plugin: pure-market-making
    market: ZIL_USDT
    params: { bidSpread: 0.05%, askSpread: 0.05%, size: "5000", refresh: 1m }
`,
  );
  const rows = await Promise.all(
    [first, merged].map(async (recording, at) => {
      const file = path.join(folder, `sweep-${at}.yaml`);
      writeFileSync(
        file,
        `config: bot.yaml
recordings: [${JSON.stringify(recording)}]
parameters: { models.candles.volumeShare: [1%, 10%] }
`,
      );
      const place = path.join(folder, `swept-${at}`);
      const args = ["sweep", file, "--out", place, "--workers", "1", "--json"];
      const { code, events } = await runLine(args);
      expect(code).toBe(0);
      expect(events.at(-1)).toMatchObject({ event: "sweep" });
      return readFileSync(path.join(place, "results.csv"), "utf8");
    }),
  );
  const [head, ...results] = (rows[0] ?? "").trim().split("\n");
  expect(head).toContain("models.candles.volumeShare");
  expect(results).toHaveLength(2);
  // A greater share of the volume fills more.
  const volume = head?.split(",").indexOf("volume") ?? -1;
  const [small = 0, large = 0] = results.map((row) => Number(row.split(",")[volume]));
  expect(small).toBeGreaterThan(0);
  expect(large).toBeGreaterThan(small);
  expect(rows[1]).toBe(rows[0]);
});

test("an export of candles is ndjson that is read back, and Tardis and Parquet are refused by name", () => {
  const { out } = imported("lean", minuteFile, minutes(0));
  const recording = new Recording(io, out);
  const folder = temporaryFolder();
  const [file] = runAll(exportNdjson(io, recording, folder));
  const lines = readFileSync(file?.path ?? "", "utf8")
    .trimEnd()
    .split("\n");
  expect(lines).toEqual([...recording.events()].map((event) => eventLine(event).trimEnd()));
  expect(lines).toHaveLength(10);
  const refused = temporaryFolder();
  expect(() => runAll(exportTardis(io, recording, { out: refused, exchange: "binance" }))).toThrow(
    "Tardis' format needs a book",
  );
  const say = (): void => undefined;
  expect(() => runAll(exportParquet(io, recording, { openParquet, out: refused, say }))).toThrow(
    "An export to Parquet needs a book",
  );
  expect(readdirSync(refused)).toEqual([]);
});
