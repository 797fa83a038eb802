import { unixMs } from "../../domain/time.ts";
import type { TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows, rowGroups } from "./csv.ts";
import { isOffBookOrigin } from "./binance-message.ts";
import {
  brokenLine,
  type ImportFormat,
  type NameOf,
  type Place,
  type SourcedEvent,
} from "./import-format.ts";
import { stampUs } from "./stamp.ts";
import { flagOf } from "./flag-and-side.ts";

const depthNames = [
  "TimestampOfReceive",
  "EventTime",
  "Symbol",
  "FirstUpdateId",
  "FinalUpdateId",
  "IsAsk",
  "Price",
  "Quantity",
] as const;
/** Futures only: final id of the previous event. */
const previousName = "FinalUpdateIdInLastStream";
type DepthName = (typeof depthNames)[number] | typeof previousName;
type DepthColumns = CsvColumns<DepthName>;

const tradeNames = [
  "TimestampOfReceive",
  "TransactionTime",
  "Symbol",
  "TradeId",
  "Price",
  "Quantity",
  "IsBuyerMarketMaker",
] as const;
/** Futures only: `MARKET` for a trade that came from the order book. */
const originName = "XUnknownParameter";
type TradeName = (typeof tradeNames)[number] | typeof originName;
type TradeColumns = CsvColumns<TradeName>;

interface DepthRow {
  readonly line: number;
  readonly atUs: number;
  readonly timeUs: number | undefined;
  readonly symbol: string;
  readonly firstId: number;
  readonly finalId: number;
  readonly previousId: number | undefined;
  readonly isAsk: boolean;
  readonly level: TextLevel;
}

/**
 * CSV files of Binance-Data-Processor: depth (one row for each level change) or trades, recognized by the header. Consecutive
 * rows with the same ids form one event.
 */
export const binanceCsv: ImportFormat = {
  name: "binance-csv",
  summary: "Binance-Data-Processor's CSV: depth and trade files, any number of them.",
  recognizes: (_, first) => first.startsWith("TimestampOfReceive,"),

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const depth = CsvColumns.of<DepthName>(rows.header, depthNames, [previousName]);
    const trade = CsvColumns.of<TradeName>(rows.header, tradeNames, [originName]);
    if (depth !== undefined) {
      for (const group of rowGroups(depthRows(rows, depth), isSameEvent))
        yield depthEvent(group, nameOf);
    } else if (trade !== undefined) yield* tradeEvents(rows, trade, nameOf);
    else throw rows.wrongHeader([depthNames, tradeNames]);
  },
};

function* tradeEvents(
  rows: CsvRows,
  columns: TradeColumns,
  nameOf: NameOf,
): Generator<SourcedEvent> {
  const { place } = rows;
  for (const row of rows) {
    const isBuyerMaker = flag(columns.text(row, "IsBuyerMarketMaker"), place);
    const origin = columns.text(row, originName);
    const timeUs = stampUs(columns.text(row, "TransactionTime"));
    yield {
      line: rows.line,
      event: {
        type: "trade",
        atUs: receivedUs(columns.text(row, "TimestampOfReceive"), place),
        marketId: nameOf(columns.text(row, "Symbol")),
        timeMs: unixMs(Math.floor((timeUs ?? 0) / 1000)),
        tradeId: String(columns.integer(row, "TradeId", place)),
        price: columns.text(row, "Price"),
        quantity: columns.text(row, "Quantity"),
        isBuyerMaker,
        ...(isOffBookOrigin(origin) ? { isOffBook: true as const } : {}),
      },
    };
  }
}

function* depthRows(rows: CsvRows, columns: DepthColumns): Generator<DepthRow> {
  const { place } = rows;
  for (const row of rows) {
    yield {
      line: rows.line,
      atUs: receivedUs(columns.text(row, "TimestampOfReceive"), place),
      timeUs: stampUs(columns.text(row, "EventTime")),
      symbol: columns.text(row, "Symbol"),
      firstId: columns.integer(row, "FirstUpdateId", place),
      finalId: columns.integer(row, "FinalUpdateId", place),
      previousId:
        columns.text(row, previousName) === ""
          ? undefined
          : columns.integer(row, previousName, place),
      isAsk: flag(columns.text(row, "IsAsk"), place),
      level: [columns.text(row, "Price"), columns.text(row, "Quantity")],
    };
  }
}

function isSameEvent(first: DepthRow, next: DepthRow): boolean {
  return (
    first.firstId === next.firstId && first.finalId === next.finalId && first.symbol === next.symbol
  );
}

function depthEvent(rows: readonly [DepthRow, ...DepthRow[]], nameOf: NameOf): SourcedEvent {
  const [first] = rows;
  const bids = rows.filter((row) => !row.isAsk);
  const asks = rows.filter((row) => row.isAsk);
  const timeUs = timeOf(rows);
  // If no row has a valid time, that is one defect of the event and not one of each row.
  const badRows = timeUs === undefined ? [] : rows.filter((row) => row.timeUs !== timeUs);
  const badTimeLines = badRows.map((row) => row.line);
  return {
    line: first.line,
    levelLines: [...bids, ...asks].map((row) => row.line),
    badTimeLines,
    event: {
      type: "depth",
      atUs: first.atUs,
      marketId: nameOf(first.symbol),
      timeMs: unixMs(Math.floor((timeUs ?? 0) / 1000)),
      firstId: first.previousId === undefined ? first.firstId : first.previousId + 1,
      finalId: first.finalId,
      ...(badRows.length === 0 ? {} : { badTimes: badRows.length }),
      bids: bids.map((row) => row.level),
      asks: asks.map((row) => row.level),
    },
  };
}

/**
 * The time of an event: the one that most of its rows have. Of equally frequent times, one that is not later than the receipt.
 * Undefined when no row has a valid time.
 */
function timeOf(rows: readonly DepthRow[]): number | undefined {
  const votes = new Map<number, number>();
  for (const { timeUs, atUs } of rows) {
    if (timeUs === undefined) continue;
    const vote = timeUs <= atUs ? 1 + 0.5 / rows.length : 1;
    votes.set(timeUs, (votes.get(timeUs) ?? 0) + vote);
  }
  let best: number | undefined;
  let most = 0;
  for (const [timeUs, count] of votes) {
    if (count <= most) continue;
    most = count;
    best = timeUs;
  }
  return best;
}

function receivedUs(text: string, place: Place): number {
  const atUs = stampUs(text);
  if (atUs !== undefined) return atUs;
  throw brokenLine(place, "TimestampOfReceive is not a time");
}

function flag(text: string, place: Place): boolean {
  const known = flagOf(text);
  if (known !== undefined) return known;
  throw brokenLine(place, `a flag "${text}" is neither 0 nor 1`);
}
