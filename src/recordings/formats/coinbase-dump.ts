import type { MarketId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { RecordedTrade, TextLevel } from "../recorded-event.ts";
import { CsvColumns, CsvRows } from "./csv.ts";
import {
  brokenLine,
  type ImportFormat,
  jsonOfLine,
  type Place,
  type SourceFile,
} from "./import-format.ts";
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
 * A dump of Coinbase's level2 and matches channels, one message in each row. It has no time of receipt, so the exchange time is
 * used and never goes back. It has no update ids, so events are numbered from 1.
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
    let atUs = firstTimeUs(file, columns);
    const ids = new Map<MarketId, number>();
    for (const row of rows) {
      const { line } = rows;
      const type = columns.text(row, "type");
      // Other messages are not market data: subscriptions, errors, and the last trade before the session.
      if (type !== "snapshot" && type !== "l2update" && type !== "match") continue;
      const marketId = nameOf(columns.text(row, "product_id"));
      const timeUs = type === "snapshot" ? atUs : stampUs(columns.text(row, "time"));
      if (timeUs === undefined) throw brokenLine(place, `a ${type} has no time`);
      atUs = Math.max(atUs ?? timeUs, timeUs);
      const base = { atUs, marketId, timeMs: unixMs(Math.floor(timeUs / 1000)) };
      if (type === "match") {
        yield { line, event: { ...base, ...tradeOf(columns, row, place) } };
        continue;
      }
      const id = ids.get(marketId) ?? 0;
      if (type === "snapshot") {
        ids.set(marketId, id);
        const bids = levelsOf(columns.text(row, "bids"), place);
        const asks = levelsOf(columns.text(row, "asks"), place);
        yield { line, event: { type: "book", ...base, lastId: id, bids, asks } };
        continue;
      }
      const firstId = id + 1;
      ids.set(marketId, firstId);
      const changes = changesOf(columns.text(row, "changes"), place);
      yield { line, event: { type: "depth", ...base, firstId, finalId: firstId, ...changes } };
    }
  },
};

/** Time of the first update or match, used for the snapshot, which has none of its own. */
function firstTimeUs(file: SourceFile, columns: Columns): number | undefined {
  for (const row of new CsvRows(file)) {
    const type = columns.text(row, "type");
    if (type === "l2update" || type === "match") return stampUs(columns.text(row, "time"));
  }
  return undefined;
}

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
