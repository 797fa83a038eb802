import fc from "fast-check";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { RecordedEvent, TextLevel } from "../../src/recordings/recorded-event.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import { io } from "./shared-sets.ts";

export const markets = [marketId("BTC", "USDT"), marketId("ETH", "USDT")] as const;

/** Mostly on a tick of 0.01; now and then a text that no step fits, or that is no number at all. */
const price = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 9_900, max: 10_100 }).map((ticks) => decimal(ticks)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 2_000_000_000 }).map((ticks) => decimal(ticks)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "0.1234567890123456789",
      "123456789012345678901234567890",
      "1e3",
      "-1",
      "0",
      "x",
      "",
      "0.000000000001",
      "9007199254740993",
      `1${"0".repeat(400)}`,
      "0.00000012",
    ),
  },
);
const quantity = fc.oneof(
  { weight: 10, arbitrary: fc.constant("0.00000000") },
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 5_000_000 }).map((lots) => decimal(lots)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("0.000000000000000001", "-2", "NaN", "7e-9", "1234567890.12345678"),
  },
);
const decimal = (hundredths: number): string => (hundredths / 100).toFixed(2);
const levels = fc.oneof(
  fc.array(fc.tuple(price, quantity), { maxLength: 8 }),
  fc.array(fc.tuple(price, quantity), { maxLength: 40 }).map((list) => sorted(list, 1)),
  fc.array(fc.tuple(price, quantity), { maxLength: 40 }).map((list) => sorted(list, -1)),
);
const sorted = (list: [string, string][], sign: 1 | -1): TextLevel[] =>
  list.sort(([left], [right]) => sign * (Number(left) - Number(right)) || 0);
const id = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 1_000_000 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom("a-b", "007", "12345678901234567890", "", "é") },
);
const orderId = fc.option(id, { nil: undefined });

const step = fc.record({
  type: fc.constantFrom("depth", "depth", "depth", "trade", "trade", "book", "mark"),
  market: fc.constantFrom(...markets),
  /** Between this event and the one before, µs. */
  afterUs: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(-5_000, 0.5, 4_000_000_000) },
  ),
  delayMs: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: -50, max: 2_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0.125, 0.0001, Number.NaN, 1e13) },
  ),
  /** Ids that are left out before this event. */
  skipped: fc.oneof(
    { weight: 15, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -3, max: 3 }) },
  ),
  ids: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(0), fc.constant(1e15)),
  bids: levels,
  asks: levels,
  price,
  quantity,
  id,
  buy: orderId,
  sell: orderId,
  isTrue: fc.boolean(),
});

/** Events of two markets, with gaps, lost streams, marks and impossible values. */
export const recordedEvents: fc.Arbitrary<readonly RecordedEvent[]> = fc
  .array(step, { maxLength: 60 })
  .map((steps) => {
    let atUs = 1_700_000_000_000_000;
    const lastIds = new Map<string, number>();
    return steps.map((each): RecordedEvent => {
      atUs += each.afterUs;
      const timeMs = Number.isNaN(each.delayMs) ? 0 : Math.floor(atUs / 1000) - each.delayMs;
      const base = { atUs, marketId: each.market, timeMs: unixMs(timeMs) };
      const last = (lastIds.get(each.market) ?? 100) + each.skipped;
      switch (each.type) {
        case "depth": {
          const ids = { firstId: last + 1, finalId: last + 1 + each.ids };
          lastIds.set(each.market, ids.finalId);
          return { type: "depth", ...base, ...ids, bids: each.bids, asks: each.asks };
        }
        case "book":
          return { type: "book", ...base, lastId: last, bids: each.bids, asks: each.asks };
        case "mark":
          return { type: "mark", ...base, state: each.isTrue ? "closed" : "gap", reason: "test" };
        default:
          return {
            type: "trade",
            ...base,
            tradeId: each.id,
            price: each.price,
            quantity: each.quantity,
            isBuyerMaker: each.isTrue,
            ...(each.buy === undefined ? {} : { buyOrderId: each.buy }),
            ...(each.sell === undefined ? {} : { sellOrderId: each.sell }),
          };
      }
    });
  });

/** Writes a recording of both markets. */
export function writeRecording(folder: string, events: readonly RecordedEvent[]): void {
  const writer = new RecordingWriter(io, folder);
  writer.writeManifest({
    format: "touchline-recording",
    version: 1,
    markets: markets.map((each) => ({
      marketId: each,
      symbol: each.replace("_", ""),
      grid: "native",
    })),
    source: "test",
  });
  for (const event of events) writer.append(event);
  writer.close();
}
