import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Replacement } from "../../src/ports/store.ts";
import { openParquet } from "../../src/platform/parquet.ts";
import { exportNdjson } from "../../src/recordings/export-ndjson.ts";
import { csvFields } from "../../src/recordings/formats/csv.ts";
import { exportTardis } from "../../src/recordings/export-tardis.ts";
import { exportParquet } from "../../src/recordings/export-parquet.ts";
import { parseEventLine } from "../../src/recordings/event-line.ts";
import type { RecordedEvent } from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { SyncedTexts } from "../../src/recordings/synced-texts.ts";
import { markets, writeRecording } from "./random-recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sample = new Recording(io, resolve(import.meta.dirname, "../../config/recordings/zilusdt"));
const folder = temporaryFolder();

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(path: string): Promise<readonly Row[]> {
  return parquetReadObjects({ file: Uint8Array.from(readFileSync(path)).buffer });
}

function toParquet(recording: Recording, out: string) {
  const say = (sentence: string): void => expect.unreachable(sentence);
  return runAll(exportParquet(io, recording, { openParquet, out, say }));
}

describe("a recording as Parquet", () => {
  test("has a row for each trade and each level, with the numbers of the recording", async () => {
    const files = toParquet(sample, `${folder}/parquet`);
    expect(files.map(({ path }) => path.slice(folder.length))).toEqual([
      "/parquet/trades_ZILUSDT.parquet",
      "/parquet/depth_ZILUSDT.parquet",
      "/parquet/books_ZILUSDT.parquet",
    ]);
    const trades: Row[] = [];
    const depth: Row[] = [];
    const books: Row[] = [];
    for (const [event, each] of [...sample.syncedEvents("ZIL_USDT")].entries()) {
      const of = (timeMs: number) => ({
        event: BigInt(event),
        received: new Date(Math.trunc(each.atMs)),
        time: new Date(timeMs),
      });
      if (each.type === "trade") {
        const { timeMs, tradeId, isBuyerMaker, price, quantity } = each.trade;
        const side = isBuyerMaker ? "sell" : "buy";
        const orders = { buyOrderId: null, sellOrderId: null };
        trades.push({ ...of(timeMs), tradeId, side, price, quantity, ...orders });
        continue;
      }
      const { bids, asks, timeMs } = each.type === "depth" ? each.event : each.snapshot;
      const ids =
        each.type === "depth"
          ? { firstId: BigInt(each.event.firstId), finalId: BigInt(each.event.finalId) }
          : { lastId: BigInt(each.snapshot.lastId) };
      for (const [side, levels] of [
        ["bid", bids],
        ["ask", asks],
      ] as const) {
        for (let at = 0; at < levels.length; at += 2) {
          const row = { ...of(timeMs), ...ids, side, price: levels[at], quantity: levels[at + 1] };
          (each.type === "depth" ? depth : books).push(row);
        }
      }
    }
    expect(files.map(({ rows }) => rows)).toEqual([trades.length, depth.length, books.length]);
    const found = await Promise.all(files.map(({ path }) => rowsOf(path)));
    const inMs = (rows: readonly Row[]) =>
      rows.map((row) => ({ ...row, received: new Date(Number(row["received"])) }));
    expect(found.map(inMs)).toEqual([trades, depth, books]);
  });

  test("has the ids of orders, and nothing where an id is no whole number", async () => {
    const [market] = markets;
    const base = {
      marketId: market,
      atUs: 1_700_000_000_000_123,
      timeMs: unixMs(1_700_000_000_000),
    };
    writeRecording(`${folder}/odd`, [
      { type: "depth", ...base, firstId: 0.5, finalId: 3, bids: [["10.5", "2"]], asks: [] },
      {
        type: "trade",
        ...base,
        tradeId: "x-1",
        price: "10.5",
        quantity: "1",
        isBuyerMaker: true,
        buyOrderId: "7",
        sellOrderId: "b",
      },
    ]);
    const out = `${folder}/odd-tables`;
    toParquet(new Recording(io, `${folder}/odd`), out);
    expect(await rowsOf(`${out}/depth_BTCUSDT.parquet`)).toMatchObject([
      { firstId: null, finalId: 3n, side: "bid", price: 10.5, quantity: 2 },
    ]);
    expect(await rowsOf(`${out}/trades_BTCUSDT.parquet`)).toMatchObject([
      { event: 1n, tradeId: "x-1", side: "sell", buyOrderId: "7", sellOrderId: "b" },
    ]);
    expect(await rowsOf(`${out}/trades_ETHUSDT.parquet`)).toEqual([]);
  });

  test("does not overwrite a file", () => {
    toParquet(sample, `${folder}/again`);
    expect(() => toParquet(sample, `${folder}/again`)).toThrow(/already exists/);
  });
});

