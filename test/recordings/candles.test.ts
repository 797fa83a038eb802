import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { openAllCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { io, temporaryFolder } from "./shared-recordings.ts";

const root = path.resolve(import.meta.dirname, "../..");
const csv = [
  "timestamp,open,high,low,close,volume",
  "2024-08-08T00:00:00Z,100,101.5,99,100.5,12.25",
  "1723075260,100.5,102,100.5,101,3.5",
  "2024-08-08 00:03:00,101,103,101.5,102,1",
  "2024-08-08 00:04:00,102,103,101,102,2",
].join("\n");

function imported(
  format: string,
  name: string,
  text: string,
): { out: string; summary: ReturnType<typeof importRecording> } {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  writeFileSync(file, text);
  const out = path.join(folder, "recording");
  return { out, summary: importRecording(io, { format, files: [file], out }) };
}

test("a CSV of candles becomes a recording with two moments for each candle, and an impossible candle is left out", () => {
  const { out, summary } = imported("candles-csv", "ZILUSDT-prices.csv", csv);
  expect(summary.defectCounts).toMatchObject({ badPrices: 1, badTimes: 0 });
  const recording = new Recording(io, out);
  expect(recording.manifest).toMatchObject({ version: 2, markets: [{ marketId: "ZIL_USDT" }] });
  const start = Date.parse("2024-08-08T00:00:00Z");
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
