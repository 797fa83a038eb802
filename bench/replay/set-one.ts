import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import type { FlatLevels } from "../../src/domain/depth.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { createStore } from "../../src/platform/store.ts";
import { openAllCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import type { MarketColumns } from "../../src/recordings/columns/market-columns.ts";
import { eventKind } from "../../src/recordings/columns/event-kind.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type { MarketEvent } from "../../src/recordings/market-event.ts";
import { Recording } from "../../src/recordings/recording.ts";

const root = path.join(import.meta.dirname, "../..");
const shared = path.join(root, "../shared/data/01-binance-spot-btcusdt-20240808");
const demo = path.join(root, "config/recordings/zilusdt");
const io = { store: createStore(), compression: nodeCompression };
/** Between the copies of a repeated recording. */
const PAUSE_MS = 1_000;

type Side = "bids" | "asks";

/** A compiled recording of one market, played over and over without a gap; set 01, or the demo's where that is not at hand. */
export class RepeatedRecording {
  readonly name: string;
  readonly notJudged: string | undefined;
  /** Folder of the set's files; undefined for the demo's recording. */
  readonly source: string | undefined;
  /** Level changes in the depth events of one copy. */
  readonly levelChanges: number;
  readonly frames: number;
  /** Best bid and ask after the last event of a copy. */
  readonly touch: { readonly bid: number; readonly ask: number };
  readonly #columns: MarketColumns;
  readonly #folder: string | undefined;
  /** What leads from the book at the end of a copy to the one at its start. */
  readonly #seam: Readonly<Record<Side, FlatLevels>>;
  readonly #span: { readonly ms: number; readonly ids: number; readonly firstId: number };

  constructor() {
    const isSet = existsSync(shared);
    this.name = isSet ? "BTCUSDT, set 01" : "ZILUSDT, the demo's market";
    this.notJudged = isSet ? undefined : "they speak of set 01 of the shared recordings";
    this.source = isSet ? shared : undefined;
    this.#folder = isSet ? mkdtempSync(path.join(tmpdir(), "touchline-bench-")) : undefined;
    this.#columns = columnsOf(this.#folder);
    let levelChanges = 0;
    let frames = 0;
    let [lastMs, lastId] = [0, 0];
    const held = { bids: new Map<number, number>(), asks: new Map<number, number>() };
    let start: Extract<MarketEvent, { type: "book" }> | undefined;
    for (const event of this.#events()) {
      lastMs = event.atMs;
      if (event.type === "trade") continue;
      const levels = event.type === "book" ? event.snapshot : event.event;
      if (event.type === "book") {
        start ??= event;
        lastId = event.snapshot.lastId;
      } else {
        frames += 1;
        levelChanges += (levels.bids.length + levels.asks.length) / 2;
        lastId = event.event.finalId;
      }
      for (const side of ["bids", "asks"] as const) put(held[side], levels[side]);
    }
    if (start === undefined) throw new Error("the recording has no book");
    this.levelChanges = levelChanges;
    this.frames = frames;
    this.touch = { bid: Math.max(...held.bids.keys()), ask: Math.min(...held.asks.keys()) };
    const { bids, asks, lastId: firstId } = start.snapshot;
    this.#seam = { bids: between(held.bids, bids), asks: between(held.asks, asks) };
    const ms = Math.ceil(lastMs - start.atMs) + PAUSE_MS;
    this.#span = { ms, ids: lastId - firstId + 1, firstId };
  }

  /** One copy after the other, as the market `marketId`. */
  *steps(marketId: MarketId): Generator<RecordedStep, never> {
    for (let copy = 0; ; copy += 1) {
      for (const event of this.#events()) {
        const moved = this.#moved(event, copy, marketId);
        const { atMs } = moved;
        yield {
          atUs: Math.round(atMs * 1000),
          atMs: unixMs(Math.floor(atMs)),
          marketId,
          event: moved,
        };
      }
    }
  }

  /** From the first book on. */
  *#events(): Generator<MarketEvent> {
    let hasBook = false;
    for (const event of this.#columns.syncedEvents()) {
      hasBook ||= event.type === "book";
      if (hasBook) yield event;
    }
  }

  /** The levels of one depth event after the other, straight from the columns. */
  *frameLevels(): Generator<Readonly<Record<Side, FlatLevels>>, never> {
    for (let copy = 0; ; copy += 1) {
      if (copy > 0) yield this.#seam;
      for (const block of this.#columns.blocks()) {
        for (let at = 0; at < block.count; at += 1) {
          const kind = block.kinds[at];
          if (kind !== eventKind.depth && !(kind === eventKind.book && copy === 0)) continue;
          const middle = block.asksFrom[at] ?? 0;
          const bids = block.flatLevels(block.levelFrom[at] ?? 0, middle);
          yield { bids, asks: block.flatLevels(middle, block.levelFrom[at + 1] ?? 0) };
        }
      }
    }
  }

  close(): void {
    this.#columns.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #moved(event: MarketEvent, copy: number, marketId: MarketId): MarketEvent {
    const { ms, ids, firstId } = this.#span;
    const atMs = unixMs(event.atMs + copy * ms);
    if (event.type === "trade") {
      const { tradeId, price, quantity, timeMs, isBuyerMaker } = event.trade;
      const trade = { marketId, tradeId, price, quantity, timeMs, isBuyerMaker };
      return { type: "trade", atMs, trade };
    }
    if (event.type === "depth") {
      const { timeMs, bids, asks } = event.event;
      const continues = Math.max(event.event.firstId, firstId + 1);
      const span = { firstId: continues + copy * ids, finalId: event.event.finalId + copy * ids };
      return { type: "depth", atMs, event: { marketId, ...span, timeMs, bids, asks } };
    }
    if (copy === 0) return { type: "book", atMs, snapshot: { ...event.snapshot, marketId } };
    const id = firstId + copy * ids;
    const { timeMs } = event.snapshot;
    const seam = { marketId, firstId: id, finalId: id, timeMs, ...this.#seam };
    return { type: "depth", atMs, event: seam };
  }
}

function columnsOf(folder: string | undefined): MarketColumns {
  const out = folder === undefined ? demo : path.join(folder, "set");
  if (folder !== undefined) {
    const files = readdirSync(shared).sort();
    const paths = files.map((file) => path.join(shared, file));
    importRecording(io, { format: "binance-raw", files: paths, out });
  }
  const opening = openAllCompiled(new Recording(io, out), () => undefined);
  let opened = opening.next();
  while (opened.done !== true) opened = opening.next();
  const [market] = new Recording(io, out).manifest.markets;
  const columns = market === undefined ? undefined : opened.value.market(market.marketId);
  if (columns === undefined) throw new Error("the recording has a market");
  return columns;
}

function put(held: Map<number, number>, levels: FlatLevels): void {
  for (const [price, quantity] of pairsOf(levels)) {
    if (quantity === 0) held.delete(price);
    else held.set(price, quantity);
  }
}

function* pairsOf(levels: FlatLevels): Generator<readonly [price: number, quantity: number]> {
  for (let at = 0; at < levels.length; at += 2) yield [levels[at] ?? 0, levels[at + 1] ?? 0];
}

function between(held: ReadonlyMap<number, number>, wanted: FlatLevels): FlatLevels {
  const book = new Map<number, number>();
  put(book, wanted);
  const changes: number[] = [];
  for (const price of held.keys()) if (!book.has(price)) changes.push(price, 0);
  for (const [price, quantity] of book) {
    if (held.get(price) !== quantity) changes.push(price, quantity);
  }
  return Float64Array.from(changes);
}
