import type { MarketId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows, rowGroups } from "./csv.ts";
import { brokenLine, type ImportFormat, type Place, type SourcedEvent } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

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
type TradeColumns = CsvColumns<(typeof tradeNames)[number]>;

type NameOf = (symbol: string) => MarketId;

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

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const depth = CsvColumns.of<DepthName>(rows.header, depthNames, [previousName]);
    const trade = CsvColumns.of(rows.header, tradeNames);
    if (depth !== undefined) {
      for (const group of rowGroups(depthRows(rows, depth), isSameEvent))
        yield depthEvent(group, nameOf);
    } else if (trade !== undefined) yield* tradeEvents(rows, trade, nameOf);
    else
      throw brokenLine(
        rows.place,
        "not the header of a depth or trade file of the format binance-csv",
      );
  },
};

function* tradeEvents(
  rows: CsvRows,
  columns: TradeColumns,
  nameOf: NameOf,
): Generator<SourcedEvent> {
  const { place } = rows;
  for (const row of rows) {
    const isBuyerMaker = flagOf(columns.text(row, "IsBuyerMarketMaker"), place);
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
      isAsk: flagOf(columns.text(row, "IsAsk"), place),
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

function flagOf(text: string, place: Place): boolean {
  if (text === "1") return true;
  if (text === "0") return false;
  throw brokenLine(place, "a flag is neither 0 nor 1");
}
