import type { MarketId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { ReadFile } from "../../ports/store.ts";
import { type CandleEvent, momentsOf } from "../candle.ts";
import type { MarketEvent } from "../market-event.ts";
import type { ReplayEvent } from "../recorded-gaps.ts";
import { ColumnBlock } from "./column-block.ts";
import { blockOffsets, type ColumnFooter, longestBlock } from "./column-file.ts";
import { eventKind } from "./event-kind.ts";

/** One market of a compiled recording. Any number of readers may read it at once. */
export class MarketColumns {
  readonly #file: ReadFile;
  readonly #footer: ColumnFooter;
  readonly #offsets: readonly number[];

  /** The checksums of `file` have been compared. */
  constructor(file: ReadFile, footer: ColumnFooter) {
    this.#file = file;
    this.#footer = footer;
    this.#offsets = blockOffsets(footer);
  }

  get marketId(): MarketId {
    return this.#footer.marketId as MarketId;
  }

  /** Names of the event files whose end is missing. */
  get tornFiles(): readonly string[] {
    return this.#footer.texts.flatMap(({ name, isTorn }) => (isTorn === true ? [name] : []));
  }

  /** Time of receipt of the last event, Unix milliseconds; 0 without events. */
  get endMs(): number {
    return this.#footer.endMs;
  }

  /** What the recording has of the market, and how much of it is left out. */
  get text(): ColumnFooter["text"] {
    return this.#footer.text;
  }

  /** Levels of all events; a trade counts as one. */
  get levels(): number {
    return this.#footer.levels;
  }

  /** Size of the file in bytes. */
  get bytes(): number {
    return this.#file.size;
  }

  /** The blocks in order. Each is valid until the next one is asked for, since its arrays are used again. */
  blocks(): Generator<ColumnBlock> {
    return this.#blocks(new ColumnBlock());
  }

  *#blocks(block: ColumnBlock): Generator<ColumnBlock> {
    const buffer = new Uint8Array(longestBlock(this.#footer));
    for (const [at, [size]] of this.#footer.blocks.entries()) {
      const bytes = buffer.subarray(0, size);
      this.#file.read(bytes, this.#offsets[at] ?? 0);
      block.decode(bytes);
      yield block;
    }
  }

  /** The same events as `Recording.syncedEvents`. */
  *syncedEvents(): Generator<MarketEvent> {
    for (const block of this.#blocks(new ColumnBlock({ keepsLevels: true }))) {
      for (let at = 0; at < block.count; at += 1) {
        const kind = block.kinds[at];
        if (kind === eventKind.gap || kind === eventKind.emptyBook) continue;
        if (kind === eventKind.candle) continue;
        yield this.#event(block, at);
      }
    }
  }

  /** The same events as `Recording.replayEvents`. */
  *replayEvents(): Generator<ReplayEvent> {
    for (const block of this.#blocks(new ColumnBlock({ keepsLevels: true }))) {
      for (let at = 0; at < block.count; at += 1) {
        const kind = block.kinds[at];
        if (kind === eventKind.hiddenTrade) continue;
        if (kind === eventKind.gap) yield { type: "gap", atMs: unixMs(block.atMs[at] ?? 0) };
        else if (kind === eventKind.candle) yield* momentsOf(this.#candle(block, at));
        else yield this.#event(block, at);
      }
    }
  }

  close(): void {
    this.#file.close();
  }

  #candle(block: ColumnBlock, at: number): CandleEvent {
    const { marketId } = this;
    const atMs = unixMs(block.atMs[at] ?? 0);
    const openMs = unixMs(block.timeMs[at] ?? 0);
    const from = block.levelFrom[at] ?? 0;
    const candle = {
      marketId,
      openMs,
      closeMs: atMs,
      open: block.price(from),
      high: block.price(from + 1),
      low: block.price(from + 2),
      close: block.price(from + 3),
      volume: block.quantity(from),
    };
    return { type: "candle", atMs, candle };
  }

  #event(block: ColumnBlock, at: number): MarketEvent {
    const { marketId } = this;
    const atMs = unixMs(block.atMs[at] ?? 0);
    const timeMs = unixMs(block.timeMs[at] ?? 0);
    const from = block.levelFrom[at] ?? 0;
    const kind = block.kinds[at];
    if (kind === eventKind.trade || kind === eventKind.hiddenTrade) {
      const trade = {
        marketId,
        tradeId: block.tradeId(at),
        price: block.price(from),
        quantity: block.quantity(from),
        timeMs,
        isBuyerMaker: block.isBuyerMaker[at] === 1,
      };
      return { type: "trade", atMs, trade };
    }
    const middle = block.asksFrom[at] ?? 0;
    const bids = block.flatLevels(from, middle);
    const asks = block.flatLevels(middle, block.levelFrom[at + 1] ?? 0);
    const finalId = block.finalId[at] ?? 0;
    if (kind !== eventKind.depth) {
      return { type: "book", atMs, snapshot: { marketId, lastId: finalId, timeMs, bids, asks } };
    }
    const firstId = block.firstId[at] ?? 0;
    return { type: "depth", atMs, event: { marketId, firstId, finalId, timeMs, bids, asks } };
  }
}
