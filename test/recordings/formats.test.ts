import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkRecording } from "../../src/recordings/check.ts";
import { csvFields } from "../../src/recordings/formats/csv.ts";
import { stampUs } from "../../src/recordings/formats/stamp.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { marketNameOf } from "../../src/recordings/market-name.ts";
import { plainDecimal } from "../../src/recordings/plain-decimal.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("parses receive stamps of every precision exactly", () => {
  expect(stampUs("1723161253937085768")).toBe(1723161253937085);
  expect(stampUs("1680652800004107")).toBe(1680652800004107);
  expect(stampUs("1680652800004")).toBe(1680652800004000);
  expect(stampUs("1617647603.4249449")).toBe(1617647603424944);
  expect(stampUs("1617647603.5")).toBe(1617647603500000);
  expect(stampUs("1617647603")).toBe(1617647603000000);
  for (const text of ["", "123", "16176476031.5", "now", "2025-02-30"]) {
    expect(stampUs(text)).toBeUndefined();
  }
});

test.each([
  ["1735689600000.0", 0],
  ["1.7356896e+12", 0],
  ["1735689600.25", 250_000],
  ["1735689600000000123", 0],
  ["2025-01-01", 0],
  ["20250101 00:00", 0],
  ["2025/01/01 00:00:01", 1_000_000],
  ["2025-01-01T02:00:00.5+02:00", 500_000],
  ["2024-12-31 19:00:00-0500", 0],
  ["2025-01-01 00:00:00 UTC", 0],
])("the time %s is UTC or that of its zone", (text, us) => {
  expect(stampUs(text)).toBe(1_735_689_600_000_000 + us);
});

test.each([
  ["5e-05", "0.00005"],
  ["1.2E-4", "0.00012"],
  ["1.5e1", "15"],
  ["12.345e1", "123.45"],
  ["2e3", "2000"],
  [".5", "0.5"],
  ["+7.", "7"],
  ["0e0", "0"],
  ["0.50", "0.50"],
  ["-1", "-1"],
  ["e5", "e5"],
  ["", ""],
])("%j is the plain decimal %j", (text, plain) => {
  expect(plainDecimal(text)).toBe(plain);
});

test("names markets by their symbols", () => {
  const names = {
    BTCUSDT: "BTC_USDT",
    btcusdt: "BTC_USDT",
    AXSBNB: "AXS_BNB",
    ETHBRL: "ETH_BRL",
    RENBTCETH: "RENBTC_ETH",
    BTCSTUSDT: "BTCST_USDT",
    LRCBTC: "LRC_BTC",
    RUNEEUR: "RUNE_EUR",
    NEOUSDC: "NEO_USDC",
    BTCAUD: "BTC_AUD",
    "BTC-USD": "BTC_USD",
    TRXUSDT: "TRX_USDT",
  };
  for (const [symbol, name] of Object.entries(names)) expect(marketNameOf(symbol)).toBe(name);
  for (const symbol of ["USDT", "FOOBAR", "", "A-B-C", "-USD"]) {
    expect(marketNameOf(symbol)).toBeUndefined();
  }
});

