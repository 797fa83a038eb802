import { assert } from "../base/assert.ts";
import type { MarketId } from "../domain/ids.ts";
import { type BookFetcher, persistentBookFetcher } from "../gateway/book-fetcher.ts";
import { bookFrom } from "../gateway/from-wire.ts";
import { Streams, type StreamsOptions } from "../gateway/streams.ts";
import type { VenueClient } from "../gateway/venue-client.ts";
import type { Input } from "../kernel/input.ts";
import { goesThrough } from "../kernel/market-data.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { PublicDepth } from "./public-depth.ts";

/** Callbacks of a feed, called in order. */
export interface FeedEvents {
  /** An event of a market whose book is in sync. */
  market(marketId: MarketId, event: MarketEvent, receivedUs: number): void;
  /** Every market is in sync. */
  opened(): void;
  /** Some market has lost sync; until the next `opened` the events are incomplete. */
  closed(reason: string): void;
  /** The connection answers. */
  alive(): void;
}

export interface PaperFeedOptions
  extends Omit<StreamsOptions, "owner" | "push" | "decoder" | "markets"> {
  readonly client: VenueClient;
  readonly markets: readonly MarketId[];
  readonly events: FeedEvents;
}

/**
 * Turns a venue's public data into events of markets whose books are in sync. It reads the public channels, and whole books
 * over REST where §6.3 requires them; it sends nothing else.
 */
export class PaperFeed {
  readonly #options: PaperFeedOptions;
  readonly #depths: ReadonlyMap<MarketId, PublicDepth>;
  readonly #streams: Streams;
  readonly #fetcher: BookFetcher;
  #isConnected = false;
  #isOpen = false;

