import { BookSync } from "../book/book-sync.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";

type BookEvent = Extract<MarketEvent, { type: "book" }>;
type DepthStep = Extract<MarketEvent, { type: "depth" }>;
/** What a market's events say about the order in which they arrived. */
export interface BookSource {
  /** As in the manifest. Where ids are made, each snapshot is the book from its own time on. */
  readonly ids: RecordingMarket["ids"];
  /** The `lastId` of every snapshot of the market, in the order of receipt; not needed where ids are made. */
  readonly snapshotIds: readonly number[];
}

type Visit = (step: MarketEvent) => void;

/**
 * Replays one market's book by §6.3 with the hindsight of a recording: it knows which snapshots are still to come. Events that
 * a later snapshot can connect are held until it arrives. If there is no such snapshot, the book starts empty at the first
 * event (a cold start) or continues across the gap.
 */
export class SyncedBook {
  readonly #sync: BookSync;
  /** Whether each snapshot replaces the book. */
  readonly #takesAll: boolean;
  /** `lastId` of the snapshots still to come, in the order of receipt. */
  readonly #nextSnapshotIds: number[];
  /** The newest snapshot that arrived while the book was in sync. */
  #unusedSnapshot: BookEvent | undefined;
  #held: DepthStep[] = [];
  #applied = 0;

  constructor(marketId: MarketId, { ids, snapshotIds }: BookSource) {
    this.#sync = new BookSync(marketId, { oldRunMax: Number.POSITIVE_INFINITY });
    this.#takesAll = ids !== undefined;
    this.#nextSnapshotIds = this.#takesAll ? [] : [...snapshotIds];
  }

  /** Undefined before the first snapshot or event, and while a gap waits for its snapshot. */
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
   * Takes the next event of the recording. Calls `visit` for each snapshot loaded and each depth event applied, right after the
   * book changed, and for every trade.
   */
  take(event: MarketEvent, visit: Visit): void {
    if (event.type === "trade") visit(event);
    else if (event.type === "book") this.#takeBook(event, visit);
    else if (this.#sync.live === undefined) this.#hold(event, visit);
    else this.#takeDepth(event, visit);
  }

  /**
   * Call when the recorder lost the stream. The next snapshot replaces the book, even if the ids seem continuous because the
   * market has not moved. Without a later snapshot the book continues as it is.
   */
  interrupted(): void {
    if (this.#nextSnapshotIds.length === 0) return;
    this.#held = [];
    this.#unusedSnapshot = undefined;
    this.#sync.onStream("closed");
  }

  #takeBook(event: BookEvent, visit: Visit): void {
    this.#nextSnapshotIds.shift();
    if (this.#sync.live !== undefined && this.#takesAll) {
      if (event.snapshot.lastId >= this.#sync.lastId) this.#load(event, visit);
      return;
    }
    if (this.#sync.live !== undefined) {
      // Not needed in sync, and it may hold fewer levels than the book has.
      this.#unusedSnapshot = event;
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
      const closesGap = (lastId: number) => lastId + 1 >= event.firstId;
      const isGapClosed =
        this.#unusedSnapshot !== undefined && closesGap(this.#unusedSnapshot.snapshot.lastId);
      if (isGapClosed || this.#nextSnapshotIds.some(closesGap)) {
        this.#held = [step];
        this.#sync.onStream("closed");
        if (isGapClosed && this.#unusedSnapshot !== undefined)
          this.#load(this.#unusedSnapshot, visit);
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
    if (this.#nextSnapshotIds.some((lastId) => lastId + 1 >= firstId)) return;
    // A cold start: no snapshot tells what the book was.
    this.#begin({ lastId: firstId - 1, bids: new Float64Array(), asks: new Float64Array() });
    this.#release(visit);
  }

  #load(event: BookEvent, visit: Visit): void {
    this.#begin(event.snapshot);
    visit(event);
    this.#release(visit);
  }

  /** Continues across a gap that no snapshot closes, as if nothing were missing. */
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
