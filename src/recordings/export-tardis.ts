import { csvLine } from "../base/csv-line.ts";
import type { MarketId } from "../domain/ids.ts";
import { type ExportedFile, plainSymbol, exportInto } from "./export-file.ts";
import { candlesHaveNoBook, hasCandles } from "./manifest.ts";
import { isOffBook } from "./market-reader.ts";
import type { RecordedBook, RecordedDepth, RecordedTrade } from "./recorded-event.ts";
import type { Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import type { Steps } from "./steps.ts";
import { syncedTexts } from "./synced-texts.ts";
import { TextFile } from "./text-file.ts";

export interface ExportOptions {
  /** Output folder; it must not contain any of the files yet. */
  readonly out: string;
  /** Value of the column `exchange`. */
  readonly exchange: string;
}

const bookHeader = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const tradeHeader = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";

/**
 * Writes a recording as Tardis CSV: `incremental_book_L2_SYMBOL.csv` and `trades_SYMBOL.csv` for each market. Times are µs UTC,
 * amounts are absolute and 0 removes a level, and the side of a trade is the taker's. Depth rows are in the order that rebuilds
 * the book: a snapshot first if there is one, then only events that continue it. Throws TouchlineError `FILE_EXISTS`.
 */
export function* exportTardis(
  io: RecordingIo,
  recording: Recording,
  options: ExportOptions,
): Steps<readonly ExportedFile[]> {
  if (hasCandles(recording.manifest)) throw candlesHaveNoBook("Tardis' format");
  return yield* exportInto(io, options.out, function* (files) {
    const markets = new Map<MarketId, MarketExport>();
    const texts = recording.manifest.markets.flatMap(({ marketId, symbol }) => {
      const open = (name: string): TextFile => new TextFile(files.open(name));
      const plain = plainSymbol(symbol);
      const book = open(`incremental_book_L2_${plain}.csv`);
      const trades = open(`trades_${plain}.csv`);
      markets.set(marketId as MarketId, { book, trades, prefix: `${options.exchange},${plain}` });
      book.line(bookHeader);
      trades.line(tradeHeader);
      return [book, trades];
    });
    yield* syncedTexts(recording, (event) => {
      const market = markets.get(event.marketId);
      if (market === undefined || event.type === "mark" || event.type === "candle") return;
      if (isOffBook(event)) return;
      if (event.type === "trade") market.trades.line(tradeRow(market.prefix, event));
      else for (const row of bookRows(market.prefix, event)) market.book.line(row);
    });
    for (const text of texts) text.end();
    // The header line is not a row.
    return texts.map(({ path, lines }) => ({ path, rows: lines - 1 }));
  });
}

interface MarketExport {
  readonly book: TextFile;
  readonly trades: TextFile;
  readonly prefix: string;
}

function tradeRow(prefix: string, trade: RecordedTrade): string {
  const side = trade.isBuyerMaker ? "sell" : "buy";
  return `${prefix},${timesOf(trade)},${csvLine([trade.tradeId])},${side},${trade.price},${trade.quantity}`;
}

function* bookRows(prefix: string, event: RecordedBook | RecordedDepth): Generator<string> {
  const start = `${prefix},${timesOf(event)},${event.type === "book"}`;
  for (const [price, amount] of event.bids) yield `${start},bid,${price},${amount}`;
  for (const [price, amount] of event.asks) yield `${start},ask,${price},${amount}`;
}

function timesOf(event: RecordedBook | RecordedDepth | RecordedTrade): string {
  return `${Math.round(event.timeMs * 1000)},${event.atUs}`;
}
