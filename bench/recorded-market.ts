import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { marketId, tokenId } from "../src/domain/ids.ts";
import { nodeCompression } from "../src/platform/compression.ts";
import { createStore } from "../src/platform/store.ts";
import { binanceRaw } from "../src/recordings/formats/binance-raw.ts";
import type { RecordedEvent, TextLevel } from "../src/recordings/recorded-event.ts";
import { Recording } from "../src/recordings/recording.ts";
import { linesOf } from "../src/recordings/recording-io.ts";

const root = path.dirname(import.meta.dirname);
const sharedFolder = path.join(root, "..", "shared", "data", "01-binance-spot-btcusdt-20240808");
const sampleFolder = path.join(root, "config", "recordings", "zilusdt");
const io = { store: createStore(), compression: nodeCompression };

/** One depth event as the venue would send it. */
export interface RecordedFrame {
  /** The WebSocket message (§6.2, §6.3), levels in the text of the recording. */
  readonly bytes: Buffer;
  readonly timeMs: number;
  readonly levelCount: number;
}

/** A market to drive a bot with: the whole book, then every depth event that continues it. */
export interface RecordedMarket {
  /** Where it comes from, for the report. */
  readonly source: string;
  readonly marketId: ReturnType<typeof marketId>;
  readonly lastId: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
  readonly frames: readonly RecordedFrame[];
}

/**
 * The recording that the goals speak of (BTCUSDT, mean 46 level changes a frame), else the one of the demo, which is in every
 * clone but small (ZILUSDT, 4 a frame).
 */
export function recordedMarket(): RecordedMarket {
  const id = marketId("1", "2");
  const isShared = existsSync(sharedFolder);
  const events = isShared ? sharedEvents() : sampleEvents();
  // Events that came while the snapshot was on its way may continue it, so all are kept until the end.
  let book: Extract<RecordedEvent, { type: "book" }> | undefined;
  const depths: Extract<RecordedEvent, { type: "depth" }>[] = [];
  for (const event of events) {
    if (event.type === "book") book ??= event;
    else if (event.type === "depth") depths.push(event);
  }
  if (book === undefined) throw new Error("the recording has no snapshot");
  const { lastId } = book;
  const frames = depths
    .filter(({ finalId }) => finalId > lastId)
    .map((depth) => frameOf(depth, id));
  const name = isShared
    ? "set 01, BTCUSDT"
    : "the demo's ZILUSDT, since ../shared/data is not there";
  const levels = frames.reduce((sum, frame) => sum + frame.levelCount, 0);
  const { bids, asks } = book;
  return {
    source: `${name}: ${frames.length} frames, ${levels} level changes`,
    marketId: id,
    lastId,
    bids,
    asks,
    frames,
  };
}

export const baseToken = tokenId("1");
export const quoteToken = tokenId("2");

function frameOf(
  { firstId, finalId, timeMs: time, bids, asks }: Extract<RecordedEvent, { type: "depth" }>,
  id: RecordedMarket["marketId"],
): RecordedFrame {
  const result = { marketId: id, bids, asks, firstId, finalId, time };
  const message = { method: "subscription", params: { channel: `depth@${id}`, result } };
  const bytes = Buffer.from(JSON.stringify(message));
  return { bytes, timeMs: time, levelCount: bids.length + asks.length };
}

function* sharedEvents(): Generator<RecordedEvent> {
  for (const name of ["btcusdt_20240808.gz", "btcusdt_20240809.gz"]) {
    const bytes = readFileSync(path.join(sharedFolder, name));
    const lines = () => depthLines(linesOf(io, bytes, { keepsTail: true }));
    yield* binanceRaw.read({ name, lines }, () => marketId("1", "2"));
  }
}

/** Leaves trades and best quotes out before they are parsed: nobody looks at them here. */
function* depthLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) {
    if (line.includes("@depth") || line.includes('"lastUpdateId"')) yield line;
  }
}

function sampleEvents(): Iterable<RecordedEvent> {
  return new Recording(io, sampleFolder).events();
}
