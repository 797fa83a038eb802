import type { MarketId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows, rowGroups } from "./csv.ts";
import { brokenLine, type ImportFormat, type Place, type SourcedEvent } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

const common = ["symbol", "timestamp", "local_timestamp", "side", "price", "amount"] as const;
const bookNames = [...common, "is_snapshot"] as const;
type BookColumns = CsvColumns<(typeof bookNames)[number]>;
const tradeNames = [...common, "id"] as const;
type TradeColumns = CsvColumns<(typeof tradeNames)[number]>;

type NameOf = (symbol: string) => MarketId;

interface BookRow {
  readonly line: number;
  readonly symbol: string;
  readonly atUs: number;
  readonly timeUs: number;
  readonly isSnapshot: boolean;
  readonly isAsk: boolean;
  readonly level: TextLevel;
}

/**
 * Tardis CSV files: `incremental_book_L2` or `trades`, recognized by the header. Rows with the same local_timestamp form one
 * message. There are no update ids, so the time of receipt serves as one: an event ends at its own microsecond and starts after
 * the previous event. A snapshot in mid-recording, as after a reconnect, is a gap that it closes itself.
 */
export const tardis: ImportFormat = {
  name: "tardis",
  summary: "Tardis' CSV: incremental_book_L2 and trades files, any number of them.",
  makesIds: true,

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const book = CsvColumns.of(rows.header, bookNames);
    const trades = CsvColumns.of(rows.header, tradeNames);
    if (book !== undefined) yield* bookEvents(rows, book, nameOf);
    else if (trades !== undefined) yield* tradeEvents(rows, trades, nameOf);
    else throw brokenLine(rows.place, "not a header of incremental_book_L2 or trades");
  },
};

function* tradeEvents(
  rows: CsvRows,
  columns: TradeColumns,
  nameOf: NameOf,
): Generator<SourcedEvent> {
  const { place } = rows;
  for (const row of rows) {
    const { line } = rows;
    const timeUs = microseconds(columns.text(row, "timestamp"), place);
    const id = columns.text(row, "id");
    yield {
      line,
      event: {
        type: "trade",
        atUs: microseconds(columns.text(row, "local_timestamp"), place),
        marketId: nameOf(columns.text(row, "symbol")),
        timeMs: unixMs(Math.floor(timeUs / 1000)),
        // Some exchanges have no trade ids.
        tradeId: id === "" ? `line-${line}` : id,
        price: columns.text(row, "price"),
        quantity: columns.text(row, "amount"),
        // Tardis gives the taker's side.
        isBuyerMaker: columns.text(row, "side") === "sell",
      },
    };
  }
}

function* bookEvents(rows: CsvRows, columns: BookColumns, nameOf: NameOf): Generator<SourcedEvent> {
  const lastIds = new Map<string, number>();
  for (const message of rowGroups(bookRows(rows, columns), isSameMessage)) {
    yield bookEvent(message, lastIds, nameOf);
  }
}

function isSameMessage(first: BookRow, next: BookRow): boolean {
  return (
    first.atUs === next.atUs && first.symbol === next.symbol && first.isSnapshot === next.isSnapshot
  );
}

function* bookRows(rows: CsvRows, columns: BookColumns): Generator<BookRow> {
  const { place } = rows;
  for (const row of rows) {
    const side = columns.text(row, "side");
    if (side !== "bid" && side !== "ask") throw brokenLine(place, "a side is neither bid nor ask");
    yield {
      line: rows.line,
      symbol: columns.text(row, "symbol"),
      atUs: microseconds(columns.text(row, "local_timestamp"), place),
      timeUs: microseconds(columns.text(row, "timestamp"), place),
      isSnapshot: columns.text(row, "is_snapshot") === "true",
      isAsk: side === "ask",
      level: [columns.text(row, "price"), columns.text(row, "amount")],
    };
  }
}

function bookEvent(
  rows: readonly [BookRow, ...BookRow[]],
  lastIds: Map<string, number>,
  nameOf: NameOf,
): SourcedEvent {
  const [first] = rows;
  const before = lastIds.get(first.symbol);
  const id = Math.max(first.atUs, (before ?? 0) + 1);
  lastIds.set(first.symbol, id);
  const bids = rows.filter((row) => !row.isAsk);
  const asks = rows.filter((row) => row.isAsk);
  const base = {
    atUs: first.atUs,
    marketId: nameOf(first.symbol),
    timeMs: unixMs(Math.floor(first.timeUs / 1000)),
    bids: bids.map((row) => row.level),
    asks: asks.map((row) => row.level),
  };
  return {
    line: first.line,
    levelLines: [...bids, ...asks].map((row) => row.line),
    event: first.isSnapshot
      ? { type: "book", ...base, lastId: id }
      : { type: "depth", ...base, firstId: (before ?? id - 1) + 1, finalId: id },
  };
}

function microseconds(text: string, place: Place): number {
  const us = stampUs(text);
  if (us !== undefined) return us;
  throw brokenLine(place, "a timestamp is not a time");
}
