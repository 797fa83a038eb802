import { BookSync, type BookQuery } from "../book/book-sync.ts";
import { BookLessOwn, type ViewLevel } from "../book/book-view.ts";
import { TouchlineError, TransportError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { BookFetcher } from "../gateway/book-fetcher.ts";
import { bookFrom, depthFrom } from "../gateway/from-wire.ts";
import { VenueError } from "../gateway/venue-error.ts";
import type { StreamTiming } from "../gateway/stream-timing.ts";
import type { Timer } from "../ports/clock.ts";
import { depth } from "../spec/endpoints/depth.ts";
import { callVenue, type VenueConnection } from "./call.ts";
import type { Subscription, VenueStream } from "./venue-stream.ts";

export type BookLevel = ViewLevel;

export interface BookOptions {
  /** Levels a side of the snapshot, up to 5000. Default 1000. */
  readonly limit?: number;
  /** Closes the book, as `close` does. */
  readonly signal?: AbortSignal | undefined;
}

/** A book in sync. It is valid only until the next message, so read it at once and do not keep it. */
export interface LiveBook {
  readonly marketId: string;
  /** Id of the last update that is applied. */
  readonly lastId: number;
  /** The best level of this side: the highest bid or the lowest ask; undefined when the side is empty. */
  best(side: Side): BookLevel | undefined;
  /** Up to `count` levels, best first. */
  levels(side: Side, count: number): readonly BookLevel[];
  /** (best bid + best ask) / 2; undefined when a side is empty. */
  readonly mid: number | undefined;
  /** Best ask − best bid; undefined when a side is empty. */
  readonly spread: number | undefined;
  /** Mid weighted by the opposite side's quantity at the touch; undefined when a side is empty. */
  readonly weightedMid: number | undefined;
}

/**
 * One market's book, kept in sync as in §6.3: it buffers events, fetches a snapshot and applies the events after it, and repeats
 * that after a gap or a lost connection. Iterating gives the live book after each change, or only the newest one to a slow reader.
 * It gives nothing while the book is out of sync, ends with `close`, and throws when the venue refuses the market.
 */
export interface LocalBook extends AsyncIterable<LiveBook> {
  /** Undefined while the book is out of sync, so that nobody reads a stale book. */
  readonly live: LiveBook | undefined;
  /** Resolves when the book is first in sync; rejects when the venue refuses the market or the book is closed before that. */
  readonly opened: Promise<void>;
  /** Ends the subscription. Leaving a loop over the book does not close it. */
  close(): void;
  /** Same as `close`, for `using`. */
  [Symbol.dispose](): void;
}

interface BookParts {
  readonly stream: VenueStream;
  readonly venue: VenueConnection;
  readonly timer: Timer;
  readonly timing: Pick<StreamTiming, "backoffMs" | "backoffMaxMs">;
}

const LEVELS = 1_000;

export class SyncedLocalBook implements LocalBook {
  readonly opened: Promise<void>;
  readonly #sync: BookSync;
  readonly #reader: SyncReader;
  readonly #subscription: Subscription;
  readonly #over = new AbortController();
  readonly #fetcher: BookFetcher;
  #failure: TouchlineError | undefined;
  #changes = 0;
  #wake: () => void = () => undefined;
  #waking: Promise<void> | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: TouchlineError) => void = () => undefined;

  constructor(parts: BookParts, marketId: string, options: BookOptions = {}) {
    const { venue, timer, timing } = parts;
    const { limit = LEVELS, signal } = options;
    this.#sync = new BookSync(marketId as MarketId);
    this.#reader = new SyncReader(this.#sync);
    this.opened = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that does not await `opened` gets the error from the iteration.
    this.opened.catch(() => undefined);
    this.#fetcher = new BookFetcher({
      fetch: (market, ended) =>
        callVenue(venue, depth, { marketId: market, limit }, { signal: ended }),
      timer,
      timing,
      fetched: (market, wire) => {
        this.#want(this.#sync.onSnapshot(bookFrom(market, wire)));
        this.#changed();
      },
      failed: (_, error) => {
        if (isTemporary(error)) return true;
        this.#fail(asTouchlineError(error));
        return false;
      },
    });
    this.#subscription = parts.stream.subscribe("depth", marketId, {
      message: (payload) => {
        if (payload.marketId !== marketId)
          return this.#fail(wrongMarket(marketId, payload.marketId));
        this.#want(this.#sync.onDepth(depthFrom(payload)));
        this.#changed();
      },
      opened: () => this.#want(this.#sync.onStream("opened")),
      closed: () => {
        this.#fetcher.abort(this.#sync.marketId);
        this.#sync.onStream("closed");
      },
    });
    this.#subscription.opened.catch((error: unknown) => {
      if (error instanceof VenueError) this.#fail(error);
    });
    if (signal?.aborted === true) this.close();
    else signal?.addEventListener("abort", () => this.close(), { signal: this.#over.signal });
  }

  get live(): LiveBook | undefined {
    return this.#sync.live === undefined ? undefined : this.#reader;
  }

  close(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#fetcher.close();
    this.#subscription.close();
    this.#sync.onStream("closed");
    this.#reject(new TouchlineError("BOOK_CLOSED", "The book was closed before it was in sync."));
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveBook, void, undefined> {
    let seen = -1;
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#over.signal.aborted) return;
      const { live } = this;
      if (live !== undefined && this.#changes !== seen) {
        seen = this.#changes;
        yield live;
      } else {
        await this.#nextWake();
      }
    }
  }

  /** All waiting readers share one promise. */
  #nextWake(): Promise<void> {
    this.#waking ??= new Promise((resolve) => {
      this.#wake = () => {
        this.#waking = undefined;
        resolve();
      };
    });
    return this.#waking;
  }

  #changed(): void {
    if (this.#sync.live === undefined) return;
    this.#changes += 1;
    this.#resolve();
    this.#wake();
  }

  #fail(error: TouchlineError): void {
    this.#failure ??= error;
    this.#reject(error);
    this.close();
  }

  #want(query: BookQuery | undefined): void {
    if (query !== undefined) this.#fetcher.want(query.marketId);
  }
}

