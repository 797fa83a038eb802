import { unixMs } from "../../domain/time.ts";
import type { TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows, rowGroups } from "./csv.ts";
import {
  brokenLine,
  type ImportFormat,
  type NameOf,
  type Place,
  type SourcedEvent,
} from "./import-format.ts";
import { MadeIds } from "./made-ids.ts";
import { SnapshotPieces } from "./snapshot-pieces.ts";
import { stampUs } from "./stamp.ts";
import { flagOf, levelSideOf, takerSideOf } from "./flag-and-side.ts";

const common = ["symbol", "timestamp", "local_timestamp"] as const;
const bookNames = [...common, "side", "price", "amount", "is_snapshot"] as const;
const tradeNames = [...common, "side", "price", "amount", "id"] as const;
type BookColumns = CsvColumns<(typeof bookNames)[number]>;
type TradeColumns = CsvColumns<(typeof tradeNames)[number]>;

interface BookRow {
  readonly line: number;
  readonly symbol: string;
  readonly atUs: number;
  readonly timeUs: number;
  readonly isSnapshot: boolean;
  /** Whether the row belongs to the snapshot of the market's row before it. */
  readonly isPiece: boolean;
  readonly isAsk: boolean;
  readonly level: TextLevel;
}

/**
 * Tardis CSV files, recognized by the header. Rows of changes with the same local_timestamp form one message, and so do the rows of a
 * snapshot that follow one another; where rows of another market are between them, the rest of the snapshot changes the book that it began.
 * There are no update ids, so they are made.
 */
export const tardis: ImportFormat = {
  name: "tardis",
  summary:
    "Tardis' CSV: incremental_book_L2, book_snapshot_N, quotes and trades files, any number of them.",
  makesIds: true,
  recognizes: (_, first) => first.startsWith("exchange,symbol,timestamp,local_timestamp"),

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const { header } = rows;
    const book = CsvColumns.of(header, bookNames);
    const trades = CsvColumns.of(header, tradeNames);
    const wholeBooks = wholeBooksOf(header);
    if (book !== undefined) yield* bookEvents(rows, book, nameOf);
    else if (trades !== undefined) yield* tradeEvents(rows, trades, nameOf);
    else if (wholeBooks !== undefined) yield* wholeBookEvents(rows, wholeBooks, nameOf);
    else throw rows.wrongHeader([bookNames, tradeNames, wholeBookNames(levelsIn(header))]);
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
    // Tardis gives the taker's side.
    const written = columns.text(row, "side");
    const side = takerSideOf(written);
    yield {
      line,
      kind: "trades",
      ...(side === undefined ? { leftOut: unknownSide(written) } : {}),
      event: {
        type: "trade",
        atUs: microseconds(columns.text(row, "local_timestamp"), place),
        marketId: nameOf(columns.text(row, "symbol")),
        timeMs: unixMs(Math.floor(timeUs / 1000)),
        // Some exchanges have no trade ids.
        tradeId: id === "" ? `line-${line}` : id,
        price: columns.text(row, "price"),
        quantity: columns.text(row, "amount"),
        isBuyerMaker: side === "sell",
      },
    };
  }
}

function unknownSide(written: string): NonNullable<SourcedEvent["leftOut"]> {
  return { what: "badSides", detail: `the taker's side "${written}" is neither buy nor sell` };
}

function* bookEvents(rows: CsvRows, columns: BookColumns, nameOf: NameOf): Generator<SourcedEvent> {
  const ids = new MadeIds();
  for (const message of rowGroups(bookRows(rows, columns), isSameMessage)) {
    yield bookEvent(message, ids, nameOf);
  }
}

function isSameMessage(first: BookRow, next: BookRow): boolean {
  if (first.symbol !== next.symbol || first.isSnapshot !== next.isSnapshot) return false;
  return first.isSnapshot ? next.isPiece : first.atUs === next.atUs;
}

