import { z } from "zod";
import type { MarketId } from "../../domain/ids.ts";
import { unixMs, type UnixMs } from "../../domain/time.ts";
import type { RecordedBook, MarketDataEvent } from "../recorded-event.ts";
import { brokenLine, type Place } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

/** Binance's own messages, as both raw formats contain them. Fields that are not used are not validated. */

const levels = z.array(z.tuple([z.string(), z.string()]).readonly());
const depthUpdate = z.object({
  s: z.string(),
  E: z.number(),
  U: z.number(),
  u: z.number(),
  /** Futures only: the previous event's `u`. */
  pu: z.number().optional(),
  b: levels,
  a: levels,
});
const trade = z.object({
  s: z.string(),
  t: z.number(),
  p: z.string(),
  q: z.string(),
  T: z.number(),
  m: z.boolean(),
  /** Order ids of buyer and seller, in older recordings. */
  b: z.number().optional(),
  a: z.number().optional(),
  /** Futures only: a trade that did not come from the order book has a value other than `MARKET`. */
  X: z.string().optional(),
});
const aggregateTrade = z.object({
  s: z.string(),
  a: z.number(),
  p: z.string(),
  q: z.string(),
  T: z.number(),
  m: z.boolean(),
});
const streamMessage = z.object({ stream: z.string(), data: z.unknown() });
const restBook = z.object({
  lastUpdateId: z.number(),
  /** Futures only. */
  E: z.number().optional(),
  bids: levels,
  asks: levels,
});

export interface BinanceStreamMessage {
  readonly stream: string;
  readonly data: unknown;
}

/** Validates a line's JSON as a stream message; undefined when it is not one. */
export function messageOf(parsed: unknown): BinanceStreamMessage | undefined {
  const result = streamMessage.safeParse(parsed);
  return result.success ? { stream: result.data.stream, data: result.data.data } : undefined;
}

/** Symbol in capitals of a stream name such as `btcusdt@depth@100ms`. */
export function symbolOf(stream: string): string {
  return stream.slice(0, Math.max(0, stream.indexOf("@"))).toUpperCase();
}

/** The event of a stream message; undefined for streams that recordings do not contain (best quotes, mark prices, candles). */
export function eventOf(
  message: BinanceStreamMessage,
  atUs: number,
  nameOf: (symbol: string) => MarketId,
  place: Place,
): MarketDataEvent | undefined {
  const [, channel] = message.stream.split("@");
  if (channel === "depth") {
    const update = decode(depthUpdate, message.data, place);
    return {
      type: "depth",
      atUs,
      marketId: nameOf(update.s),
      timeMs: exchangeMs(update.E),
      // Futures ids are not consecutive; `pu` links each event to the previous one.
      firstId: update.pu === undefined ? update.U : update.pu + 1,
      finalId: update.u,
      bids: update.b,
      asks: update.a,
    };
  }
  if (channel === "trade") {
    const { s, t, p, q, T, m, a, b, X } = decode(trade, message.data, place);
    return {
      type: "trade",
      atUs,
      marketId: nameOf(s),
      timeMs: exchangeMs(T),
      tradeId: String(t),
      price: p,
      quantity: q,
      isBuyerMaker: m,
      ...(isOffBookOrigin(X) ? { isOffBook: true as const } : {}),
      ...(b === undefined ? {} : { buyOrderId: String(b) }),
      ...(a === undefined ? {} : { sellOrderId: String(a) }),
    };
  }
  if (channel !== "aggTrade") return undefined;
  const { s, a, p, q, T, m } = decode(aggregateTrade, message.data, place);
  return {
    type: "trade",
    atUs,
    marketId: nameOf(s),
    timeMs: exchangeMs(T),
    tradeId: String(a),
    price: p,
    quantity: q,
    isBuyerMaker: m,
  };
}

/** A book returned by REST; undefined when the JSON is not one. Spot books have no time, so the time of receipt is used. */
export function bookOf(parsed: unknown, atUs: number, market: MarketId): RecordedBook | undefined {
  const result = restBook.safeParse(parsed);
  if (!result.success) return undefined;
  const { lastUpdateId: lastId, E, bids, asks } = result.data;
  const timeMs = E === undefined ? unixMs(Math.floor(atUs / 1000)) : exchangeMs(E);
  return { type: "book", atUs, marketId: market, timeMs, lastId, bids, asks };
}

/** Whether a trade did not come from the order book, such as one of the insurance fund. Its id counts with the others. */
export function isOffBookOrigin(origin: string | undefined): boolean {
  return origin !== undefined && origin !== "" && origin !== "MARKET";
}

/** The exchange's own time, in milliseconds or microseconds; 0 for none. */
function exchangeMs(time: number): UnixMs {
  return unixMs(Math.floor((stampUs(String(time)) ?? 0) / 1000));
}

function decode<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  place: Place,
): z.output<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
  throw brokenLine(place, `not a message of the expected form (${field})`);
}
