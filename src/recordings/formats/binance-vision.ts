import { unixMs } from "../../domain/time.ts";
import { CsvColumns, CsvRows, isData, knownNames } from "./csv.ts";
import { brokenLine, type ImportFormat, type Place } from "./import-format.ts";
import { MadeIds } from "./made-ids.ts";
import { stampUs } from "./stamp.ts";
import { flagOf } from "./flag-and-side.ts";

const tickerNames = [
  "best_bid_price",
  "best_bid_qty",
  "best_ask_price",
  "best_ask_qty",
  "transaction_time",
  "event_time",
] as const;

const namePattern =
  /(?:^|[/\\])([A-Za-z0-9]+)(_[0-9A-Z]+)?-(trades|aggTrades|bookTicker)-\d{4}-\d\d/;

/** The columns of a file by its kind: those in use, and those of a file without header, of which futures lack `is_best_match`. */
const layouts: Readonly<Record<string, Record<"used" | "all", readonly string[]>>> = {
  trades: {
    used: ["id", "price", "qty", "time", "is_buyer_maker"],
    all: ["id", "price", "qty", "quote_qty", "time", "is_buyer_maker", "is_best_match"],
  },
  aggTrades: {
    used: ["agg_trade_id", "price", "quantity", "transact_time", "is_buyer_maker"],
    all: "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker,is_best_match".split(
      ",",
    ),
  },
  bookTicker: { used: tickerNames, all: ["update_id", ...tickerNames] },
};

/** Daily and monthly files of data.binance.vision. They have no time of receipt, so the exchange's time is used. */
export const binanceVision: ImportFormat = {
  name: "binance-vision",
  summary:
    "Files of data.binance.vision: SYMBOL-trades, -aggTrades and -bookTicker, zipped or not.",
  makesIds: true,
  recognizes: (path) => namePattern.test(path),

  *read(file, nameOf) {
    const [, symbol, contract, kind = ""] = namePattern.exec(file.path) ?? [];
    const layout = layouts[kind];
    if (symbol === undefined || layout === undefined)
      throw brokenLine(
        () => file.name,
        "the name is not of the form SYMBOL-trades-2025-01-31.csv, SYMBOL-aggTrades-… or SYMBOL-bookTicker-…",
      );
    if (contract !== undefined && /USD$/i.test(symbol))
      throw brokenLine(
        () => file.name,
        "the quantities are contracts of a future that is margined in coins, not base tokens",
      );
    const marketId = nameOf(symbol.toUpperCase());
    const ids = new MadeIds();
    const { used, all } = layout;
    const ofFutures = all.filter((name) => name !== "is_best_match");
    const usual = (first: readonly string[]) => {
      if (isData(first)) return first.length === ofFutures.length ? ofFutures : all;
      return undefined;
    };
    const rows = new CsvRows(file, { usual });
    const header = knownNames(rows.header, all);
    const columns = CsvColumns.of(header, used);
    if (columns === undefined) throw rows.wrongHeader([used], header);
    const { place } = rows;
    for (const row of rows) {
      const { line } = rows;
      const fields = used.map((name) => columns.text(row, name));
      if (kind === "bookTicker") {
        const [bid = "", bids = "", ask = "", asks = "", time = "", received = ""] = fields;
        const timeMs = unixMs(Math.floor(timeUs(time, place) / 1000));
        const atUs = timeUs(received, place);
        const levels = { bids: [[bid, bids]], asks: [[ask, asks]] } as const;
        yield { line, kind, event: ids.of({ type: "book", atUs, marketId, timeMs, ...levels }) };
        continue;
      }
      const [tradeId = "", price = "", quantity = "", time = "", maker = ""] = fields;
      const atUs = timeUs(time, place);
      const isBuyerMaker = flagOf(maker);
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
