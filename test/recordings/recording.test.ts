import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { checkRecording } from "../../src/recordings/check.ts";
import { eventLine, parseEventLine } from "../../src/recordings/event-line.ts";
import type { RecordedEvent, TextLevel } from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";

import type { RecordingMarket } from "../../src/recordings/manifest.ts";
import { TradeChain } from "../../src/recordings/trade-chain.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const market = marketId("BTC", "USDT");
const start = 1_700_000_000_000;

function at(second: number, timeMs = start + second * 1000) {
  return { atUs: (start + second * 1000) * 1000, marketId: market, timeMs: unixMs(timeMs) };
}

function depth(second: number, firstId: number, bids: TextLevel[], timeMs?: number): RecordedEvent {
  return { type: "depth", ...at(second, timeMs), firstId, finalId: firstId, bids, asks: [] };
}

function trade(second: number, tradeId: number, price = "10"): RecordedEvent {
  const id = String(tradeId);
  return {
    type: "trade",
    ...at(second),
    tradeId: id,
    price,
    quantity: "1",
    isBuyerMaker: true,
  };
}

const manifest = {
  format: "touchline-recording",
  version: 1,
  markets: [{ marketId: market, symbol: "BTCUSDT", grid: "native" }],
  source: "test",
} as const;

describe("recordings", () => {
  const folder = temporaryFolder();

  function write(name: string, ...flushes: RecordedEvent[][]): string {
    return writeOf(manifest.markets, name, ...flushes);
  }

  function writeOf(
    markets: readonly RecordingMarket[],
    name: string,
    ...flushes: RecordedEvent[][]
  ): string {
    const out = `${folder}/${name}`;
    const writer = new RecordingWriter(io, out);
    writer.writeManifest({ ...manifest, markets: [...markets] });
    for (const events of flushes) {
      for (const event of events) writer.append(event);
      writer.flush();
    }
    writer.close();
    return out;
  }

  function check(
    name: string,
    events: RecordedEvent[],
    markets: readonly RecordingMarket[] = manifest.markets,
  ) {
    return checkRecording(io, new Recording(io, writeOf(markets, name, events)))[0];
  }

  test("events survive writing and reading", () => {
    const events: RecordedEvent[] = [
      depth(1, 5, [["61829.76000000", "0.00000000"]]),
      { type: "book", ...at(2), lastId: 4, bids: [["10.0", "1.50"]], asks: [["0.00000012", "3"]] },
      { ...trade(3, 9), buyOrderId: "7", sellOrderId: "8" } as RecordedEvent,
      trade(3, 10),
    ];
    for (const event of events) expect(parseEventLine(eventLine(event))).toEqual(event);
    const broken = ["", "{}", "null", '{"at":1,"channel":"depth@X_Y","result":{}}', '{"at":1}'];
    for (const line of broken) expect(parseEventLine(line)).toBeUndefined();
    const foreign = eventLine(trade(1, 1)).replace("trade@", "candle@");
    expect(parseEventLine(foreign)).toBeUndefined();
  });

  test("a killed writer loses only its last frame", () => {
    const first = [depth(1, 1, [["10", "1"]]), depth(2, 2, [["10", "2"]])];
    const out = write("torn", first, [depth(3, 3, [["10", "3"]])]);
    const path = `${out}/events-0001.ndjson.zst`;
    const whole = readFileSync(path);
    for (const cut of [1, 5, 20]) {
      writeFileSync(path, whole.subarray(0, whole.length - cut));
      expect([...new Recording(io, out).events()]).toEqual(first);
    }
    whole[10] = 255 - (whole[10] ?? 0);
    writeFileSync(path, whole);
    expect(() => [...new Recording(io, out).events()]).toThrow(/RECORDING|unpacked|no event/);
  });

  test("plain and gzip files can be read, and a broken line is located", () => {
    const out = write("mixed", [trade(1, 1)]);
    writeFileSync(`${out}/events-0002.ndjson`, eventLine(trade(2, 2)));
    writeFileSync(`${out}/events-0003.ndjson.gz`, gzipSync(`${eventLine(trade(3, 3))}nonsense\n`));
    const seen: string[] = [];
    const read = () => {
      for (const event of new Recording(io, out).events()) {
        if (event.type === "trade") seen.push(event.tradeId);
      }
    };
    expect(read).toThrow(/events-0003\.ndjson\.gz, line 2/);
    expect(seen).toEqual(["1", "2", "3"]);
  });

  test("a folder with a recording is not overwritten, and an empty folder is not a recording", () => {
    const out = write("taken", [trade(1, 1)]);
    expect(() => new RecordingWriter(io, out)).toThrow(/holds a recording/);
    expect(() => new Recording(io, `${folder}/nothing`)).toThrow(/no recording/);
    writeFileSync(`${out}/manifest.json`, '{"format":"else"}');
    expect(() => new Recording(io, out)).toThrow(/format/);
  });

  test.each([
    ["", "it is empty"],
    ["{", "it is not JSON"],
    ["null", "manifest is not of type object"],
    ["{}", "manifest.format is not one of touchline-recording"],
    [JSON.stringify({ ...manifest, version: 3 }), "manifest.version is not one of 1"],
    [JSON.stringify({ ...manifest, markets: [] }), "manifest.markets has fewer than 1 elements"],
  ])("a manifest that is %j: the error says what is wrong", (text, problem) => {
    const out = write("damaged", [trade(1, 1)]);
    writeFileSync(`${out}/manifest.json`, text);
    expect(() => new Recording(io, out)).toThrow(`of a recording: ${problem}.`);
    io.store.remove(out);
  });

  test("times of receipt never decrease for a reader", () => {
    const out = write("clock", [trade(5, 1), trade(3, 2), trade(6, 3)]);
    const times = [...new Recording(io, out).events()].map(({ atUs }) => atUs / 1000);
    expect(times).toEqual([start + 5000, start + 5000, start + 6000]);
  });

  test("without a snapshot the book starts empty at the first event", () => {
    const line = check("cold", [depth(1, 7, [["10", "1"]]), depth(2, 8, [["9", "2"]])]);
    expect(line).toMatchObject({ applied: 2, gaps: 0, bestBid: ["10", "1"], bidLevels: 2 });
    expect(line).toMatchObject({ firstId: 8, finalId: 8, bestAsk: null });
  });

  test("a snapshot older than the next event leaves a gap", () => {
    const book: RecordedEvent = { type: "book", ...at(0), lastId: 3, bids: [["8", "1"]], asks: [] };
    const line = check("stale", [book, depth(1, 7, [["10", "1"]])]);
    expect(line).toMatchObject({ applied: 1, gaps: 1, bidLevels: 2 });
  });

  test("bad levels are left out, bad times are reported, and the events are kept", () => {
    const line = check("defects", [
      depth(
        1,
        1,
        [
          ["10", "1"],
          ["-1", "5"],
          ["0", "5"],
          ["1e3", "5"],
        ],
        0,
      ),
      depth(2, 2, [
        ["9", "x"],
        ["8", "1"],
      ]),
      depth(3, 3, [["7", "1"]]),
      depth(4, 4, [["6", "1"]]),
      trade(4, 1),
      trade(5, 2, "-3"),
    ]);
    expect(line).toMatchObject({
      depthEvents: 4,
      levelChanges: 8,
      trades: 2,
      badPrices: 5,
      badTimes: 1,
      applied: 4,
      bidLevels: 4,
    });
  });

  test("crossed and locked books are counted", () => {
    const ask = (id: number, price: string, size: string): RecordedEvent => ({
      type: "depth",
      ...at(id),
      firstId: id,
      finalId: id,
      bids: [],
      asks: [[price, size]],
    });
    const line = check("crossed", [
      depth(1, 1, [["10", "1"]]),
      ask(2, "10", "1"),
      ask(3, "9", "1"),
      ask(4, "9", "0"),
      ask(5, "10", "0"),
    ]);
    expect(line).toMatchObject({ crossed: 1, locked: 2, applied: 5 });
  });

  test("missing and repeated trades are found by their ids", () => {
    const links = (ids: string[]) => {
      const chain = new TradeChain();
      return ids.map((id) => chain.take(id));
    };
    expect(links(["5", "6", "6", "9", "10", "2"])).toEqual([
      "next",
      "next",
      "duplicate",
      "gap",
      "next",
      "duplicate",
    ]);
    expect(links(["0xaa", "0xbb", "0xbb"])).toEqual(["next", "next", "duplicate"]);
  });

  test("trade ids of the venue, counted over all markets, show no missing trades, and repeated ones", () => {
    const ids = [1, 2, 3, 7, 8, 20, 20];
    const events = ids.map((id, second) => trade(second, id));
    const counted = { tradeGaps: 2, tradeDuplicates: 1 };
    expect(check("counted", events)).toMatchObject(counted);
    const unique = [{ ...manifest.markets[0], tradeIds: "unique" }] as const;
    expect(check("unique", events, unique)).toMatchObject({ ...counted, tradeGaps: 0 });
  });
});
