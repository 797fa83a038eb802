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

const needed = ["type", "product_id", "time", "changes"] as const;
/** Columns of messages that a dump may be without. */
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
 * A dump of Coinbase's level2 and matches channels, one message a row. There is no time of receipt: the
 * exchange's stands in, held when it goes back. There are no update ids: events are numbered from 1; a snapshot in the middle,
 * as after a reconnect, skips one number, so that the interruption is a gap which that snapshot heals.
 */
export const coinbaseDump: ImportFormat = {
  name: "coinbase-dump",
  summary: "Coinbase's level2 and matches messages as CSV rows, one file.",
  isOneFile: true,

  *read(file, nameOf) {
    const rows = new CsvRows(file);
    const { place } = rows;
    const columns = columnsOf(rows.header);
    if (columns === undefined) throw brokenLine(place, "no header of the format coinbase-dump");
    let atUs = firstTimeUs(file, columns);
    const ids = new Map<MarketId, number>();
    for (const row of rows) {
      const { line } = rows;
      const type = columns.text(row, "type");
      // The rest is not of the market: subscriptions, errors, and the trade before the session.
      if (type !== "snapshot" && type !== "l2update" && type !== "match") continue;
      const marketId = nameOf(columns.text(row, "product_id"));
      const timeUs = type === "snapshot" ? atUs : isoUs(columns.text(row, "time"));
      if (timeUs === undefined) throw brokenLine(place, `a ${type} without a time`);
      atUs = Math.max(atUs ?? timeUs, timeUs);
      const base = { atUs, marketId, timeMs: unixMs(Math.floor(timeUs / 1000)) };
      if (type === "match") {
        yield { line, event: { ...base, ...tradeOf(columns, row, place) } };
        continue;
      }
      const known = ids.get(marketId);
      const id = known === undefined ? 0 : known + 1;
      if (type === "snapshot") {
        ids.set(marketId, id);
        const bids = levelsOf(columns.text(row, "bids"), place);
        const asks = levelsOf(columns.text(row, "asks"), place);
        yield { line, event: { type: "book", ...base, lastId: id, bids, asks } };
        continue;
      }
      const firstId = known === undefined ? 1 : id;
      ids.set(marketId, firstId);
      const changes = changesOf(columns.text(row, "changes"), place);
      yield { line, event: { type: "depth", ...base, firstId, finalId: firstId, ...changes } };
    }
  },
};

/** A snapshot has no time of its own: it takes that of the first message that belongs to the session. */
function firstTimeUs(file: SourceFile, columns: Columns): number | undefined {
  for (const row of new CsvRows(file)) {
    const type = columns.text(row, "type");
    if (type === "l2update" || type === "match") return isoUs(columns.text(row, "time"));
  }
  return undefined;
}

/** Microseconds of `2018-04-17T00:55:11.045000Z`; undefined when it is no such time. */
function isoUs(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const seconds = Date.parse(`${match?.[1]}Z`);
  if (match === null || Number.isNaN(seconds)) return undefined;
  return seconds * 1000 + Number((match[2] ?? "").padEnd(6, "0").slice(0, 6));
}

function tradeOf(
  columns: Columns,
  row: readonly string[],
  place: Place,
): Omit<RecordedTrade, "atUs" | "marketId" | "timeMs"> {
  // Ids went through a float on their way here: `41766821.0`.
  const tradeId = columns.text(row, "trade_id").replace(/\.0+$/, "");
  const side = columns.text(row, "side");
  if (tradeId === "" || (side !== "buy" && side !== "sell")) {
    throw brokenLine(place, "a match without its id or its maker's side");
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
    else throw brokenLine(place, "a change of neither side");
  }
  return { bids, asks };
}

function levelsOf(text: string, place: Place): readonly TextLevel[] {
  return textsOf(text, place).map(([price, size]) => {
    if (price === undefined || size === undefined) throw brokenLine(place, "a level is too short");
    return [price, size];
  });
}

/** A list of lists of texts as Python writes it: `[['buy', '8041.33', '0']]`. */
function textsOf(written: string, place: Place): readonly (readonly string[])[] {
  const parsed = jsonOfLine(written.replaceAll("'", '"'), place);
  if (Array.isArray(parsed) && parsed.every(isTexts)) return parsed;
  throw brokenLine(place, "no list of lists of texts");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
