import { getOrMake } from "../../base/get-or-make.ts";
import { durationText } from "../../domain/setting.ts";
import { symbolOfFile } from "../market-name.ts";
import { candleLengthMs, openTimeMs, recordedCandle } from "./candle-row.ts";
import { CsvColumns, CsvRows, knownNames } from "./csv.ts";
import {
  brokenLine,
  type ImportFormat,
  type SourcedEvent,
  type SourceFile,
} from "./import-format.ts";

const names = ["open", "high", "low", "close", "volume"] as const;
const timeNames = ["time", "timestamp", "date", "datetime", "opentime", "unix"] as const;
type Name = (typeof names)[number] | "time" | "symbol";

/** Binance's files of klines, which have no header in their older versions. */
const klineNames = "time,open,high,low,close,volume,close_time,quote_volume,count,-,-,-".split(",");

/**
 * CSV with a candle a row: columns for the beginning, open, high, low, close and volume (base token) by name, or Binance's klines without a
 * header. The symbol is a column or begins the file's name, as in `BTCUSDT-1m-2024-08.csv`. The rows tell the length, and the name where
 * they leave it open. The newest row may be the first, and a file whose parts, or whose markets, follow one another in another order is sorted.
 */
export const candlesCsv: ImportFormat = {
  name: "candles-csv",
  summary: "CSV with time, open, high, low, close and volume of a candle in each row.",
  hasCandles: true,
  recognizes: (_, first) => {
    const header = knownNames(first.split(","), names);
    return (
      isKlines(header) || ["open", "high", "low", "close"].every((name) => header.includes(name))
    );
  },

  *read(file, nameOf) {
    const fileSymbol = symbolOfFile(file.name).toUpperCase();
    const { lengthMs, order } = surveyOf(file);
    const { rows, columns } = tableOf(file);
    const reordered: (SourcedEvent & { readonly openMs: number })[] = [];
    for (const row of rows) {
      const text = (name: Name): string => columns.text(row, name);
      const openMs = openTimeMs(text("time"), rows.place);
      const [open, high, low, close] = [text("open"), text("high"), text("low"), text("close")];
      const texts = { open, high, low, close, volume: text("volume") };
      const marketId = nameOf(text("symbol").toUpperCase() || fileSymbol);
      const event = recordedCandle(marketId, openMs, lengthMs, texts);
      if (order === "kept") yield { line: rows.line, event };
      else reordered.push({ line: rows.line, event, openMs });
    }
    if (order === "reversed") reordered.reverse();
    else reordered.sort((left, right) => left.openMs - right.openMs);
    yield* reordered;
  },
};

function isKlines(first: readonly string[]): boolean {
  return first.length === klineNames.length && /^\d{10,}$/.test(first[0] ?? "");
}

function tableOf(file: SourceFile) {
  const usual = (first: readonly string[]) => (isKlines(first) ? klineNames : undefined);
  const rows = new CsvRows(file, { usual });
  const header = knownNames(rows.header, [...timeNames, ...names, "symbol"]);
  const time = timeNames.find((name) => header.includes(name));
  const renamed = header.map((name) => (name === time ? "time" : name));
  const columns = CsvColumns.of<Name>(renamed, ["time", ...names], ["symbol"]);
  if (columns !== undefined) return { rows, columns };
  throw rows.wrongHeader([["time", ...names]], renamed);
}

type Order = "kept" | "reversed" | "sorted";

/** The length of a file's candles, and in which order they are read. */
function surveyOf(file: SourceFile): { readonly lengthMs: number; readonly order: Order } {
  const { rows, columns } = tableOf(file);
  const ownMs = new Map<string, number>();
  let shortestMs = Number.POSITIVE_INFINITY;
  let aboveMs: number | undefined;
  let [later, earlier] = [0, 0];
  for (const row of rows) {
    const symbol = columns.text(row, "symbol");
    const openMs = openTimeMs(columns.text(row, "time"), rows.place);
    const distance = Math.abs(openMs - (ownMs.get(symbol) ?? openMs));
    if (distance !== 0) shortestMs = Math.min(shortestMs, distance);
    if (aboveMs !== undefined && openMs > aboveMs) later += 1;
    if (aboveMs !== undefined && openMs < aboveMs) earlier += 1;
    aboveMs = openMs;
    ownMs.set(symbol, openMs);
  }
  const lengthMs = lengthOf(file, shortestMs);
  if (earlier === 0) return { lengthMs, order: "kept" };
  return { lengthMs, order: later === 0 ? "reversed" : orderOf(file) };
}

/** The order of a file whose rows go on and back. */
function orderOf(file: SourceFile): Order {
  const { rows, columns } = tableOf(file);
  const allMs: number[] = [];
  const timesMs = new Map<string, number[]>();
  let [later, earlier] = [0, 0];
  for (const row of rows) {
    const times = getOrMake(timesMs, columns.text(row, "symbol"), () => []);
    const openMs = openTimeMs(columns.text(row, "time"), rows.place);
    const beforeMs = times.at(-1) ?? openMs;
    if (openMs > beforeMs) later += 1;
    if (openMs < beforeMs) earlier += 1;
    times.push(openMs);
    allMs.push(openMs);
  }
  const isNewestFirst = earlier > later;
  const markets = [...timesMs.values()];
  if (isNewestFirst) for (const times of [...markets, allMs]) times.reverse();
  const areApart = markets.length > 1 && misplacedIn(allMs) > 0;
  if (areApart || markets.some(isMixed)) return "sorted";
  return isNewestFirst ? "reversed" : "kept";
}

/** Whether more rows are out of order than wrong times of single rows explain, as where the halves of a file are swapped. */
function isMixed(timesMs: readonly number[]): boolean {
  const misplaced = misplacedIn(timesMs);
  return misplaced > 1 && misplaced >= MIXED_SHARE * timesMs.length;
}
const MIXED_SHARE = 0.1;

/** How many rows are out of order, whichever way round the fewest are. */
function misplacedIn(timesMs: readonly number[]): number {
  let [late, latestMs] = [0, Number.NEGATIVE_INFINITY];
  for (const openMs of timesMs) {
    if (openMs < latestMs) late += 1;
    else latestMs = openMs;
  }
  let [early, earliestMs] = [0, Number.POSITIVE_INFINITY];
  for (const openMs of timesMs.toReversed()) {
    if (openMs > earliestMs) early += 1;
    else earliestMs = openMs;
  }
  return Math.min(late, early);
}

/** The length that the name states and the rows have. A file without each candle has rows that are some lengths apart. */
function lengthOf(file: SourceFile, shortestMs: number): number {
  const stated = file.name.split(/[-_.]/).flatMap((part) => candleLengthMs(part) ?? []);
  const [only] = stated;
  if (only !== undefined && stated.length === 1 && !Number.isFinite(shortestMs)) return only;
  const place = (): string => file.name;
  if (!Number.isFinite(shortestMs))
    throw brokenLine(
      place,
      "one row does not tell how long a candle is; name the file SYMBOL-1m-….csv",
    );
  if (stated.length === 0 || stated.includes(shortestMs)) return shortestMs;
  const fitting = stated.filter((lengthMs) => shortestMs % lengthMs === 0);
  if (fitting.length > 0) return Math.max(...fitting);
  // A longer one is the span of the file.
  if (stated.every((lengthMs) => lengthMs > shortestMs)) return shortestMs;
  const lengths = stated.map(durationText).join(" and ");
  throw brokenLine(
    place,
    `the name states ${lengths}, but its rows are ${durationText(shortestMs)} apart; rename the file`,
  );
}
