import { BookSync } from "../book/book-sync.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { MarketEvent } from "./market-event.ts";

type BookEvent = Extract<MarketEvent, { type: "book" }>;
type DepthStep = Extract<MarketEvent, { type: "depth" }>;
type Visit = (step: MarketEvent) => void;

/**
 * One market's book replayed by §6.3, with the hindsight that a recording allows: it knows which snapshots are still to
 * come. It waits, holding events, where one of them will do. Where none will, it begins empty at the first event (a cold
 * start), or goes on over a gap with the book that it has.
 */
export class SyncedBook {
  readonly #sync: BookSync;
  /** `lastId` of the snapshots still to come, in the order of their receipt. */
  readonly #coming: number[];
  /** The newest snapshot that was not needed when it came. */
  #spare: BookEvent | undefined;
  #held: DepthStep[] = [];
  #applied = 0;

  constructor(marketId: MarketId, snapshotIds: readonly number[]) {
    this.#sync = new BookSync(marketId, { oldRunMax: Number.POSITIVE_INFINITY });
    this.#coming = [...snapshotIds];
  }

  /** Undefined until the first snapshot or event, and while a gap waits for its snapshot. */
  get book(): ReadableBook | undefined {
    return this.#sync.live;
  }

  get lastId(): number {
    return this.#sync.lastId;
  }

  /** Depth events applied so far. */
  get applied(): number {
    return this.#applied;
  }

  /**
   * Takes the next event of the recording and calls `visit` for everything that changed the book, right after it did: each
   * snapshot that was loaded and each depth event that was applied. Trades are passed on as they come.
   */
  take(event: MarketEvent, visit: Visit): void {
    if (event.type === "trade") visit(event);
    else if (event.type === "book") this.#takeBook(event, visit);
    else if (this.#sync.live === undefined) this.#hold(event, visit);
    else this.#takeDepth(event, visit);
  }

  /**
   * The recorder lost the stream here: the next snapshot makes the book anew, even when the ids look as if nothing were missing
   * until the market moves again. Without one to come the book goes on as it is.
   */
  interrupted(): void {
    if (this.#coming.length === 0) return;
    this.#held = [];
    this.#spare = undefined;
    this.#sync.onStream("closed");
  }

  #takeBook(event: BookEvent, visit: Visit): void {
    this.#coming.shift();
    if (this.#sync.live !== undefined) {
      // In sync there is no need for it, and it may hold fewer levels than we know.
      this.#spare = event;
      return;
    }
    const first = this.#held[0];
    if (first !== undefined && event.snapshot.lastId + 1 < first.event.firstId) return;
    this.#load(event, visit);
  }

  #takeDepth(step: DepthStep, visit: Visit): void {
    const { event } = step;
    if (event.finalId <= this.#sync.lastId) return;
    if (!this.#sync.continues(event)) {
      const heals = (lastId: number) => lastId + 1 >= event.firstId;
      const isHealed = this.#spare !== undefined && heals(this.#spare.snapshot.lastId);
      if (isHealed || this.#coming.some(heals)) {
        this.#held = [step];
        this.#sync.onStream("closed");
        if (isHealed && this.#spare !== undefined) this.#load(this.#spare, visit);
        return;
      }
      this.#bridge(event);
    }
    this.#sync.onDepth(event);
    this.#applied += 1;
    visit(step);
  }

  #hold(step: DepthStep, visit: Visit): void {
    const last = this.#held.at(-1)?.event;
    if (last !== undefined && step.event.finalId <= last.finalId) return;
    const isGap = last !== undefined && step.event.firstId !== last.finalId + 1;
    if (isGap) this.#held = [];
    this.#held.push(step);
    const { firstId } = this.#held[0]?.event ?? step.event;
    if (this.#coming.some((lastId) => lastId + 1 >= firstId)) return;
    // A cold start: nothing that comes can tell what the book was.
    this.#begin({ lastId: firstId - 1, bids: new Float64Array(), asks: new Float64Array() });
    this.#release(visit);
  }

  #load(event: BookEvent, visit: Visit): void {
    this.#begin(event.snapshot);
    visit(event);
    this.#release(visit);
  }

  /** Goes on over a gap that nothing heals, as if nothing were missing. */
  #bridge(event: DepthEvent): void {
    const levels = this.#sync.live?.levels();
    if (levels !== undefined) this.#begin({ ...levels, lastId: event.firstId - 1 });
  }

  #begin(book: Pick<DepthEvent, "bids" | "asks"> & { readonly lastId: number }): void {
    const { marketId } = this.#sync;
    this.#sync.onStream("closed");
    this.#sync.onStream("opened");
    this.#sync.onSnapshot({ marketId, timeMs: unixMs(0), ...book });
  }

  #release(visit: Visit): void {
    const held = this.#held;
    this.#held = [];
    for (const step of held) this.#takeDepth(step, visit);
  }
}