describe("import", () => {
  const folder = temporaryFolder();

  function file(name: string, lines: string[]): string {
    writeFileSync(`${folder}/${name}`, lines.join("\n"));
    return `${folder}/${name}`;
  }

  const futures = (data: object, stream: string) =>
    `1721347020984480942 ${JSON.stringify({ stream, data: { s: "BTCUSDT", E: 1721347020984, T: 1721347020984, ...data } })}`;
  const levels = { b: [["1000.00", "569.567"]], a: [] };

  test("links futures events by the previous event's id and an insurance trade has nothing but its id", () => {
    const path = file("btcusdt_1.txt", [
      '1721347020000000000 {"lastUpdateId":94,"E":1721347022759,"bids":[],"asks":[["2","1"]]}',
      futures({ U: 200, u: 300, pu: 94, ...levels }, "btcusdt@depth@0ms"),
      futures({ U: 310, u: 400, pu: 300, ...levels }, "btcusdt@depth@0ms"),
      futures({ t: 7, p: "3", q: "1", m: false, X: "MARKET" }, "btcusdt@trade"),
      futures({ t: 8, p: "3", q: "1", m: false, X: "INSURANCE_FUND" }, "btcusdt@trade"),
      futures({ t: 9, p: "3", q: "1", m: false, X: "MARKET" }, "btcusdt@trade"),
      futures({ t: 10, p: "3", q: "1", m: false, X: "MARKET" }, "btcusdt@trade"),
      futures({ p: "3" }, "btcusdt@markPrice"),
    ]);
    const out = `${folder}/futures`;
    importRecording(io, { format: "binance-raw", files: [path], out });
    const events = [...new Recording(io, out).events()];
    expect(events).toMatchObject([
      { type: "book", marketId: "BTC_USDT", lastId: 94, timeMs: 1721347022759 },
      { type: "depth", firstId: 95, finalId: 300, bids: [["1000.00", "569.567"]] },
      { type: "depth", firstId: 301, finalId: 400 },
      { type: "trade", tradeId: "7", price: "3" },
      { type: "trade", tradeId: "8", isOffBook: true },
      { type: "trade", tradeId: "9", price: "3" },
      { type: "trade", tradeId: "10", price: "3" },
    ]);
    const [line] = checkRecording(io, new Recording(io, out));
    expect(line).toMatchObject({ trades: 3, tradeGaps: 0, badPrices: 0 });
    const [...played] = new Recording(io, out).replayEvents("BTC_USDT");
    expect(played.filter(({ type }) => type === "trade")).toHaveLength(3);
  });

  test("names the market of a book before the first stream, also in JSON with blanks", () => {
    const path = file("blanks.txt", [
      '1721347020000000000 {"lastUpdateId": 94, "bids": [["1", "1"]], "asks": [["2", "1"]]}',
      futures({ U: 95, u: 96, ...levels }, "btcusdt@depth@0ms").replaceAll('":', '": '),
    ]);
    const out = `${folder}/blanks`;
    importRecording(io, { format: "binance-raw", files: [path], out });
    const [book] = [...new Recording(io, out).events()];
    expect(book).toMatchObject({ type: "book", marketId: "BTC_USDT" });
  });

  test("merges files by time of receipt, with the earlier file first at equal times", () => {
    const line = (us: string, id: number, symbol: string) =>
      `${us} ${JSON.stringify({ stream: `${symbol.toLowerCase()}@trade`, data: { s: symbol, t: id, p: "1", q: "1", T: 5, m: true, b: 11, a: 12 } })}`;
    const one = file("one.txt", [
      line("1680652800000001", 1, "BTCUSDT"),
      line("1680652800000004", 4, "BTCUSDT"),
    ]);
    const two = file("two.txt", [
      line("1680652800000002", 2, "ETHBTC"),
      line("1680652800000004", 5, "ETHBTC"),
    ]);
    const out = `${folder}/merged`;
    importRecording(io, { format: "binance-raw", files: [two, one], out });
    const events = [...new Recording(io, out).events()];
    const ids = events.map((event) => (event.type === "trade" ? event.tradeId : ""));
    expect(ids).toEqual(["1", "2", "5", "4"]);
    expect(events[0]).toMatchObject({ buyOrderId: "11", sellOrderId: "12" });
  });

  test("coinbase-dump: numbers events, keeps the maker's side, never lets time go back, and takes a second snapshot as the new book", () => {
    const row = (fields: Record<string, string>) =>
      ["type", "product_id", "time", "changes", "bids", "asks", ...matchNames]
        .map((name) => (fields[name]?.includes(",") ? `"${fields[name]}"` : (fields[name] ?? "")))
        .join(",");
    const matchNames = ["side", "price", "size", "trade_id", "maker_order_id", "taker_order_id"];
    const base = { product_id: "BTC-USD" };
    const snapshot = { ...base, type: "snapshot", bids: "[['9', '1.50']]", asks: "[]" };
    const change = (text: string, time: string) =>
      row({ ...base, type: "l2update", changes: text, time: `2018-04-17T00:55:${time}Z` });
    const path = file("coinbase.csv", [
      ["type", "product_id", "time", "changes", "bids", "asks", ...matchNames].join(","),
      row(snapshot),
      row({ type: "error" }),
      change("[['buy', '9.00', '2'], ['sell', '10', '0.10']]", "04.358"),
      row({
        ...base,
        type: "match",
        side: "sell",
        price: "10",
        size: "0.1",
        trade_id: "41766821.0",
        maker_order_id: "m",
        taker_order_id: "t",
        time: "2018-04-17T00:55:04.300001Z",
      }),
      row(snapshot),
      change("[['sell', '11', '3']]", "05.000"),
    ]);
    const out = `${folder}/coinbase`;
    const { defects } = importRecording(io, { format: "coinbase-dump", files: [path], out });
    const atUs = Date.parse("2018-04-17T00:55:04.358Z") * 1000;
    expect([...new Recording(io, out).events()]).toMatchObject([
      { type: "book", marketId: "BTC_USD", lastId: 0, bids: [["9", "1.50"]], asks: [], atUs },
      { type: "depth", firstId: 1, finalId: 1, bids: [["9.00", "2"]], asks: [["10", "0.10"]] },
      {
        type: "trade",
        tradeId: "41766821",
        isBuyerMaker: false,
        buyOrderId: "t",
        sellOrderId: "m",
        atUs,
        timeMs: atUs / 1000 - 58,
      },
      { type: "book", lastId: 1 },
      { type: "depth", firstId: 2, finalId: 2, bids: [], asks: [["11", "3"]] },
    ]);
    expect(defects).toEqual([]);
    const [line] = checkRecording(io, new Recording(io, out));
    expect(line).toMatchObject({ gaps: 0, bidLevels: 1, bestAsk: ["11", "3"] });
    const two = { format: "coinbase-dump", files: [path, path], out: `${folder}/coinbases` };
    expect(() => importRecording(io, two)).toThrow(/takes one file, not 2/);
  });

  test("binance-csv: groups rows into events, links futures events by the previous id, and reports a single wrong time", () => {
    const names =
      "TimestampOfReceive,EventTime,Symbol,FirstUpdateId,FinalUpdateId,FinalUpdateIdInLastStream,IsAsk,Price,Quantity";
    const stamp = (ms: number) => `17410464000${ms}`;
    const path = file("depth.csv", [
      names,
      `${stamp(50)},${stamp(40)},BTCUSDT,20,30,9,0,5,1.0`,
      `${stamp(50)},${stamp(60)},BTCUSDT,20,30,9,1,6,2`,
      "",
      `${stamp(70)},${stamp(60)},BTCUSDT,35,40,30,1,6,0`,
    ]);
    const out = `${folder}/futures-csv`;
    const { defects } = importRecording(io, { format: "binance-csv", files: [path], out });
    expect([...new Recording(io, out).events()]).toMatchObject([
      {
        firstId: 10,
        finalId: 30,
        badTimes: 1,
        timeMs: 1_741_046_400_040,
        bids: [["5", "1.0"]],
        asks: [["6", "2"]],
      },
      { firstId: 31, finalId: 40, bids: [], asks: [["6", "0"]] },
    ]);
    expect(defects).toMatchObject([{ what: "badTimes", line: 3, market: "BTC_USDT" }]);
  });

  test("splits CSV fields with and without quotes", () => {
    expect(csvFields('a,"b,""c""",,d')).toEqual(["a", 'b,"c"', "", "d"]);
    expect(csvFields('"","x"')).toEqual(["", "x"]);
    expect(csvFields("a,")).toEqual(["a", ""]);
  });

  const mistakes: [name: string, format: string, lines: string[], message: RegExp][] = [
    ["no stamp", "binance-raw", ["hello"], /line 1: not a line of the format/],
    ["no JSON", "binance-raw", ["1680652800000001 {"], /line 1: not valid JSON/],
    ["no such message", "binance-raw", ["1680652800000001 {}"], /line 1: not a line/],
    [
      "a field missing",
      "binance-raw",
      ['1680652800000001 {"stream":"x@trade","data":{"s":"BTCUSDT"}}'],
      /line 1: not a message of the expected form \(t: /,
    ],
    [
      "no header",
      "binance-csv",
      ["a,b", "1,2"],
      /line 1: the header lacks the columns TimestampOfReceive, /,
    ],
    ["no header of it", "coinbase-dump", ["a,b"], /line 1: the header lacks the columns type, /],
    [
      "no list",
      "coinbase-dump",
      ["type,product_id,time,changes", "l2update,BTC-USD,2018-04-17T00:55:04Z,[['buy']]"],
      /line 2: a change is too short/,
    ],
    ["foreign text", "cryptofeed", ["", "hello"], /line 2: not a line of the format/],
    [
      "a symbol without a quote",
      "cryptofeed",
      [
        '1680652800.5: {"stream":"x@aggTrade","data":{"s":"FOO","a":1,"p":"1","q":"1","T":1,"m":true}}',
      ],
      /Cannot tell base and quote of FOO apart/,
    ],
  ];
  test.each(mistakes)("reports the location of an error: %s", (name, format, lines, message) => {
    const path = file(`${name}.txt`, lines);
    const out = `${folder}/${name}`;
    expect(() => importRecording(io, { format, files: [path], out })).toThrow(message);
  });

  test("reports unknown formats and missing files", () => {
    const out = `${folder}/x`;
    expect(() => importRecording(io, { format: "foo", files: [], out })).toThrow(/format foo/);
    const files = [`${folder}/absent`];
    expect(() => importRecording(io, { format: "cryptofeed", files, out })).toThrow(/no file/);
  });
});
