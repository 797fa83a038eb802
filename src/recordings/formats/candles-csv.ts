import { candleLengthMs, openTimeMs, recordedCandle } from "./candle-row.ts";
import { CsvColumns, CsvRows } from "./csv.ts";
import { brokenLine, type ImportFormat, type SourceFile } from "./import-format.ts";

const names = ["open", "high", "low", "close", "volume"] as const;
const timeNames = ["time", "timestamp", "date", "datetime", "open_time", "opentime"] as const;
type Name = (typeof names)[number] | "time" | "symbol";

/** Binance's files of klines have no header in their older versions. */
const KLINE_COLUMNS = 12;

/**
 * CSV with a candle a row: columns for the beginning, open, high, low, close and volume (base token) by name, or Binance's klines without a
 * header. The symbol is a column or begins the file's name, as in `BTCUSDT-1m-2024-08.csv`; so is the length, which else is the shortest
 * distance between two rows.
 */
export const candlesCsv: ImportFormat = {
  name: "candles-csv",
  summary: "CSV with time, open, high, low, close and volume of a candle in each row.",
  hasCandles: true,

  *read(file, nameOf) {
    const fileSymbol = /^[A-Za-z0-9]+/.exec(file.name)?.[0].toUpperCase() ?? file.name;
    const lengthMs = lengthOf(file);
    const { rows, columns } = tableOf(file);
    for (const row of rows) {
      const text = (name: Name): string => columns.text(row, name);
      const openMs = openTimeMs(text("time"), rows.place);
      const [open, high, low, close] = [text("open"), text("high"), text("low"), text("close")];
      const texts = { open, high, low, close, volume: text("volume") };
      const marketId = nameOf(text("symbol").toUpperCase() || fileSymbol);
      yield { line: rows.line, event: recordedCandle(marketId, openMs, lengthMs, texts) };
    }
  },
};

function tableOf(file: SourceFile) {
  const named = new CsvRows(file);
  const header = named.header.map((name) => name.trim().toLowerCase());
  if (header.length === KLINE_COLUMNS && /^\d{10,}$/.test(header[0] ?? "")) {
    const columns = CsvColumns.of<Name>(["time", ...names], ["time", ...names]);
    if (columns !== undefined) return { rows: new CsvRows(file, { hasHeader: false }), columns };
  }
  const isTime = (name: string): boolean => timeNames.some((known) => known === name);
  const renamed = header.map((name) => (isTime(name) ? "time" : name));
  const columns = CsvColumns.of<Name>(renamed, ["time", ...names], ["symbol"]);
  if (columns !== undefined) return { rows: named, columns };
  const wanted = `${timeNames.join(" or ")}, ${names.join(", ")}`;
  throw brokenLine(named.place, `the header has no columns ${wanted}`);
}

function lengthOf(file: SourceFile): number {
  const stated = file.name.split(/[-_.]/).map(candleLengthMs).find(Boolean);
  if (stated !== undefined) return stated;
  const { rows, columns } = tableOf(file);
  const lastMs = new Map<string, number>();
  let shortest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const symbol = columns.text(row, "symbol");
    const openMs = openTimeMs(columns.text(row, "time"), rows.place);
    const distance = openMs - (lastMs.get(symbol) ?? openMs);
    if (distance > 0) shortest = Math.min(shortest, distance);
    lastMs.set(symbol, openMs);
  }
  if (Number.isFinite(shortest)) return shortest;
  throw brokenLine(
    () => file.name,
    "one row does not tell how long a candle is; name the file SYMBOL-1m-….csv",
  );
}
