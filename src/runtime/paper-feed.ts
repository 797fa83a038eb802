import { assert } from "../base/assert.ts";
import type { MarketId } from "../domain/ids.ts";
import { type BookFetcher, persistentBookFetcher } from "../gateway/book-fetcher.ts";
import { bookFrom } from "../gateway/from-wire.ts";
import { Streams, type StreamsOptions } from "../gateway/streams.ts";
import type { VenueClient } from "../gateway/venue-client.ts";
import type { Input } from "../kernel/input.ts";
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

  /** Checks signs that a depth channel is behind; one that is closes the feed and is subscribed to anew. */
  #judge(marketId: MarketId, depth: PublicDepth): void {
    const nowMs = this.#nowMs();
    if (depth.judge(nowMs) === "book") this.#fetcher.want(marketId);
    if (!depth.isBehind || !this.#isConnected) return;
    const reason = `the depth channel is behind: ${depth.reason}`;
    this.#close(reason);
    if (!depth.isProven) return;
    const attempt = depth.healing.attempt(nowMs);
    if (attempt === "resubscribe") this.#streams.resubscribe({ kind: "depth", marketId });
    else if (attempt === "reconnect") this.#streams.restart(reason);
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
        depth.audit(input.snapshot, this.#nowMs());
        const query = depth.sync.onAudit(input.snapshot);
        if (query !== undefined) {
          this.#lostSync("the book differs from the venue's", query.marketId);
        }
        return;
      }
      case "trade": {
        const { trade } = input;
        const depth = this.#depth(trade.marketId);
        depth.trade(trade, this.#nowMs());
        // Without a book a fill would be a guess. The next whole book fills the orders that it crosses.
        if (depth.sync.live === undefined) return;
        this.#emit(trade.marketId, { type: "trade", trade, atMs: this.#nowMs() }, receivedUs);
        return;
      }
      case "resubscribed": {
        if (input.channel.kind !== "depth") return;
        const query = this.#depth(input.channel.marketId).sync.onStream("opened");
        if (query !== undefined) this.#lostSync("subscribed anew", query.marketId);
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
        for (const { sync } of this.#depths.values()) {
          if (state === "closed") this.#fetcher.abort(sync.marketId);
          const query = sync.onStream(state);
          if (query !== undefined) this.#fetcher.want(query.marketId);
        }
        return;
      case "stalled":
        // REST shows whether the market is quiet or the stream is dead: a newer book than ours is applied.
        for (const marketId of this.#depths.keys()) this.#fetcher.want(marketId);
        return;
      case "alive":
        if (this.#isOpen) this.#options.events.alive();
    }
  }

  #onDepth({ event }: Extract<Input, { type: "depth" }>, receivedUs: number): void {
    const depth = this.#depth(event.marketId);
    depth.depth(event, this.#nowMs());
    const { sync } = depth;
    const { applied } = sync.counters;
    const wasLive = sync.live !== undefined;
    const query = sync.onDepth(event);
    if (query !== undefined) {
      if (wasLive) this.#lostSync("a gap in the depth events", query.marketId);
      else this.#fetcher.want(query.marketId);
    } else if (sync.counters.applied > applied) {
      this.#emit(event.marketId, { type: "depth", event, atMs: this.#nowMs() }, receivedUs);
    }
  }

  #onBook({ snapshot }: Extract<Input, { type: "book" }>, receivedUs: number): void {
    const depth = this.#depth(snapshot.marketId);
    depth.book(snapshot, this.#nowMs());
    const { sync } = depth;
    const before = sync.live === undefined ? undefined : sync.lastId;
    const query = sync.onSnapshot(snapshot);
    if (query !== undefined) this.#fetcher.want(query.marketId);
    const book = sync.live;
    if (book === undefined || sync.lastId === before) return;
    const { marketId, timeMs } = snapshot;
    const synced = { marketId, timeMs, lastId: sync.lastId, ...book.levels() };
    this.#emit(marketId, { type: "book", snapshot: synced, atMs: this.#nowMs() }, receivedUs);
  }

  #lostSync(reason: string, marketId: MarketId): void {
    this.#options.log.warn({ marketId, reason }, "resyncing the public book");
    this.#close(reason);
    this.#fetcher.want(marketId);
  }

  #openIfSynced(): void {
    if (this.#isOpen || !this.#isConnected) return;
    for (const { isCurrent } of this.#depths.values()) if (!isCurrent) return;
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
