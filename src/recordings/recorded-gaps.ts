import type { UnixMs } from "../domain/time.ts";
import type { CandleEvent, CandleOpen } from "./candle.ts";
import type { RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";

/** From here until the market's next `book` event, its book is not known. */
export interface RecordedGap {
  readonly type: "gap";
  readonly atMs: UnixMs;
}

/** An event of a market as a replay plays it. */
export type ReplayEvent = MarketEvent | RecordedGap | CandleOpen | CandleEvent;

/** An event that moves a market; a gap does not. */
export type PlayedEvent = Exclude<ReplayEvent, RecordedGap>;

/**
 * A trade changes the book, so depth follows it, at the latest after its channel's interval. Where trades go on for longer than this without
 * any depth, the source has none. The limit of the rule `stale-book` is as long.
 */
const DEPTH_FOLLOWS_MS = 10_000;

/** Tells where depth is missing in a source without update ids. */
export class DepthSilence {
  #newest: MarketEvent | undefined;
  #firstTradeMs: UnixMs | undefined;
  #newestTradeMs: UnixMs | undefined;

  /** Takes the market's next event. */
  take(event: MarketEvent): void {
    const { type, atMs } = event;
    if (type !== "trade") {
      this.#newest = event;
      this.#firstTradeMs = undefined;
    } else if (this.#newest !== undefined) {
      this.#firstTradeMs ??= atMs;
      this.#newestTradeMs = atMs;
    }
  }

  /**
   * Whether depth is missing before the next event: trades have gone on without any, or a snapshot follows a change so late that the
   * source was away. Where snapshots follow one another, each is the whole book, however far apart they are.
   */
  isGapBefore({ type, atMs }: MarketEvent): boolean {
    const newest = this.#newest;
    if (type === "book" && newest?.type === "book") return false;
    const isReconnect = type === "book" && newest?.type === "depth";
    return this.lacksDepth || (isReconnect && atMs - newest.atMs > DEPTH_FOLLOWS_MS);
  }

  /** Whether trades have gone on after the newest depth event or book for so long that depth is missing. */
  get lacksDepth(): boolean {
    if (this.#firstTradeMs === undefined || this.#newestTradeMs === undefined) return false;
    return this.#newestTradeMs - this.#firstTradeMs > DEPTH_FOLLOWS_MS;
  }
}

/** An event, and whether only the synced events or only a replay has it. */
export interface GapStep {
  readonly event: MarketEvent | RecordedGap;
  readonly only?: "synced" | "replay";
}

/**
 * Marks each gap of one market's synced events where it begins, right after the last depth event before it. A gap ends with a `book`
 * event: the snapshot that replaces the book, or without one an empty book at the next depth event, as at a cold start, since levels from
 * before the gap may be long gone. In a source without update ids a snapshot may also stand where no gap is. A replay leaves out trades inside a gap: what they filled depends on a book that is not known. Where
 * depth ends long before the trades, as in a source whose files have different lengths, the rest is a gap without an end; where ids prove
 * nothing, so is a stretch before later depth, with that as its end.
 */
export class GapMarker {
  readonly #ids: RecordingMarket["ids"];
  #last: { readonly atMs: UnixMs; readonly id: number } | undefined;
  /** Trades since the last depth event: whether they count is known only with the next one. */
  #trades: MarketEvent[] = [];
  readonly #silence = new DepthSilence();

  /** `ids`: of the market, as in the manifest. */
  constructor(ids: RecordingMarket["ids"]) {
    this.#ids = ids;
  }

  /** Takes the next event; returns what is known by now, in order. */
  take(event: MarketEvent): readonly GapStep[] {
    const last = this.#last;
    if (event.type === "trade") {
      if (last === undefined) return [{ event }];
      this.#silence.take(event);
      this.#trades.push(event);
      return [];
    }
    const isGap = last !== undefined && this.#isGap(event, last.id);
    this.#silence.take(event);
    const steps: GapStep[] = [];
    if (last !== undefined && isGap) {
      steps.push(...this.#gapAfter(last.atMs));
      if (event.type === "depth") steps.push({ event: emptyBook(event), only: "replay" });
    } else steps.push(...this.#counted());
    steps.push({ event });
    const id = event.type === "book" ? event.snapshot.lastId : event.event.finalId;
    this.#last = { atMs: event.atMs, id };
    return steps;
  }

  /** The trades after the last depth event. */
  end(): readonly GapStep[] {
    if (this.#last === undefined) return [];
    const isGap = this.#ids !== "sparse" && this.#silence.lacksDepth;
    return isGap ? this.#gapAfter(this.#last.atMs) : this.#counted();
  }

  #isGap(event: Exclude<MarketEvent, { type: "trade" }>, lastId: number): boolean {
    if (this.#ids === "made") return this.#silence.isGapBefore(event);
    if (this.#ids === "sparse") return false;
    return event.type === "book" || event.event.firstId > lastId + 1;
  }

  /** The book is unknown after `atMs`, and the trades since then do not count. */
  #gapAfter(atMs: UnixMs): readonly GapStep[] {
    const trades = this.#trades.map((event): GapStep => ({ event, only: "synced" }));
    this.#trades = [];
    return [{ event: { type: "gap", atMs }, only: "replay" }, ...trades];
  }

  #counted(): readonly GapStep[] {
    const steps = this.#trades.map((event) => ({ event }));
    this.#trades = [];
    return steps;
  }
}

/** The events of a replay; see `GapMarker`. */
export function* withGaps(
  events: Iterable<MarketEvent>,
  ids: RecordingMarket["ids"],
): Generator<MarketEvent | RecordedGap> {
  const marker = new GapMarker(ids);
  for (const each of events) {
    for (const { event, only } of marker.take(each)) if (only !== "synced") yield event;
  }
  for (const { event, only } of marker.end()) if (only !== "synced") yield event;
}

function emptyBook({ atMs, event }: Extract<MarketEvent, { type: "depth" }>): MarketEvent {
  const { marketId, firstId, timeMs } = event;
  const none = new Float64Array();
  return {
    type: "book",
    atMs,
    snapshot: { marketId, lastId: firstId - 1, timeMs, bids: none, asks: none },
  };
}
