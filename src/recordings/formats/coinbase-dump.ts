import type { MarketId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { RecordedBook, RecordedTrade, TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows } from "./csv.ts";
import { brokenLine, type ImportFormat, jsonOfLine, type Place } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

const needed = ["type", "product_id", "time", "changes"] as const;
/** Columns that a dump may lack. */
const optional = [
  "asks",
  "bids",
  "trade_id",
  "price",
  "size",
  "side",
  "maker_order_id",
  "taker_order_id",
] as const;
type Columns = CsvColumns<(typeof needed)[number] | (typeof optional)[number]>;

function columnsOf(header: readonly string[]): Columns | undefined {
  return CsvColumns.of<(typeof needed)[number] | (typeof optional)[number]>(
    header,
    needed,
    optional,
  );
}

/**
 * A dump of Coinbase's level2 and matches channels, one message in each row. It has no time of receipt, so the exchange time is used; a
 * snapshot, which has none, has that of the message after it. It has no update ids, so events are numbered from 1.
 */
export const coinbaseDump: ImportFormat = {
  name: "coinbase-dump",
  summary: "Coinbase's level2 and matches messages as CSV rows, one file.",
  isOneFile: true,
  makesIds: true,
  recognizes: (_, first) => first.split(",").includes("product_id"),

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const { place } = rows;
    const columns = columnsOf(rows.header);
    if (columns === undefined) throw rows.wrongHeader([needed]);
    const ids = new Map<MarketId, number>();
    let untimed: {
      readonly line: number;
      readonly event: Omit<RecordedBook, "atUs" | "timeMs">;
    }[] = [];
    for (const row of rows) {
      const { line } = rows;
      const type = columns.text(row, "type");
      // Other messages are not market data: subscriptions, errors, and the last trade before the session.
      if (type !== "snapshot" && type !== "l2update" && type !== "match") continue;
      const marketId = nameOf(columns.text(row, "product_id"));
      const lastId = ids.get(marketId) ?? 0;
      if (type === "snapshot") {
        const bids = levelsOf(columns.text(row, "bids"), place);
        const asks = levelsOf(columns.text(row, "asks"), place);
        untimed.push({ line, event: { type: "book", marketId, lastId, bids, asks } });
        continue;
      }
      const atUs = stampUs(columns.text(row, "time"));
      if (atUs === undefined) throw brokenLine(place, `a ${type} has no time`);
      const times = { atUs, timeMs: unixMs(Math.floor(atUs / 1000)) };
      for (const book of untimed)
        yield { ...book, isSent: true, event: { ...book.event, ...times } };
      untimed = [];
      if (type === "match") {
        const trade = { ...times, marketId, ...tradeOf(columns, row, place) };
        yield { line, isSent: true, event: trade };
        continue;
      }
      const firstId = lastId + 1;
      ids.set(marketId, firstId);
      const changes = changesOf(columns.text(row, "changes"), place);
      const depth = { type: "depth", ...times, marketId, firstId, finalId: firstId } as const;
      yield { line, isSent: true, event: { ...depth, ...changes } };
    }
  },
};

function tradeOf(
  columns: Columns,
  row: readonly string[],
  place: Place,
): Omit<RecordedTrade, "atUs" | "marketId" | "timeMs"> {
  // The ids were once converted to floats: `41766821.0`.
  const tradeId = columns.text(row, "trade_id").replace(/\.0+$/, "");
  const side = columns.text(row, "side");
  if (tradeId === "" || (side !== "buy" && side !== "sell")) {
    throw brokenLine(place, "a match lacks its id or its maker's side");
  }
  const isBuyerMaker = side === "buy";
  const maker = columns.text(row, "maker_order_id");
  const taker = columns.text(row, "taker_order_id");
  return {
    type: "trade",
    tradeId,
    price: columns.text(row, "price"),
    quantity: columns.text(row, "size"),
    isBuyerMaker,
    ...(maker === "" || taker === ""
      ? {}
      : {
          buyOrderId: isBuyerMaker ? maker : taker,
          sellOrderId: isBuyerMaker ? taker : maker,
        }),
  };
}

function changesOf(
  text: string,
  place: Place,
): { readonly bids: readonly TextLevel[]; readonly asks: readonly TextLevel[] } {
  const bids: TextLevel[] = [];
  const asks: TextLevel[] = [];
  for (const [side, price, size] of textsOf(text, place)) {
    if (price === undefined || size === undefined) throw brokenLine(place, "a change is too short");
    if (side === "buy") bids.push([price, size]);
    else if (side === "sell") asks.push([price, size]);
    else throw brokenLine(place, "a change has neither side");
  }
  return { bids, asks };
}

function levelsOf(text: string, place: Place): readonly TextLevel[] {
  return textsOf(text, place).map(([price, size]) => {
    if (price === undefined || size === undefined) throw brokenLine(place, "a level is too short");
    return [price, size];
  });
}

/** Parses a list of lists of strings in Python's notation: `[['buy', '8041.33', '0']]`. */
function textsOf(written: string, place: Place): readonly (readonly string[])[] {
  const parsed = jsonOfLine(written.replaceAll("'", '"'), place);
  if (Array.isArray(parsed) && parsed.every(isTexts)) return parsed;
  throw brokenLine(place, "not a list of lists of strings");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