function wrongMarket(marketId: string, sent: string): TouchlineError {
  const message = `The venue sent events of ${sent} on the channel of ${marketId}.`;
  return new TouchlineError("BOOK_FAILED", message);
}

/** Another attempt may succeed. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof TransportError ||
    (error instanceof VenueError && error.reason === "rateLimited")
  );
}

function asTouchlineError(error: unknown): TouchlineError {
  if (error instanceof TouchlineError) return error;
  const message = errorText(error);
  return new TouchlineError("BOOK_FAILED", `The book cannot be kept: ${message}`, { cause: error });
}

/** Reads the live book. It throws `BOOK_STALE` while the book is out of sync. */
class SyncReader implements LiveBook {
  readonly #sync: BookSync;
  /** Made once, since `BookSync` keeps the same book for life. */
  #view: BookLessOwn | undefined;

  constructor(sync: BookSync) {
    this.#sync = sync;
  }

  get marketId(): string {
    return this.#sync.marketId;
  }

  get lastId(): number {
    this.#live();
    return this.#sync.lastId;
  }

  best(side: Side): BookLevel | undefined {
    return this.#live().best(side);
  }

  levels(side: Side, count: number): readonly BookLevel[] {
    return this.#live().levels(side, count);
  }

  get mid(): number | undefined {
    return this.#live().mid;
  }

  get spread(): number | undefined {
    return this.#live().spread;
  }

  get weightedMid(): number | undefined {
    return this.#live().weightedMid;
  }

  #live(): BookLessOwn {
    const book = this.#sync.live;
    if (book === undefined) {
      throw new TouchlineError(
        "BOOK_STALE",
        `The book of ${this.#sync.marketId} is not in sync now.`,
        {
          hint: "Read `book.live` for every use; it is undefined until the book is in sync again.",
        },
      );
    }
    this.#view ??= new BookLessOwn(book, () => 0);
    return this.#view;
  }
}
