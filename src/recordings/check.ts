import { bestText, bookLines, gridBestText } from "../book/book-lines.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Compression } from "../ports/compression.ts";
import { DefectList, type PlacedDefect } from "./defect-list.ts";
import type { RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketInspector } from "./market-inspector.ts";
import type { PlacedEvent, Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { EVENTS_PER_STEP, finish, type Steps } from "./steps.ts";
import { SyncedBook } from "./synced-book.ts";

type LevelText = readonly [price: string, quantity: string];

/** A book as `expected/` of the shared recordings writes it; hashes are the first 32 hex digits of SHA-256. */
export interface BookCheckpoint {
  readonly firstId: number | null;
  readonly finalId: number | null;
  /** Exchange time of the last applied event. */
  readonly time: number | null;
  readonly bestBid: LevelText | null;
  readonly bestAsk: LevelText | null;
  readonly bidLevels: number | null;
  readonly askLevels: number | null;
  readonly top20: string | null;
  readonly top100: string | null;
  readonly full: string | null;
  /** Best levels on the venue's price grid. */
  readonly gridBid: LevelText | null;
  readonly gridAsk: LevelText | null;
}

/** The line that `recording check --json` prints for a market. */
export interface CheckLine extends BookCheckpoint {
  readonly event: "recording.check";
  readonly market: string;
  readonly symbol: string;
  readonly depthEvents: number;
  readonly levelChanges: number;
  readonly trades: number;
  readonly applied: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly tradeGaps: number;
  readonly tradeDuplicates: number;
  readonly badPrices: number;
  readonly badTimes: number;
  readonly timeJumps: number;
  readonly crossed: number;
  readonly locked: number;
  /** Times that the recorder lost the stream, by its own word. */
  readonly interruptions: number;
  /** The first defects by name: where they stand in the imported sources, else in the recording. */
  readonly defects: readonly Omit<PlacedDefect, "market">[];
  /** Defects that are not in the list. */
  readonly defectsOmitted: number;
}

/** Defects of a market that a check names. */
const NAMED_MAX = 100;

export interface CheckOptions {
  /** Show the book after this applied event (1 is the first) instead of the last one. */
  readonly at?: number;
  /** Called after every applied event, for tests and tools that want more than one checkpoint. */
  readonly onApplied?: (applied: Applied) => void;
}

export interface Applied {
  readonly marketId: MarketId;
  /** 1, 2, 3, … within the market. */
  readonly n: number;
  readonly event: DepthEvent;
  readonly book: ReadableBook;
}

/** Replays every market of a recording through the local book and says what it found; one line a market. */
export function checkRecording(
  io: RecordingIo,
  recording: Recording,
  options: CheckOptions = {},
): readonly CheckLine[] {
  return finish(checkSteps(io, recording, options));
}

/** As `checkRecording`, in steps. */
export function* checkSteps(
  io: RecordingIo,
  recording: Recording,
  options: CheckOptions = {},
): Steps<readonly CheckLine[]> {
  const snapshotIds = recording.snapshotIds();
  const checks = new Map(
    recording.manifest.markets.map((market) => [
      market.marketId,
      new MarketCheck(market, snapshotIds.get(market.marketId) ?? [], io.compression, options),
    ]),
  );
  let events = 0;
  for (const placed of recording.placedEvents()) {
    checks.get(placed.event.marketId)?.take(placed);
    events += 1;
    if (events % EVENTS_PER_STEP === 0) yield placed.share;
  }
  const sources = recording.sourceDefects();
  return [...checks].map(([marketId, check]) => check.line(sources.get(marketId)));
}

/** The checkpoint of a book; all null without one. */
export function checkpointOf(
  book: ReadableBook | undefined,
  last: DepthEvent | undefined,
  compression: Compression,
): BookCheckpoint {
  const hash = (depth?: number): string | null => {
    if (book === undefined) return null;
    const text = new TextEncoder().encode(bookLines(book, depth));
    return compression.sha256(text).slice(0, 32);
  };
  return {
    firstId: last?.firstId ?? null,
    finalId: last?.finalId ?? null,
    time: last?.timeMs ?? null,
    bestBid: (book && bestText(book, "BUY")) ?? null,
    bestAsk: (book && bestText(book, "SELL")) ?? null,
    bidLevels: book?.bids.size ?? null,
    askLevels: book?.asks.size ?? null,
    top20: hash(20),
    top100: hash(100),
    full: hash(),
    gridBid: (book && gridBestText(book, "BUY")) ?? null,
    gridAsk: (book && gridBestText(book, "SELL")) ?? null,
  };
}

class MarketCheck {
  readonly #market: RecordingMarket;
  readonly #compression: Compression;
  readonly #options: CheckOptions;
  readonly #found = new DefectList(NAMED_MAX);
  readonly #inspector: MarketInspector;
  readonly #synced: SyncedBook;
  readonly #received = { depthEvents: 0, levelChanges: 0, trades: 0 };
  #interruptions = 0;
  #place: PlacedEvent | undefined;
  readonly #touch = { crossed: 0, locked: 0 };
  #last: DepthEvent | undefined;
  #requested: BookCheckpoint | undefined;

  constructor(
    market: RecordingMarket,
    snapshotIds: readonly number[],
    compression: Compression,
    options: CheckOptions,
  ) {
    this.#market = market;
    this.#compression = compression;
    this.#options = options;
    this.#inspector = new MarketInspector(({ what, detail }) => {
      const { file = "", line = 0 } = this.#place ?? {};
      this.#found.add({ what, market: market.marketId, file, line, detail });
    });
    this.#synced = new SyncedBook(market.marketId as MarketId, snapshotIds);
  }

  take(placed: PlacedEvent): void {
    const { event: recorded } = placed;
    this.#place = placed;
    if (recorded.type === "depth") {
      this.#received.depthEvents += 1;
      this.#received.levelChanges += recorded.bids.length + recorded.asks.length;
    } else if (recorded.type === "trade") this.#received.trades += 1;
    else if (recorded.type === "mark" && recorded.state === "closed") {
      this.#interruptions += 1;
      this.#synced.interrupted();
    }
    const event = this.#inspector.take(recorded);
    if (event !== undefined) this.#synced.take(event, (step) => this.#look(step));
  }

  /** `sources`: what the import found, which names the places that a user can look at. */
  line(sources: readonly PlacedDefect[] | undefined): CheckLine {
    const isRequested = this.#options.at !== undefined;
    const book = isRequested ? undefined : this.#synced.book;
    const { counts } = this.#inspector;
    const named = (sources ?? this.#found.defects).slice(0, NAMED_MAX);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      event: "recording.check",
      market: this.#market.marketId,
      symbol: this.#market.symbol,
      ...this.#received,
      applied: this.#synced.applied,
      ...counts,
      ...this.#touch,
      interruptions: this.#interruptions,
      ...(this.#requested ??
        checkpointOf(book, isRequested ? undefined : this.#last, this.#compression)),
      defects: named.map(({ what, file, line, detail }) => ({ what, file, line, detail })),
      defectsOmitted: Math.max(0, total - named.length),
    };
  }

  #look(step: MarketEvent): void {
    const { book } = this.#synced;
    if (step.type !== "depth" || book === undefined) return;
    this.#last = step.event;
    const bid = book.bids.bestPrice;
    const ask = book.asks.bestPrice;
    if (bid !== undefined && ask !== undefined) {
      if (bid > ask) this.#touch.crossed += 1;
      else if (bid === ask) this.#touch.locked += 1;
    }
    const n = this.#synced.applied;
    if (n === this.#options.at) this.#requested = checkpointOf(book, step.event, this.#compression);
    const marketId = this.#market.marketId as MarketId;
    this.#options.onApplied?.({ marketId, n, event: step.event, book });
  }
}
