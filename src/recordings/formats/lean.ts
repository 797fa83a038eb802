import { CsvRows } from "./csv.ts";
import { candleLengthMs, openTimeMs, recordedCandle } from "./candle-row.ts";
import { brokenLine, type ImportFormat, type SourceFile } from "./import-format.ts";

/** Lean's own layout, the name of a download, and the name of the file in either archive. */
const namePatterns = [
  /[/\\](?<length>second|minute|hour|daily)[/\\](?<symbol>[a-z0-9]+)[/\\](?<day>\d{8})_(?<kind>trade|quote)\./i,
  /[/\\](?<length>hour|daily)[/\\](?<symbol>[a-z0-9]+)_(?<kind>trade|quote)\./i,
  /(?:^|[/\\])(?:[a-z]+-)?(?<symbol>[a-z0-9]+)-(?<length>second|minute|hour|daily)(?:-(?<day>\d{8}))?_(?<kind>trade|quote)\./i,
  /(?:^|[/\\])(?:(?<day>\d{8})_)?(?<symbol>[a-z0-9]+)_(?<length>second|minute|hour|daily)_(?<kind>trade|quote)\./i,
];

/** Lean's bars of trades. Times of second and minute bars count from midnight UTC of the day in the file's name. */
export const lean: ImportFormat = {
  name: "lean",
  summary:
    "Lean's bars of trades by second, minute, hour or day, zipped or not, any number of files.",
  hasCandles: true,
  recognizes: (path) => groupsOf(path) !== undefined,

  *read(file, nameOf) {
    const { symbol, lengthMs, dayMs } = namedIn(file);
    const marketId = nameOf(symbol);
    const rows = new CsvRows(file, { usual: () => [] });
    for (const row of rows) {
      const [time = "", open = "", high = "", low = "", close = "", volume = "", more] = row;
      if (volume === "" || more !== undefined) throw brokenLine(rows.place, "not a bar of trades");
      const isOfDay = dayMs !== undefined && /^\d{1,8}$/.test(time);
      const openMs = isOfDay ? dayMs + Number(time) : openTimeMs(time, rows.place);
      const texts = { open, high, low, close, volume };
      yield { line: rows.line, event: recordedCandle(marketId, openMs, lengthMs, texts) };
    }
  },
};

function groupsOf(path: string) {
  return namePatterns.map((pattern) => pattern.exec(path)?.groups).find(Boolean);
}

function namedIn(file: SourceFile) {
  const place = (): string => file.name;
  const { symbol, length, day, kind } = groupsOf(file.path) ?? {};
  const lengthMs = candleLengthMs(length?.toLowerCase() ?? "");
  if (symbol === undefined || lengthMs === undefined) {
    const forms = "minute/SYMBOL/YYYYMMDD_trade.zip or SYMBOL-minute-YYYYMMDD_trade.zip";
    throw brokenLine(place, `neither its folders nor its name are of the form ${forms}`);
  }
  if (kind?.toLowerCase() === "quote") {
    throw brokenLine(place, "bars of quotes have no volume, so no fill could be bounded");
  }
  const dayMs = day === undefined ? undefined : openTimeMs(day, place);
  return { symbol: symbol.toUpperCase(), lengthMs, dayMs };
}
