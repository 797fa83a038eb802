import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { marketId } from "../src/domain/ids.ts";
import { nodeCompression } from "../src/platform/compression.ts";
import { createStore } from "../src/platform/store.ts";
import { binanceRaw } from "../src/recordings/formats/binance-raw.ts";
import { mergeByTime } from "../src/recordings/merge-by-time.ts";
import type { RecordedBook, RecordedEvent } from "../src/recordings/recorded-event.ts";
import { Recording } from "../src/recordings/recording.ts";
import { linesOf, type RecordingIo } from "../src/recordings/recording-io.ts";

const root = path.join(import.meta.dirname, "..");
/** Set 01 of the shared recordings: BTCUSDT, 46 level changes a frame in the mean. It lies beside the repository. */
const shared = path.join(root, "../shared/data/01-binance-spot-btcusdt-20240808");
const demo = path.join(root, "config/recordings/zilusdt");

export interface RecordedFrames {
  /** What was recorded, for titles. */
  readonly name: string;
  /** The venue's `depth@` frames around what was recorded, UTF-8, ids contiguous. */
  readonly frames: readonly Buffer[];
  /** Time of each frame, the exchange's clock. */
  readonly timesMs: readonly number[];
  /** The book before the first frame. */
  readonly book: RecordedBook;
  readonly levelChanges: number;
}

export const benchMarket = marketId("1", "2");

/** Frames of set 01 of the shared recordings; of the demo's market where that is not at hand. */
export function recordedFrames(): RecordedFrames {
  const io: RecordingIo = { store: createStore(), compression: nodeCompression };
  const [name, events] = existsSync(shared)
    ? ["BTCUSDT, set 01", setEvents(io)]
    : ["ZILUSDT, the demo's market", new Recording(io, demo).events()];
  const all = [...events];
  const book = all.find((event): event is RecordedBook => event.type === "book");
  if (book === undefined) throw new Error("the recording has no book");
  const frames: Buffer[] = [];
  const timesMs: number[] = [];
  let levelChanges = 0;
  for (const event of all) {
    if (event.type !== "depth" || event.finalId <= book.lastId) continue;
    frames.push(frameOf(event));
    timesMs.push(event.timeMs);
    levelChanges += event.bids.length + event.asks.length;
  }
  return { name, frames, timesMs, book, levelChanges };
}

function setEvents(io: RecordingIo): Iterable<RecordedEvent> {
  const files = readdirSync(shared).map((name) => {
    const bytes = io.store.read(path.join(shared, name)) ?? new Uint8Array();
    return { name, lines: () => linesOf(io, bytes, { keepsTail: true }) };
  });
  return mergeByTime(files.map((file) => binanceRaw.read(file, () => benchMarket)));
}

function frameOf(event: Extract<RecordedEvent, { type: "depth" }>): Buffer {
  const { bids, asks, firstId, finalId, timeMs: time } = event;
  const result = { marketId: benchMarket, bids, asks, firstId, finalId, time };
  const params = { channel: `depth@${benchMarket}`, result };
  return Buffer.from(JSON.stringify({ method: "subscription", params }));
}
