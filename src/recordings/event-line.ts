import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import { markStates, type RecordedEvent, type TextLevel } from "./recorded-event.ts";

/**
 * Formats one line of a recording: `{"at":<µs>,"channel":"<channel>@<market>","result":{…}}`. `result` has the venue's shape and
 * key order: a depth payload (plus our `badTimes` if there are any), a public trade, or (channel `book`) a depthSnapshot
 * (§6.3). Channel `candle`: `{marketId, open, high, low, close, volume, time}`, where `at` is its end. Channel `mark` is written by the recorder itself: `{marketId, state, reason, time}`.
 */
export function eventLine(event: RecordedEvent): string {
  return `{"at":${event.atUs},"channel":"${event.type}@${event.marketId}","result":${JSON.stringify(payload(event))}}\n`;
}

function payload(event: RecordedEvent): object {
  const { marketId, timeMs: time } = event;
  if (event.type === "depth") {
    const { bids, asks, firstId, finalId, badTimes } = event;
    return { marketId, bids, asks, firstId, finalId, time, badTimes };
  }
  if (event.type === "mark") return { marketId, state: event.state, reason: event.reason, time };
  if (event.type === "book") {
    const { lastId: lastUpdateId, bids, asks } = event;
    return { marketId, lastUpdateId, bids, asks, time };
  }
  if (event.type === "candle") {
    const { open, high, low, close, volume } = event;
    return { marketId, open, high, low, close, volume, time };
  }
  const { tradeId, price, quantity, isBuyerMaker, isOffBook, buyOrderId, sellOrderId } = event;
  return {
    tradeId,
    marketId,
    price,
    quantity,
    buyOrderId,
    sellOrderId,
    createdAt: time,
    isBuyerMaker,
    isOffBook,
  };
}

/** Parses a line; undefined when it is not an event. Prices and quantities are not validated here. */
export function parseEventLine(line: string): RecordedEvent | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed) || !isRecord(parsed["result"])) return undefined;
  const { at: atUs, channel, result } = parsed;
  if (typeof atUs !== "number" || typeof channel !== "string") return undefined;
  const cut = channel.indexOf("@");
  const marketId = channel.slice(cut + 1) as MarketId;
  switch (channel.slice(0, cut)) {
    case "depth": {
      const { firstId, finalId, bids, asks, time, badTimes } = result;
      if (!isNumber(firstId) || !isNumber(finalId) || !isNumber(time)) return undefined;
      if (!areLevels(bids) || !areLevels(asks)) return undefined;
      const ids = { firstId, finalId };
      const rows = isNumber(badTimes) ? { badTimes } : {};
      return { type: "depth", atUs, marketId, timeMs: unixMs(time), ...ids, ...rows, bids, asks };
    }
    case "book": {
      const { lastUpdateId: lastId, bids, asks, time } = result;
      if (!isNumber(lastId) || !isNumber(time)) return undefined;
      if (!areLevels(bids) || !areLevels(asks)) return undefined;
      return { type: "book", atUs, marketId, lastId, timeMs: unixMs(time), bids, asks };
    }
    case "trade": {
      const { tradeId, price, quantity, createdAt, isBuyerMaker } = result;
      const { buyOrderId, sellOrderId } = result;
      if (!isText(tradeId) || !isText(price) || !isText(quantity)) return undefined;
      if (!isNumber(createdAt) || typeof isBuyerMaker !== "boolean") return undefined;
      return {
        type: "trade",
        atUs,
        marketId,
        tradeId,
        price,
        quantity,
        timeMs: unixMs(createdAt),
        isBuyerMaker,
        ...(result["isOffBook"] === true ? { isOffBook: true } : {}),
        ...(isText(buyOrderId) ? { buyOrderId } : {}),
        ...(isText(sellOrderId) ? { sellOrderId } : {}),
      };
    }
    case "candle": {
      const { open, high, low, close, volume, time } = result;
      if (!isText(open) || !isText(high) || !isText(low) || !isText(close)) return undefined;
      if (!isText(volume) || !isNumber(time)) return undefined;
      const prices = { open, high, low, close };
      return { type: "candle", atUs, marketId, timeMs: unixMs(time), ...prices, volume };
    }
    case "mark": {
      const { state: written, reason, time } = result;
      const state = markStates.find((known) => known === written);
      if (state === undefined || !isText(reason) || !isNumber(time)) return undefined;
      return { type: "mark", atUs, marketId, timeMs: unixMs(time), state, reason };
    }
    default:
      return undefined;
  }
}

/** Whether the line holds a book snapshot. Decided by its prefix, without parsing. */
export function isBookLine(line: string): boolean {
  return /^\{"at":\d+,"channel":"book@/.test(line);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function areLevels(value: unknown): value is readonly TextLevel[] {
  return Array.isArray(value) && value.every(isLevel);
}

function isLevel(value: unknown): value is TextLevel {
  return Array.isArray(value) && isText(value[0]) && isText(value[1]);
}
