import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { checkRecording } from "../../src/recordings/check.ts";
import { ImportRefused, type ImportOptions, importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const bookHead = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const tradeHead = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
const startUs = 1_735_689_600_000_000;
const HOUR = 3_600;

/** Tardis' beginning of a row, this many seconds after the start. */
const at = (second: number): string => {
  const us = startUs + Math.round(second * 1_000_000);
  return `x,ETHUSDC,${us},${us}`;
};
const snapshot = (second: number, bid: number, size = 1): string[] => [
  `${at(second)},true,bid,${bid},${size}`,
  `${at(second)},true,ask,${bid + 1},${size}`,
];

function imported(
  format: string,
  texts: Readonly<Record<string, string | Buffer | readonly string[]>>,
  options: Partial<ImportOptions> = {},
) {
  const folder = temporaryFolder();
  const files = Object.entries(texts).map(([name, text]) => {
    const file = path.join(folder, name);
    io.store.openAppend(file).close();
    writeFileSync(file, Array.isArray(text) ? text.join("\n") : (text as string | Buffer));
    return file;
  });
  const out = path.join(folder, "recording");
  const summary = importRecording(io, { format, files, out, ...options });
  const recording = new Recording(io, out);
  const lines = checkRecording(io, recording);
  return { summary, recording, lines, line: lines[0] };
}

const kinds = (recording: Recording, market = "ETH_USDC"): readonly string[] =>
  [...recording.replayEvents(market)].map(({ type }) => type);

describe("a source without update ids", () => {
  test("whose snapshots follow one another has a book at each of them, and no gap", () => {
    const rows = [0, 1, 60, 7_300].flatMap((second) => snapshot(second, 3000 + second, second + 1));
    const { recording, line } = imported("tardis", { "book.csv": [bookHead, ...rows] });
    expect(kinds(recording)).toEqual(["book", "book", "book", "book"]);
    expect(line).toMatchObject({ gaps: 0, timeJumps: 0, bestBid: ["10300", "7301"], bidLevels: 1 });
  });

  test("has one snapshot where its rows follow one another, whatever their order", () => {
    const rows = [
      `${at(0)},true,bid,9,1`,
      `${at(0.002)},true,ask,11,1`,
      `${at(0.003)},true,bid,8,1`,
      `${at(0.004)},false,bid,9,2`,
      `${at(0.5)},true,bid,7,1`,
      `${at(0.501)},true,ask,8,1`,
    ];
    const { recording, line } = imported("tardis", { "book.csv": [bookHead, ...rows] });
    expect(kinds(recording)).toEqual(["book", "depth", "book"]);
    expect(line).toMatchObject({ bestBid: ["7", "1"], bestAsk: ["8", "1"], bidLevels: 1 });
  });

  test("whose books are read every 15 s has no gap while trades go on between them", () => {
    const books = [0, 15, 30].flatMap((second) => snapshot(second, 3000 + second));
    const trades = Array.from({ length: 28 }, (_, n) => `${at(n + 1)},${n},buy,3001,1`);
    const { recording, line } = imported("tardis", {
      "book.csv": [bookHead, ...books],
      "trades.csv": [tradeHead, ...trades],
    });
    expect(line).toMatchObject({ gaps: 0 });
    expect(kinds(recording).filter((kind) => kind !== "trade")).toEqual(["book", "book", "book"]);
  });

  test("has one snapshot where rows of another market are between its pieces", () => {
    const other = (row: string): string => row.replace("ETHUSDC", "BTCUSDC");
    const bid = `${at(0)},true,bid,9,1`;
    const ask = `${at(0.001)},true,ask,11,1`;
    const rows = [bid, other(bid), ask, other(ask), `${at(1)},false,bid,9,2`];
    const { lines } = imported("tardis", { "book.csv": [bookHead, ...rows] });
    expect(lines).toMatchObject([
      { bestBid: ["9", "2"], bestAsk: ["11", "1"] },
      { bestBid: ["9", "1"], bestAsk: ["11", "1"] },
    ]);
  });

  test("has two snapshots where the rows that follow would cross the book before", () => {
    const rows = [...snapshot(0, 10), ...snapshot(0.002, 20), `${at(1)},false,bid,20,2`];
    const { line, summary } = imported("tardis", { "book.csv": [bookHead, ...rows] });
    expect(line).toMatchObject({ bestBid: ["20", "2"], bestAsk: ["21", "1"], bidLevels: 1 });
    expect(summary.warnings).toEqual([]);
  });

  test("may be books of several levels or quotes, a row each", () => {
    const head = "exchange,symbol,timestamp,local_timestamp,";
    const levels = ["asks[0].price", "asks[0].amount", "bids[0].price", "bids[0].amount"];
    const deep = [...levels, ...levels.map((name) => name.replace("[0]", "[1]"))].join(",");
    const five = imported("tardis", {
      "book_snapshot_2.csv": [head + deep, `${at(0)},11,1,10,2,12,3,9,4`, `${at(1)},12,1,11,2,,,,`],
    });
    expect(five.line).toMatchObject({ bestBid: ["11", "2"], bestAsk: ["12", "1"], askLevels: 1 });
    const quotes = imported("tardis", {
      "quotes.csv": [`${head}ask_amount,ask_price,bid_price,bid_amount`, `${at(0)},1,11,10,2`],
    });
    expect(quotes.line).toMatchObject({ bestBid: ["10", "2"], bestAsk: ["11", "1"] });
    const both = {
      "a.csv": [bookHead, ...snapshot(0, 10)],
      "b.csv": [`${head}ask_amount,ask_price,bid_price,bid_amount`, `${at(1)},1,11,10,2`],
    };
    expect(() => imported("tardis", both)).toThrow(
      /b\.csv has quotes of ETH_USDC, and another file has incremental_book_L2/,
    );
  });
});

describe("a word that is not known", () => {
  test.each(["maybe", "", "yes"])("as is_snapshot is refused with its line: %j", (word) => {
    const rows = [bookHead, ...snapshot(0, 10), `${at(1)},${word},bid,9,1`];
    expect(() => imported("tardis", { "book.csv": rows })).toThrow(
      /book\.csv, line 4: is_snapshot is neither/,
    );
  });

  test("may be written in capitals or as a number", () => {
    const rows = [`${at(0)},True,BID,9,1`, `${at(0)},1,Ask,11,1`, `${at(1)},FALSE,bid,10,1`];
    const { line } = imported("tardis", { "book.csv": [bookHead, ...rows] });
    expect(line).toMatchObject({ bestBid: ["10", "1"], bestAsk: ["11", "1"] });
  });

  test("as a trade's side is named and counted, and the trade is left out", () => {
    const sides = ["buy", "unknown", "SELL", "", "bid"];
    const rows = sides.map((side, n) => `${at(n)},${n},${side},10,1`);
    const { summary, line, recording } = imported("tardis", { "trades.csv": [tradeHead, ...rows] });
    expect(summary.defects.map(({ what, line: row }) => [what, row])).toEqual([
      ["badSides", 3],
      ["badSides", 5],
      ["badSides", 6],
    ]);
    expect(line).toMatchObject({ badSides: 3, trades: 2 });
    const makers = [...recording.replayEvents("ETH_USDC")].flatMap((event) =>
      event.type === "trade" ? event.trade.isBuyerMaker : [],
    );
    expect(makers).toEqual([false, true]);
  });

  test.each([
    ["an unknown side", `${at(4)},4,unknown,10,1`, { badSides: 1, timeJumps: 0 }],
    ["a wrong time", `${at(4 + 3 * HOUR)},4,buy,10,1`, { badSides: 0, timeJumps: 1 }],
  ])("leaves no gap in the ids of trades where one is left out for %s", (_, row, defects) => {
    const rows = Array.from({ length: 8 }, (__, n) => (n === 4 ? row : `${at(n)},${n},buy,10,1`));
    const { summary, line } = imported("tardis", { "trades.csv": [tradeHead, ...rows] });
    expect(summary.defectCounts).toMatchObject({ ...defects, tradeGaps: 0, tradeDuplicates: 0 });
    expect(line).toMatchObject({ ...defects, tradeGaps: 0, tradeDuplicates: 0, trades: 7 });
    expect(summary.defects.map((defect) => defect.line)).toEqual([6]);
  });
});

describe("time", () => {
  test("that stands still for hours is no defect, as long as a later row confirms the clock", () => {
    const trades = [0, 90 * 60, 180 * 60].map((second, n) => `${at(second)},${n},buy,10,1`);
    const book = [
      ...snapshot(0, 10),
      `${at(5 * HOUR)},false,bid,9,1`,
      `${at(5 * HOUR + 1)},false,bid,9,2`,
    ];
    const { summary, line } = imported("tardis", {
      "trades.csv": [tradeHead, ...trades],
      "book.csv": [bookHead, ...book],
    });
    expect(summary.defectCounts).toMatchObject({ timeJumps: 0 });
    expect(line).toMatchObject({ trades: 3, applied: 2 });
  });

  test("of one row that is far from those around it is a jump, and so is that of the last row alone", () => {
    const trades = [0, 10 * HOUR, 1, 2, 20 * HOUR].map(
      (second, n) => `${at(second)},${n},buy,10,1`,
    );
    const { summary, line } = imported("tardis", { "trades.csv": [tradeHead, ...trades] });
    expect(summary.defects.map(({ what, line: row }) => [what, row])).toEqual([
      ["timeJumps", 3],
      ["timeJumps", 6],
    ]);
    expect(summary.toMs - summary.fromMs).toBe(2000);
    expect(line).toMatchObject({ trades: 3, timeJumps: 2 });
  });

  test("of the last row is right where the market was silent for as long before", () => {
    const trades = [0, 90 * 60, 180 * 60].map((second, n) => `${at(second)},${n},buy,10,1`);
    const { line } = imported("tardis", { "trades.csv": [tradeHead, ...trades] });
    expect(line).toMatchObject({ trades: 3, timeJumps: 0 });
  });

  test("of receipt that goes back is a defect of its line, and by more than an hour a refusal", () => {
    const trades = (back: number) =>
      [3, 4, back, 5].map((second, n) => `${at(HOUR + second)},${n},buy,10,1`);
    const { summary } = imported("tardis", { "trades.csv": [tradeHead, ...trades(2)] });
    expect(summary.defects.map(({ what, line }) => [what, line])).toEqual([["badTimes", 4]]);
    expect(() => imported("tardis", { "trades.csv": [tradeHead, ...trades(-HOUR)] })).toThrow(
      /trades\.csv, line 4: the row was received more than an hour before/,
    );
  });
});

test.each([
  ["seconds", 1],
  ["hours", HOUR],
])("a file whose newest row is the first is refused, %s apart", (_, apart) => {
  const trades = [3, 2, 1, 0].map((n) => `${at(n * apart)},${n},buy,10,1`);
  expect(() => imported("tardis", { "trades.csv": [tradeHead, ...trades] })).toThrow(
    /trades\.csv, line 3: the row was received before .*: the newest is first; sort the file/,
  );
  const vision = [3, 2, 1, 0].map(
    (n) => `${n},3000,0.1,300,${1735689600000 + n * apart * 1000},true,true`,
  );
  expect(() => imported("binance-vision", { "ETHUSDT-trades-2025-01-01.csv": vision })).toThrow(
    /line 2: the row was received before .*: the newest is first/,
  );
});

describe("Coinbase's messages", () => {
  const dumpHead = "type,product_id,time,changes,bids,asks,trade_id,price,size,side";
  const iso = (second: number): string => new Date(startUs / 1000 + second * 1000).toISOString();
  const book = (bid: number): string =>
    `snapshot,ETH-USD,,,"[['${bid}', '1']]","[['${bid + 1}', '1']]",,,,`;
  const change = (second: number, bid: number): string =>
    `l2update,ETH-USD,${iso(second)},"[['buy', '${bid}', '2']]",,,,,,`;

  test("have a snapshot after a silence at the time of what follows it, and a gap before", () => {
    const rows = [book(10), change(1, 10), book(30), change(2 * HOUR, 30)];
    const { recording, line } = imported("coinbase-dump", { "a.csv": [dumpHead, ...rows] });
    const seconds = [...recording.events()].map(({ atUs }) => (atUs - startUs) / 1_000_000);
    expect(seconds).toEqual([1, 1, 2 * HOUR, 2 * HOUR]);
    expect(line).toMatchObject({ gaps: 1, bestBid: ["30", "2"] });
  });

  test("are refused where the newest is first", () => {
    const trades = [3, 2, 1].map((n) => `match,ETH-USD,${iso(n)},,,,${n},10,1,buy`);
    expect(() => imported("coinbase-dump", { "a.csv": [dumpHead, ...trades] })).toThrow(
      /a\.csv, line 3: the row was received before .*: the newest is first/,
    );
  });
});

describe("trades of data.binance.vision", () => {
  const trade = "900,3000.50,0.1,300.05,1735689600000,True,True";
  test.each([
    ["trades", trade],
    ["trades", `id,price,qty,quote_qty,time,is_buyer_maker\n${trade.slice(0, -5)}`],
    ["aggTrades", "500,3000.50,0.1,900,900,1735689600000000,true,true"],
  ])("are read from %s: %s", (kind, text) => {
    const { recording } = imported("binance-vision", { [`ETHUSDT-${kind}-2025-01-01.csv`]: text });
    const price = "3000.50";
    expect([...recording.events()]).toMatchObject([
      {
        type: "trade",
        marketId: "ETH_USDT",
        atUs: startUs,
        price,
        quantity: "0.1",
        isBuyerMaker: true,
      },
    ]);
  });

  test("are read by the names of the header, in any order and spelling", () => {
    const head = "id,qty,price,quoteQty,time,isBuyerMaker";
    const text = `${head}\n900,0.1,3000.50,300.05,1735689600000,true`;
    const { recording } = imported("binance-vision", { "ETHUSDT-trades-2025-01-01.csv": text });
    expect([...recording.events()]).toMatchObject([{ price: "3000.50", quantity: "0.1" }]);
    const ticker =
      "event_time,transaction_time,best_ask_qty,best_ask_price,best_bid_qty,best_bid_price\n" +
      "1735689600001,1735689600000,2,3001,1,2999";
    const best = imported("binance-vision", { "ETHUSDT-bookTicker-2025-01-01.csv": ticker });
    expect(best.line).toMatchObject({ bestBid: ["2999", "1"], bestAsk: ["3001", "2"] });
  });

  test.each([
    [
      "a header that lacks a name",
      `id,price,size,quote_qty,time,is_buyer_maker\n${trade.slice(0, -5)}`,
      /line 1: the header lacks the column qty:/,
    ],
    [
      "a header shorter than the rows",
      `id,price,qty,quote_qty,time,is_buyer_maker\n${trade}`,
      /line 2: the row has 7 fields, the header 6\./,
    ],
    [
      "a row without header that is too short",
      "900,3000.5,0.1,1735689600000,true",
      /line 1: the row/,
    ],
  ])("are refused with %s", (_, text, message) => {
    expect(() => imported("binance-vision", { "ETHUSDT-trades-2025-01-01.csv": text })).toThrow(
      message,
    );
  });

  test("of a future that is margined in coins are refused, since they count contracts", () => {
    expect(() =>
      imported("binance-vision", { "BTCUSD_PERP-trades-2025-01-01.csv": trade }),
    ).toThrow(/BTCUSD_PERP-trades-2025-01-01\.csv: the quantities are contracts/);
  });

  test("may be beside the best prices, but not beside aggregate trades", () => {
    const ticker = "7,2999,1,3001,2,1735689600000,1735689600001";
    const files = {
      "ETHUSDT-trades-2025-01-01.csv": trade,
      "ETHUSDT-bookTicker-2025-01-01.csv": ticker,
    };
    const { line } = imported("binance-vision", files);
    expect(line).toMatchObject({ trades: 1, bestBid: ["2999", "1"], bestAsk: ["3001", "2"] });
    const twice = {
      ...files,
      "ETHUSDT-aggTrades-2025-01-01.csv": "5,3000.5,1,9,9,1735689600000,true,true",
    };
    expect(() => imported("binance-vision", twice)).toThrow(
      /aggTrades of ETH_USDT, and another file has trades/,
    );
  });
});

describe("a refusal", () => {
  const hintOf = (format: string, name: string, text: string): string | undefined => {
    try {
      imported(format, { [name]: text });
    } catch (error) {
      return (error as { readonly hint?: string }).hint;
    }
    return undefined;
  };

  test("names the formats, and the one that a file looks like", () => {
    const trade = "900,3000.50,0.1,300.05,1735689600000,True,True";
    expect(hintOf("tardis", "ETHUSDT-trades-2025-01-01.csv", trade)).toContain(
      "`touchline import binance-vision …`",
    );
    expect(hintOf("binance-csv", "x.csv", `${bookHead}\n${snapshot(0, 10).join("\n")}`)).toContain(
      "import tardis",
    );
    expect(hintOf("binance-csv", "x.csv", `\n \n${bookHead}\n`)).toContain("import tardis");
    expect(hintOf("lean", "x.csv", "a,b\n1,2")).toMatch(/^Formats: binance-raw, .*candles-csv\.$/);
  });

  test.each([
    ["an empty file", "", /x-1m\.csv is empty/],
    ["blank lines", "\n \n", /x-1m\.csv is empty/],
    [
      "more fields than the header",
      "time,open,high,low,close,volume\n2025-01-01,00:00,1,1,1,1,1",
      /line 2: the row has 7 fields, the header 6/,
    ],
    [
      "fewer fields than the header",
      "time,open,high,low,close,volume\n1735689600,1,1,1,1",
      /line 2: the row has 5 fields/,
    ],
    [
      "one missing column",
      "time,open,high,low,close\n1735689600,1,1,1,1",
      /line 1: the header lacks the column volume: name every column .* with --columns/,
    ],
    [
      "a column named twice",
      "Open time,open,high,low,close,Close,volume\n1735689600,1,1,1,1,1,1",
      /line 1: the header has more than one column close\./,
    ],
    [
      "no header",
      "1735689600,1,1,1,1,1",
      /line 1: the file has no header: name every column .* with --columns/,
    ],
  ])("says what is wrong: %s", (_, text, message) => {
    expect(() => imported("candles-csv", { "x-1m.csv": text })).toThrow(message);
  });

  test("of an import that keeps almost nothing has its defects", () => {
    const rows = Array.from(
      { length: 10 },
      (_, n) => `${at(n)},${n},buy,${n === 0 ? 10 : "none"},1`,
    );
    const run = () => imported("tardis", { "trades.csv": [tradeHead, ...rows] });
    expect(run).toThrow("Only 1 of 10 trade rows of ETH_USDC can be used (badPrices: 9).");
    expect(run).toThrow(ImportRefused);
    const other = [`${at(20)},0,buy,10,1`, `${at(21)},1,any,10,1`];
    const btc = other.map((row) => row.replace("ETHUSDC", "BTCUSDC"));
    const both = () => imported("tardis", { "trades.csv": [tradeHead, ...rows, ...btc] });
    expect(both).toThrow("of ETH_USDC can be used (badPrices: 9).");
  });
});

describe("candles", () => {
  const head = "Open time,Open,High,Low,Close,Volume";
  const hours = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `${1_735_689_600_000 + n * 3_600_000}.0,${n + 1},${n + 2},${n + 1},${n + 1},5e-1`,
    );
  const opens = (name: string, rows: readonly string[], options: Partial<ImportOptions> = {}) => {
    const { recording } = imported("candles-csv", { [name]: rows }, options);
    return [...recording.replayEvents("BTC_USDT")].flatMap((event) =>
      event.type === "candle"
        ? [(event.candle.closeMs - event.candle.openMs) / 60_000, event.candle.open]
        : [],
    );
  };
  const expected = [60, 1, 60, 2, 60, 3];

  test.each([
    ["BTCUSDT-90d-1h.csv", [head, ...hours(3)]],
    ["BTCUSDT-30d.csv", [head, ...hours(3)]],
    ["BTCUSDT.csv", [head, ...hours(3).reverse()]],
  ])("of %s have the length of their rows, in the order of time", (name, rows) => {
    expect(opens(name, rows)).toEqual(expected);
  });

  test.each([
    "open_time",
    "Date",
    "Open time (UTC)",
    "timestamp_ms",
    "Unix Timestamp",
    "Gmt time",
    "datetime_utc",
  ])("have their time in a column that is named %s", (time) => {
    const rows = [head.replace("Open time", time), ...hours(3)];
    expect(opens("BTCUSDT-1h.csv", rows)).toEqual(expected);
  });

  test("of several markets, one after the other, are in the order of time", () => {
    const rows = ["BTCUSDT", "ETHUSDT"].flatMap((symbol) =>
      hours(20).map((row) => `${row},${symbol}`),
    );
    for (const ordered of [rows, rows.toReversed()]) {
      const text = [`${head},symbol`, ...ordered];
      const { recording } = imported("candles-csv", { "all-1h.csv": text });
      const lengthsMs = [...recording.events()].map(({ atUs, timeMs }) => atUs / 1000 - timeMs);
      expect(new Set(lengthsMs)).toEqual(new Set([3_600_000]));
    }
  });

  test("take the names of their columns from the user, with a header or without", () => {
    const columns = ["time", "open", "high", "low", "close", "volume"];
    expect(opens("BTCUSDT-1h.csv", hours(3), { columns })).toEqual(expected);
    const odd = ["begin,o,h,l,c,v", ...hours(3)];
    expect(opens("BTCUSDT-1h.csv", odd, { columns })).toEqual(expected);
  });

  test("without header are refused when fields have no name, and - names one that is not used", () => {
    const columns = ["time", "open", "high", "low", "close"];
    expect(() => opens("BTCUSDT-1h.csv", hours(3), { columns: [...columns, "-"] })).toThrow(
      /BTCUSDT-1h\.csv: --columns lacks the column volume/,
    );
    const named = [...columns, "volume"];
    const rows = hours(3).map((row) => `${row},7,8`);
    expect(() => opens("BTCUSDT-1h.csv", rows, { columns: named })).toThrow(
      /line 1: the row has 8 fields, --columns 6: name every column \(- for one that is not used\)/,
    );
    expect(opens("BTCUSDT-1h.csv", rows, { columns: [...named, "-", "-"] })).toEqual(expected);
  });

  test("whose name states a length that their rows cannot have are refused", () => {
    expect(() => opens("BTCUSDT-40m.csv", [head, ...hours(3)])).toThrow(
      /the name states 40m, but its rows are 1h apart/,
    );
  });

  test.each([
    "crypto/coinbase/minute/btcusd/20250101_trade.csv",
    "crypto/coinbase/daily/btcusd_trade.csv",
    "20250101_btcusd_minute_trade.csv",
    "crypto/coinbase/second/btcusd/20250101_trade.csv",
  ])("of Lean have market, length and day in their folders or their name: %s", (name) => {
    const time = name.includes("daily") ? "20250101 00:00" : "0";
    const { recording } = imported("lean", { [name]: `${time},1,3,1,2,7\n` });
    expect([...recording.replayEvents("BTC_USD")][0]).toMatchObject({ atMs: startUs / 1000 });
  });
});

