import { BookSync, type BookQuery } from "../book/book-sync.ts";
import { BookLessOwn, type ViewLevel } from "../book/book-view.ts";
import { TouchlineError, TransportError } from "../base/error.ts";
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
  /** Ends it, as `close` does. */
  readonly signal?: AbortSignal | undefined;
}

/** A book that is in sync. Good until the next message: read it at once, do not keep it. Prices and quantities are numbers. */
export interface LiveBook {
  readonly marketId: string;
  /** Id of the last update in it. */
  readonly lastId: number;
  /** Where orders of this side rest: the highest bid, the lowest ask; undefined when there is none. */
  best(side: Side): BookLevel | undefined;
  /** Up to `count` levels, best first. */
  levels(side: Side, count: number): readonly BookLevel[];
  /** (best bid + best ask) / 2; undefined when a side is empty. */
  readonly mid: number | undefined;
  /** Best ask − best bid; undefined as `mid`. */
  readonly spread: number | undefined;
  /** Mid weighted by the opposite side's quantity at the touch; undefined as `mid`. */
  readonly microprice: number | undefined;
}

/**
 * One market's book kept in sync as §6.3 says: events buffered, a snapshot, events after it; after a gap or a lost connection the
 * same again. Iterating gives the live book after each change, the newest one only when the reader is slow, and nothing while it
 * is being synced; it ends with `close` and throws when the venue refuses the market.
 */
export interface LocalBook extends AsyncIterable<LiveBook> {
  /** Undefined while it is not in sync: what is stale cannot be read. */
  readonly live: LiveBook | undefined;
  /** Resolves when it is in sync for the first time; rejects when the venue refuses the market, or when it was closed before. */
  readonly opened: Promise<void>;
  /** Leaving a loop over it leaves it open. */
  close(): void;
  /** `close`, for `using`. */
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
    // Who does not wait for it iterates.
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
        if (isPassing(error)) return true;
        this.#fail(asTouchlineError(error));
        return false;
      },
    });
    this.#subscription = parts.stream.subscribe("depth", marketId, {
      message: (payload) => {
        if (payload.marketId !== marketId) return this.#fail(ofAnother(marketId, payload.marketId));
        this.#want(this.#sync.onDepth(depthFrom(payload)));
        this.#changed();
      },
      opened: () => this.#want(this.#sync.onStream("opened")),
      closed: () => {
        this.#fetcher.giveUp(this.#sync.marketId);
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

  /** Readers that wait share one promise. */
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

function ofAnother(marketId: string, sent: string): TouchlineError {
  return new TouchlineError("BOOK_FAILED", `The venue sent events of ${sent} as ${marketId}'s.`);
}

/** What another try may mend. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof TransportError ||
    (error instanceof VenueError && error.reason === "rateLimited")
  );
}

function asTouchlineError(error: unknown): TouchlineError {
  if (error instanceof TouchlineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new TouchlineError("BOOK_FAILED", `The book cannot be kept: ${message}`, { cause: error });
}

/** Reads the live book; a reader kept over a gap throws `BOOK_STALE` rather than show what was. */
class SyncReader implements LiveBook {
  readonly #sync: BookSync;
  /** The machine keeps one book, so one view of it serves for good. */
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

  get microprice(): number | undefined {
    return this.#live().microprice;
  }

  #live(): BookLessOwn {
    const book = this.#sync.live;
    if (book === undefined) {
      throw new TouchlineError(
        "BOOK_STALE",
        `The book of ${this.#sync.marketId} is not in sync now.`,
        {
          hint: "Ask `book.live` anew each time; it is undefined until the book is in sync again.",
        },
      );
    }
    this.#view ??= new BookLessOwn(book, nothingOwn);
    return this.#view;
  }
}

function nothingOwn(): number {
  return 0;
}