function* bookRows(rows: CsvRows, columns: BookColumns): Generator<BookRow> {
  const { place } = rows;
  const snapshots = new Map<string, SnapshotPieces>();
  for (const row of rows) {
    const side = levelSideOf(columns.text(row, "side"));
    if (side === undefined) throw brokenLine(place, "a side is neither bid nor ask");
    const isSnapshot = flagOf(columns.text(row, "is_snapshot"));
    if (isSnapshot === undefined) throw brokenLine(place, "is_snapshot is neither true nor false");
    const symbol = columns.text(row, "symbol");
    const read = {
      line: rows.line,
      symbol,
      atUs: microseconds(columns.text(row, "local_timestamp"), place),
      timeUs: microseconds(columns.text(row, "timestamp"), place),
      isSnapshot,
      isAsk: side === "ask",
      level: [columns.text(row, "price"), columns.text(row, "amount")] as const,
    };
    const snapshot = isSnapshot ? snapshots.get(symbol) : undefined;
    const isPiece = snapshot?.takes(read) === true;
    if (!isSnapshot) snapshots.delete(symbol);
    else if (!isPiece) snapshots.set(symbol, new SnapshotPieces(read));
    yield { ...read, isPiece };
  }
}

function bookEvent(
  rows: readonly [BookRow, ...BookRow[]],
  ids: MadeIds,
  nameOf: NameOf,
): SourcedEvent {
  const [first] = rows;
  const bids = rows.filter((row) => !row.isAsk);
  const asks = rows.filter((row) => row.isAsk);
  return {
    line: first.line,
    kind: "incremental_book_L2",
    levelLines: [...bids, ...asks].map((row) => row.line),
    event: ids.of({
      type: first.isSnapshot && !first.isPiece ? "book" : "depth",
      // A snapshot is known when its last piece is there.
      atUs: rows.at(-1)?.atUs ?? first.atUs,
      marketId: nameOf(first.symbol),
      timeMs: unixMs(Math.floor(first.timeUs / 1000)),
      bids: bids.map((row) => row.level),
      asks: asks.map((row) => row.level),
    }),
  };
}

interface WholeBooks {
  readonly kind: string;
  readonly columns: CsvColumns<string>;
  /** Names of price and amount of each level, best first. */
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

/** The columns of book_snapshot_N or quotes, of which each row is a whole book. */
function wholeBooksOf(header: readonly string[]): WholeBooks | undefined {
  const levels = levelsIn(header);
  const columns = CsvColumns.of(header, wholeBookNames(levels));
  return columns === undefined ? undefined : { ...levels, columns };
}

function levelsIn(header: readonly string[]): Omit<WholeBooks, "columns"> {
  const depth = header.filter((name) => /^bids\[\d+\]\.price$/.test(name)).length;
  if (depth === 0) return quoteLevels;
  const levels = (side: string) =>
    Array.from(
      { length: depth },
      (_, at) => [`${side}[${at}].price`, `${side}[${at}].amount`] as const,
    );
  return { kind: `book_snapshot_${depth}`, bids: levels("bids"), asks: levels("asks") };
}

function wholeBookNames({ bids, asks }: Omit<WholeBooks, "columns">): readonly string[] {
  return [...common, ...[...bids, ...asks].flat()];
}

const quoteLevels: Omit<WholeBooks, "columns"> = {
  kind: "quotes",
  bids: [["bid_price", "bid_amount"]],
  asks: [["ask_price", "ask_amount"]],
};

function* wholeBookEvents(
  rows: CsvRows,
  { kind, columns, bids, asks }: WholeBooks,
  nameOf: NameOf,
): Generator<SourcedEvent> {
  const ids = new MadeIds();
  const { place } = rows;
  for (const row of rows) {
    const levelsOf = (names: WholeBooks["bids"]): readonly TextLevel[] =>
      names.flatMap(([price, amount]) => {
        const level = [columns.text(row, price), columns.text(row, amount)] as const;
        // A book that is not as deep.
        return level[0] === "" ? [] : [level];
      });
    const timeUs = microseconds(columns.text(row, "timestamp"), place);
    const event = ids.of({
      type: "book",
      atUs: microseconds(columns.text(row, "local_timestamp"), place),
      marketId: nameOf(columns.text(row, "symbol")),
      timeMs: unixMs(Math.floor(timeUs / 1000)),
      bids: levelsOf(bids),
      asks: levelsOf(asks),
    });
    yield { line: rows.line, kind, event };
  }
}

function microseconds(text: string, place: Place): number {
  const us = stampUs(text);
  if (us !== undefined) return us;
  throw brokenLine(place, `a timestamp "${text}" is not a time`);
}
