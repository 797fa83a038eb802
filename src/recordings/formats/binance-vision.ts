import { unixMs } from "../../domain/time.ts";
import { CsvRows } from "./csv.ts";
import { brokenLine, type ImportFormat, type Place } from "./import-format.ts";
import { MadeIds } from "./made-ids.ts";
import { stampUs } from "./stamp.ts";
import { flagOf } from "./words.ts";

const namePattern =
  /(?:^|[/\\])([A-Za-z0-9]+)(?:_[0-9A-Z]+)?-(trades|aggTrades|bookTicker)-\d{4}-\d\d/;

/** Column positions by kind of file; the same with and without a header. */
const tradeColumns = {
  trades: { time: 4, isBuyerMaker: 5, counts: [6, 7] },
  aggTrades: { time: 5, isBuyerMaker: 6, counts: [7, 8] },
} as const;
const TICKER_COLUMNS = 7;

/** Daily and monthly files of data.binance.vision. They have no time of receipt, so the exchange's time is used. */
export const binanceVision: ImportFormat = {
  name: "binance-vision",
  summary:
    "Files of data.binance.vision: SYMBOL-trades, -aggTrades and -bookTicker, zipped or not.",
  makesIds: true,
  recognizes: (path) => namePattern.test(path),

  *read(file, nameOf) {
    const [, symbol, kind] = namePattern.exec(file.path) ?? [];
    if (symbol === undefined || kind === undefined)
      throw brokenLine(
        () => file.name,
        "the name is not of the form SYMBOL-trades-2025-01-31.csv, SYMBOL-aggTrades-… or SYMBOL-bookTicker-…",
      );
    const marketId = nameOf(symbol.toUpperCase());
    const ids = new MadeIds();
    const rows = new CsvRows(file, { hasHeader: false });
    const { place } = rows;
    for (const row of rows) {
      const { line } = rows;
      if (line === 1 && /^[a-z_]+$/i.test(row[0] ?? "")) continue;
      const fits =
        kind === "bookTicker"
          ? row.length === TICKER_COLUMNS
          : tradeColumns[kind as keyof typeof tradeColumns].counts.some(
              (count) => count === row.length,
            );
      if (!fits)
        throw brokenLine(place, `the row has ${row.length} fields, which no file of ${kind} has`);
      if (kind === "bookTicker") {
        const [, bid = "", bids = "", ask = "", asks = "", time = "", received = ""] = row;
        const timeMs = unixMs(Math.floor(timeUs(time, place) / 1000));
        const atUs = timeUs(received, place);
        const levels = { bids: [[bid, bids]], asks: [[ask, asks]] } as const;
        yield { line, kind, event: ids.of({ type: "book", atUs, marketId, timeMs, ...levels }) };
        continue;
      }
      const columns = tradeColumns[kind as keyof typeof tradeColumns];
      const [tradeId = "", price = "", quantity = ""] = row;
      const atUs = timeUs(row[columns.time] ?? "", place);
      const isBuyerMaker = flagOf(row[columns.isBuyerMaker] ?? "");
      if (isBuyerMaker === undefined)
        throw brokenLine(place, "whether the buyer is the maker is neither true nor false");
      const trade = { tradeId, price, quantity, isBuyerMaker };
      const timeMs = unixMs(Math.floor(atUs / 1000));
      yield { line, kind, event: { type: "trade", atUs, marketId, timeMs, ...trade } };
    }
  },
};

function timeUs(text: string, place: Place): number {
  const us = stampUs(text);
  if (us !== undefined) return us;
  throw brokenLine(place, `a time "${text}" is not a Unix time`);
}