  constructor(options: PaperFeedOptions) {
    const { client, markets, events: _, ...streams } = options;
    this.#options = options;
    this.#depths = new Map(markets.map((marketId) => [marketId, new PublicDepth(marketId)]));
    this.#fetcher = persistentBookFetcher({
      client,
      timer: options.timer,
      log: options.log,
      fetched: (marketId, book) => {
        this.#take(
          { type: "book", snapshot: bookFrom(marketId, book) },
          options.clock.monotonicUs(),
        );
      },
    });
    this.#streams = new Streams({
      ...streams,
      markets,
      owner: undefined,
      push: (input, receivedUs) => this.#take(input, receivedUs),
    });
  }

  start(): void {
    this.#streams.start();
  }

  stop(): void {
    this.#streams.stop();
    this.#fetcher.close();
  }

  #take(input: Input, receivedUs: number): void {
    this.#apply(input, receivedUs);
    for (const [marketId, depth] of this.#depths) this.#judge(marketId, depth);
    this.#openIfSynced();
  }

  /** Reads a book that is suspect, closes the feed when it is old, and brings back the channel of one that had to be corrected again. */
  #judge(marketId: MarketId, depth: PublicDepth): void {
    const nowMs = this.#nowMs();
    const { book, sync } = depth;
    book.settle(nowMs);
    const before = sync.lastId;
    if (book.replace(nowMs)) this.#emitTaken(depth, before);
    if (!this.#isConnected) return;
    if (depth.isReadDue(nowMs)) this.#want(depth);
    if (sync.live !== undefined && !depth.isCurrent(nowMs)) {
      this.#close(`nothing has shown the book: ${book.fresh.reason}`);
    }
    const attempt = depth.heal(nowMs);
    if (attempt === undefined) return;
    const reason = `the depth channel is behind: ${book.fresh.reason}`;
    this.#options.log.warn({ marketId, reason }, "bringing the depth channel back");
    if (attempt === "resubscribe") this.#streams.resubscribe({ kind: "depth", marketId });
    else this.#streams.restart(reason);
  }

  #want(depth: PublicDepth): void {
    depth.asked(this.#nowMs());
    this.#fetcher.want(depth.sync.marketId);
  }

  #apply(input: Input, receivedUs: number): void {
    switch (input.type) {
      case "stream":
        this.#onStream(input);
        return;
      case "depth":
        this.#onDepth(input, receivedUs);
        return;
      case "book":
        this.#onBook(input, receivedUs);
        return;
      case "depthAudit": {
        const depth = this.#depth(input.snapshot.marketId);
        const query = depth.book.snapshot(input.snapshot, this.#nowMs(), false);
        if (query !== undefined) this.#lostSync("the book differs from the venue's", depth);
        return;
      }
      case "trade": {
        const { trade } = input;
        const { sync, book } = this.#depth(trade.marketId);
        // Without a book a fill would be a guess. The next whole book fills the orders that it crosses.
        if (sync.live === undefined) return;
        if (goesThrough(sync.live, trade.price)) {
          book.fresh.suspect(this.#nowMs(), "a trade went through the book's touch");
        }
        this.#emit(trade.marketId, { type: "trade", trade, atMs: this.#nowMs() }, receivedUs);
        return;
      }
      case "resubscribed": {
        if (input.channel.kind !== "depth") return;
        const depth = this.#depth(input.channel.marketId);
        if (depth.sync.onStream("opened") !== undefined) this.#lostSync("subscribed anew", depth);
        return;
      }
      default:
        return;
    }
  }

  #onStream({ state, reason }: Extract<Input, { type: "stream" }>): void {
    switch (state) {
      case "opened":
      case "closed":
        this.#isConnected = state === "opened";
        this.#close(reason === "" ? "reconnected" : reason);
        for (const depth of this.#depths.values()) {
          if (state === "closed") this.#fetcher.abort(depth.sync.marketId);
          if (depth.sync.onStream(state) !== undefined) this.#want(depth);
        }
        return;
      case "stalled":
        // REST shows whether the market is quiet or the stream is dead: a newer book than ours is applied.
        for (const depth of this.#depths.values()) this.#want(depth);
        return;
      case "alive":
        if (this.#isOpen) this.#options.events.alive();
    }
  }

  #onDepth({ event }: Extract<Input, { type: "depth" }>, receivedUs: number): void {
    const depth = this.#depth(event.marketId);
    const { sync } = depth;
    const { applied } = sync.counters;
    const wasLive = sync.live !== undefined;
    const query = sync.onDepth(event);
    if (query !== undefined) {
      if (wasLive) this.#lostSync("a gap in the depth events", depth);
      else this.#want(depth);
    } else if (sync.counters.applied > applied) {
      this.#emit(event.marketId, { type: "depth", event, atMs: this.#nowMs() }, receivedUs);
    }
  }

  #onBook({ snapshot }: Extract<Input, { type: "book" }>, receivedUs: number): void {
    const depth = this.#depth(snapshot.marketId);
    const { sync } = depth;
    const before = sync.live === undefined ? undefined : sync.lastId;
    if (depth.read(snapshot, this.#nowMs())) this.#want(depth);
    this.#emitTaken(depth, before, receivedUs);
  }

  /** Emits the whole book when it was taken from REST: it is not at the id `before` any more. */
  #emitTaken(
    { sync }: PublicDepth,
    before: number | undefined,
    receivedUs = this.#options.clock.monotonicUs(),
  ): void {
    const { live, lastId, marketId } = sync;
    if (live === undefined || lastId === before) return;
    const atMs = this.#nowMs();
    const snapshot = { marketId, timeMs: atMs, lastId, ...live.levels() };
    this.#emit(marketId, { type: "book", snapshot, atMs }, receivedUs);
  }

  #lostSync(reason: string, depth: PublicDepth): void {
    this.#options.log.warn({ marketId: depth.sync.marketId, reason }, "resyncing the public book");
    this.#close(reason);
    this.#want(depth);
  }

  #openIfSynced(): void {
    if (this.#isOpen || !this.#isConnected) return;
    const nowMs = this.#nowMs();
    for (const depth of this.#depths.values()) if (!depth.isCurrent(nowMs)) return;
    this.#isOpen = true;
    this.#options.events.opened();
  }

  #close(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.events.closed(reason);
  }

  #emit(marketId: MarketId, event: MarketEvent, receivedUs: number): void {
    this.#options.events.market(marketId, event, receivedUs);
  }

  #nowMs(): MarketEvent["atMs"] {
    return this.#options.clock.nowMs();
  }

  #depth(marketId: MarketId): PublicDepth {
    const depth = this.#depths.get(marketId);
    assert(depth !== undefined, "the decoder passes only subscribed markets");
    return depth;
  }
}
