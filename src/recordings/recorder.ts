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
  /** A whole book is wanted (§6.3.2); it comes back by `book`. The same market may be asked for again meanwhile. */
  requestBook(marketId: MarketId): void;
  /** What is told to people, as it is written down. */
  told?(news: RecorderMark): void;
}

export interface RecorderMark {
  readonly state: MarkState;
  /** Undefined: all markets. */
  readonly marketId: MarketId | undefined;
  readonly reason: string;
}

export interface RecorderCounts {
  readonly depthEvents: number;
  readonly levelChanges: number;
  readonly trades: number;
  readonly books: number;
  /** Places where ids were missing. */
  readonly gaps: number;
  /** Times the stream was lost. */
  readonly interruptions: number;
}

/** A recorder says that it is there so often: silence of the market is then known to be one. */
const ALIVE_US = 600_000_000;
const noLevels = new Float64Array();

/**
 * Writes down what a venue's public streams send, text as received, with the book that each stretch of depth begins with. It
 * follows the update ids as a bot would (§6.3) and asks for a new book where they break; who reads the recording then finds
 * the break, a mark that says so, and the book that heals it.
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

  /** Every channel is subscribed. */
  opened(atUs: number): void {
    this.#isOpen = true;
    this.#markAll("opened", "", atUs);
    for (const sync of this.#syncs.values()) this.#query(sync.onStream("opened"));
  }

  closed(reason: string, atUs: number): void {
    // Attempts to connect that fail are no news: nothing was lost by them.
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#counts.interruptions += 1;
    this.#markAll("closed", reason, atUs);
    for (const sync of this.#syncs.values()) sync.onStream("closed");
  }

  /** The stream's socket answered. */
  alive(atUs: number): void {
    if (atUs - this.#markedUs >= ALIVE_US) this.#markAll("alive", "", atUs);
  }

  /** Something came that could not be read: depth would show by its ids, a trade would not. */
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
      this.#options.told?.({ state: "gap", marketId, reason });
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

  /** A whole book; one that is too old for the events that came is not written, and asked for again. */
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
    if (state !== "alive") this.#options.told?.({ state, marketId: undefined, reason });
  }

  #mark(state: MarkState, marketId: MarketId, reason: string, atUs: number): void {
    const timeMs = unixMs(Math.floor(atUs / 1000));
    this.#append({ type: "mark", atUs, marketId, timeMs, state, reason: reason.slice(0, 200) });
  }

  #append(event: RecordedEvent): void {
    this.#options.writer.append(event);
  }
}
