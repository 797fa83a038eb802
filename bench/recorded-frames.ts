import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { marketId } from "../src/domain/ids.ts";
import { unixMs } from "../src/domain/time.ts";
import { nodeCompression } from "../src/platform/compression.ts";
import { createStore } from "../src/platform/store.ts";
import type {
  RecordedBook,
  RecordedDepth,
  RecordedEvent,
  TextLevel,
} from "../src/recordings/recorded-event.ts";
import { Recording } from "../src/recordings/recording.ts";

const root = path.join(import.meta.dirname, "..");
/** Set 01 of the shared recordings: BTCUSDT, 46 level changes a frame in the mean. It is kept beside the repository. */
const shared = path.join(root, "../shared/data/01-binance-spot-btcusdt-20240808");
/** The recording of the demo's market. */
export const demoRecording = path.join(root, "config/recordings/zilusdt");

export interface RecordedFrames {
  /** Describes the recording, for people. */
  readonly name: string;
  /** Set when the goals are about another recording. */
  readonly notJudged: string | undefined;
  /** The recorded events as the venue's `depth@` frames, UTF-8, with contiguous ids. */
  readonly frames: readonly Buffer[];
  /** The book before the first frame. */
  readonly book: RecordedBook;
  readonly levelChanges: number;
}

export const benchMarket = marketId("1", "2");

/** Frames of set 01 of the shared recordings; of the demo's market where that is not at hand. */
export function recordedFrames(): RecordedFrames {
  const isSet = existsSync(shared);
  const name = isSet ? "BTCUSDT, set 01" : "ZILUSDT, the demo's market";
  const notJudged = isSet ? undefined : "they speak of set 01 of the shared recordings";
  const all: readonly RecordedEvent[] = [...(isSet ? setEvents() : demoEvents())];
  const book = all.find((event): event is RecordedBook => event.type === "book");
  if (book === undefined) throw new Error("the recording has no book");
  const frames: Buffer[] = [];
  let levelChanges = 0;
  for (const event of all) {
    if (event.type !== "depth" || event.finalId <= book.lastId) continue;
    frames.push(frameOf(event));
    levelChanges += event.bids.length + event.asks.length;
  }
  return { name, notJudged, frames, book, levelChanges };
}

function demoEvents(): Iterable<RecordedEvent> {
  return new Recording(
    { store: createStore(), compression: nodeCompression },
    demoRecording,
  ).events();
}

interface RawDepth {
  readonly E: number;
  readonly U: number;
  readonly u: number;
  readonly b: readonly TextLevel[];
  readonly a: readonly TextLevel[];
}

interface RawBook {
  readonly lastUpdateId: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** Lines `<receive stamp> <json>`. Trades and best quotes are skipped unparsed. */
function* setEvents(): Generator<RecordedDepth | RecordedBook> {
  for (const name of readdirSync(shared).sort()) {
    for (const line of gunzipSync(readFileSync(path.join(shared, name)))
      .toString()
      .split("\n")) {
      const isDepth = line.includes("@depth");
      if (!isDepth && !line.includes('"lastUpdateId"')) continue;
      const cut = line.indexOf(" ");
      const atUs = Math.floor(Number(line.slice(0, cut)) / 1000);
      const parsed: unknown = JSON.parse(line.slice(cut + 1));
      const common = { atUs, marketId: benchMarket };
      if (isDepth) {
        const { E, U, u, b: bids, a: asks } = (parsed as { readonly data: RawDepth }).data;
        yield { ...common, type: "depth", firstId: U, finalId: u, timeMs: unixMs(E), bids, asks };
      } else {
        const { lastUpdateId: lastId, bids, asks } = parsed as RawBook;
        yield { ...common, type: "book", lastId, timeMs: unixMs(atUs / 1000), bids, asks };
      }
    }
  }
}

function frameOf(event: RecordedDepth): Buffer {
  const { bids, asks, firstId, finalId, timeMs: time } = event;
  const result = { marketId: benchMarket, bids, asks, firstId, finalId, time };
  const params = { channel: `depth@${benchMarket}`, result };
  return Buffer.from(JSON.stringify({ method: "subscription", params }));
}

/** A frame as an ordinary client parses it. */
export interface ParsedFrame {
  readonly firstId: number;
  readonly finalId: number;
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

const decoder = new TextDecoder();

export function parseFrame(bytes: Uint8Array): ParsedFrame {
  const message = JSON.parse(decoder.decode(bytes)) as {
    readonly params: { readonly result: ParsedFrame };
  };
  return message.params.result;
}
