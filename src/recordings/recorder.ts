import { BookSync, type BookQuery } from "../book/book-sync.ts";
import type { DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { Channels } from "../spec/channels.ts";
import type { WireOrderBook } from "../spec/endpoints/depth.ts";
import type { WirePublicTrade } from "../spec/resources.ts";
import type { MarkState, RecordedEvent } from "./recorded-event.ts";
import type { RecordingWriter } from "./recording-writer.ts";

export interface RecorderOptions {
  readonly writer: Pick<RecordingWriter, "append">;
  readonly markets: readonly MarketId[];
  /** Requests a snapshot (§6.3.2), to be passed to `book`. May be called again for a market whose request is still open. */
  requestBook(marketId: MarketId): void;
  /** Called for every mark that a user should see. */
  onMark?(mark: RecorderMark): void;
}

export interface RecorderMark {
  readonly state: MarkState;
  /** Undefined: the mark concerns all markets. */
  readonly marketId: MarketId | undefined;
  readonly reason: string;
}

export interface RecorderCounts {
  readonly depthEvents: number;
  readonly levelChanges: number;
  readonly trades: number;
  readonly books: number;
  /** How often depth ids were missing. */
  readonly gaps: number;
  /** How often the stream was lost. */
  readonly interruptions: number;
}

/** Interval of `alive` marks, which distinguish a quiet market from a dead recorder. */
const ALIVE_US = 600_000_000;
const noLevels = new Float64Array();

/**
 * Writes a venue's public streams as received, with a snapshot at the start of each stretch of depth. It follows the update ids
 * as a bot does (§6.3). When they break, it writes a mark and requests a new snapshot, which a reader then finds in the
 * recording.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #syncs: ReadonlyMap<string, BookSync>;
  readonly #counts = {
    depthEvents: 0,
    levelChanges: 0,
    trades: 0,
    books: 0,
    gaps: 0,
    interruptions: 0,
  };
  #markedUs = 0;
  #isOpen = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#syncs = new Map(
      options.markets.map((marketId) => [marketId as string, new BookSync(marketId)]),
    );
  }

  get counts(): RecorderCounts {
    return this.#counts;
  }

  /** Call when every channel is subscribed. */
  opened(atUs: number): void {
    this.#isOpen = true;
    this.#markAll("opened", "", atUs);
    for (const sync of this.#syncs.values()) this.#query(sync.onStream("opened"));
  }

  closed(reason: string, atUs: number): void {
    // A failed attempt to connect loses nothing.
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#counts.interruptions += 1;
    this.#markAll("closed", reason, atUs);
    for (const sync of this.#syncs.values()) sync.onStream("closed");
  }

  /** Call when the stream's socket answered a ping. */
  alive(atUs: number): void {
    if (atUs - this.#markedUs >= ALIVE_US) this.#markAll("alive", "", atUs);
  }

  /** Call when a message could not be read. A lost depth event shows in the ids, a lost trade does not. */
  unreadable(reason: string, atUs: number): void {
    if (!this.#isOpen) return;
    this.#markAll("gap", `a message could not be read: ${reason}`, atUs);
  }

  depth(payload: PayloadOf<Channels["depth"]>, atUs: number): void {
    const sync = this.#syncs.get(payload.marketId);
    if (sync === undefined) return;
    const { marketId } = sync;
    const { firstId, finalId, bids, asks } = payload;
    const timeMs = unixMs(payload.time);
    this.#counts.depthEvents += 1;
    this.#counts.levelChanges += bids.length + asks.length;
    const gapsBefore = sync.counters.gaps;
    // Ids are enough to follow the chain.
    const ids: DepthEvent = { marketId, firstId, finalId, timeMs, bids: noLevels, asks: noLevels };
    const query = sync.onDepth(ids);
    if (sync.counters.gaps > gapsBefore) {
      this.#counts.gaps += 1;
      const reason = `depth ids are missing before ${firstId}`;
      this.#mark("gap", marketId, reason, atUs);
      this.#options.onMark?.({ state: "gap", marketId, reason });
    }
    this.#append({ type: "depth", atUs, marketId, timeMs, firstId, finalId, bids, asks });
    this.#query(query);
  }

  trade(payload: WirePublicTrade, atUs: number): void {
    const sync = this.#syncs.get(payload.marketId);
    if (sync === undefined) return;
    const { tradeId, price, quantity, isBuyerMaker, buyOrderId, sellOrderId } = payload;
    this.#counts.trades += 1;
    this.#append({
      type: "trade",
      atUs,
      marketId: sync.marketId,
      timeMs: unixMs(payload.createdAt),
      tradeId,
      price,
      quantity,
      isBuyerMaker,
      buyOrderId,
      sellOrderId,
    });
  }

  /** Takes a snapshot. One that is too old for the held depth events is dropped and requested again. */
  book(marketId: MarketId, wire: WireOrderBook, atUs: number): void {
    const sync = this.#syncs.get(marketId);
    if (sync === undefined || sync.state !== "syncing") return;
    const { lastUpdatedId: lastId } = wire;
    const timeMs = unixMs(wire.updatedAt);
    const query = sync.onSnapshot({ marketId, lastId, timeMs, bids: noLevels, asks: noLevels });
    if (query !== undefined) {
      this.#query(query);
      return;
    }
    const texts = (levels: WireOrderBook["bids"]) =>
      levels.map(({ price, quantity }) => [price, quantity] as const);
    this.#counts.books += 1;
    this.#append({
      type: "book",
      atUs,
      marketId,
      timeMs,
      lastId,
      bids: texts(wire.bids),
      asks: texts(wire.asks),
    });
  }

  #query(query: BookQuery | undefined): void {
    if (query !== undefined) this.#options.requestBook(query.marketId);
  }

  #markAll(state: MarkState, reason: string, atUs: number): void {
    this.#markedUs = atUs;
    for (const { marketId } of this.#syncs.values()) this.#mark(state, marketId, reason, atUs);
    if (state !== "alive") this.#options.onMark?.({ state, marketId: undefined, reason });
  }

  #mark(state: MarkState, marketId: MarketId, reason: string, atUs: number): void {
    const timeMs = unixMs(Math.floor(atUs / 1000));
    this.#append({ type: "mark", atUs, marketId, timeMs, state, reason: reason.slice(0, 200) });
  }

  #append(event: RecordedEvent): void {
    this.#options.writer.append(event);
  }
}