test("a recording as ndjson has its lines in the order that rebuilds the book", () => {
  const out = `${folder}/ndjson`;
  const [file] = runAll(exportNdjson(io, sample, out));
  const lines = readFileSync(`${out}/ZILUSDT.ndjson`, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  const expected: RecordedEvent[] = [];
  const market = marketId("ZIL", "USDT");
  const texts = new SyncedTexts(market, sample.bookSource(market, sample.snapshotIds()));
  for (const event of sample.events()) expected.push(...texts.take(event));
  expect(lines.map(parseEventLine)).toEqual(expected);
  expect(file?.rows).toBe(expected.length);
});

test("a trade id with a comma, quotes or a formula stays one cell of Tardis CSV that no spreadsheet runs", () => {
  const [market] = markets;
  const timeMs = unixMs(1_700_000_000_000);
  const ids = ["7", "a,b", 'say "x"', "=1+1", "-5"];
  const source = `${folder}/trade-ids`;
  writeRecording(
    source,
    ids.map((tradeId, at) => ({
      type: "trade",
      marketId: market,
      atUs: 1_000 * timeMs + at,
      timeMs,
      tradeId,
      price: "10.5",
      quantity: "1",
      isBuyerMaker: true,
    })),
  );
  const out = `${folder}/trade-ids-out`;
  runAll(exportTardis(io, new Recording(io, source), { out, exchange: "x" }));
  const [, ...lines] = readFileSync(`${out}/trades_BTCUSDT.csv`, "utf8").trimEnd().split("\n");
  const rows = lines.map(csvFields);
  expect(rows.map((row) => row[4])).toEqual(["7", "a,b", 'say "x"', "'=1+1", "-5"]);
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([8]));
});

describe.each(["ndjson", "parquet", "tardis"] as const)("an export to %s that fails", (format) => {
  const start = (recording: Recording, out: string, used = io) => {
    if (format === "ndjson") return exportNdjson(used, recording, out);
    if (format === "tardis") return exportTardis(used, recording, { out, exchange: "x" });
    return exportParquet(used, recording, { openParquet, out, say: () => undefined });
  };
  const second = { ndjson: "BB", parquet: "books_BB", tardis: "trades_BB" }[format];
  const ending = format === "tardis" ? "csv" : format;
  const twoMarkets = (name: string, symbols: readonly [string, string]) => {
    const recording = `${folder}/${name}-${format}`;
    const listed = markets.map((id, at) => ({ marketId: id, symbol: symbols[at], grid: "native" }));
    mkdirSync(recording);
    const manifest = { ...sample.manifest, markets: listed };
    writeFileSync(`${recording}/manifest.json`, JSON.stringify(manifest));
    return new Recording(io, recording);
  };

  test("leaves no files behind, so that it can be repeated", () => {
    const recording = twoMarkets("taken", ["AA", "BB"]);
    const out = `${folder}/taken-out-${format}`;
    const taken = `${out}/${second}.${ending}`;
    mkdirSync(out);
    writeFileSync(taken, "mine");
    expect(() => runAll(start(recording, out))).toThrow("already exists");
    expect(readFileSync(taken, "utf8")).toBe("mine");
    rmSync(taken);
    expect(readdirSync(out)).toEqual([]);
    expect(runAll(start(recording, out)).length).toBeGreaterThanOrEqual(2);
  });

  test("because two symbols have one file name, says so", () => {
    const recording = twoMarkets("same", ["A/B", "A:B"]);
    const out = `${folder}/same-out-${format}`;
    // On some disks capital letters make no other name, and the second file would take the first one's place.
    const alike = twoMarkets("alike", ["btcusdt", "BTCUSDT"]);
    expect(() => runAll(start(alike, out))).toThrow("Two markets would be written to");
    expect(() => runAll(start(recording, out))).toThrow("Two markets would be written to");
    expect(readdirSync(out)).toEqual([]);
  });

  test("names no file that Windows takes for a device, and none outside of its folder", () => {
    const recording = twoMarkets("device", ["nul.usd", "../../CON"]);
    const out = `${folder}/device-out-${format}`;
    runAll(start(recording, out));
    const names = readdirSync(out).map((name) =>
      name.replace(/^(trades|depth|books|incremental_book_L2)_/, ""),
    );
    expect(new Set(names)).toEqual(new Set([`nul-.usd.${ending}`, `..-..-CON.${ending}`]));
  });

  test("because the disk is full, leaves no files behind", () => {
    const out = `${folder}/full-${format}`;
    const openReplacement = (path: string): Replacement => {
      const file = io.store.openReplacement(path);
      const append = (): never => {
        throw new Error("no space left");
      };
      return { append, commit: () => file.commit(), discard: () => file.discard() };
    };
    const full = { ...io, store: { ...io.store, openReplacement } };
    expect(() => runAll(start(sample, out, full))).toThrow("no space left");
    expect(readdirSync(out)).toEqual([]);
  });
});