test("a symbol with two readings is refused with both, and one with a known base is not", () => {
  const named = (symbol: string) =>
    imported("tardis", { "t.csv": [tradeHead, `x,${symbol},${startUs},${startUs},1,buy,1,1`] }).line
      ?.market;
  expect([named("XBTUSD"), named("DOTUSD"), named("BTCFDUSD"), named("ETHTUSD")]).toEqual([
    "XBT_USD",
    "DOT_USD",
    "BTC_FDUSD",
    "ETH_TUSD",
  ]);
  expect(() => named("BATUSD")).toThrow(/BATUSD apart: it may be BA_TUSD or BAT_USD/);
});

test("a book whose removals are missing is warned of, with the share of the crossed events", () => {
  const rises = Array.from({ length: 4 }, (_, n) => `${at(n + 1)},false,bid,${11 + n},1`);
  const { summary } = imported("tardis", { "book.csv": [bookHead, ...snapshot(0, 10), ...rises] });
  expect(summary.warnings).toEqual([
    expect.stringContaining("crossed or locked after 4 of 5 events (80%)"),
  ]);
});

test("a file is read in pieces, packed or not, and a line may lie across them", () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `${at(n / 10)},${n},buy,10,${1 + (n % 7)}`);
  const text = [tradeHead, ...rows].join("\r\n");
  const read: number[] = [];
  const plain = imported("tardis", { "trades.csv": text }).summary;
  const store = {
    ...io.store,
    openRead(file: string) {
      const opened = io.store.openRead(file);
      return (
        opened && {
          ...opened,
          size: opened.size,
          close: () => opened.close(),
          read(into: Uint8Array, from: number) {
            read.push(into.length);
            opened.read(into, from);
          },
        }
      );
    },
  };
  const folder = temporaryFolder();
  const packed = path.join(folder, "trades.csv.gz");
  writeFileSync(
    packed,
    Buffer.concat([gzipSync(text.slice(0, 100_001)), gzipSync(text.slice(100_001))]),
  );
  const summary = importRecording(
    { ...io, store },
    { format: "tardis", files: [packed], out: path.join(folder, "out") },
  );
  expect(summary).toEqual({ ...plain });
  expect(summary.events).toBe(20_000);
  expect(Math.max(...read)).toBeLessThanOrEqual(1 << 16);
});
