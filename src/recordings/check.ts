import { bestText, bookLines, gridBestText } from "../book/book-lines.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Compression } from "../ports/compression.ts";
import { type DefectCounts, defectNames } from "./defect.ts";
import { DefectList, type PlacedDefect, type SourceDefects } from "./defect-list.ts";
import type { RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";
import { isOffBook } from "./market-reader.ts";
import { MarketInspector } from "./market-inspector.ts";
import type { PlacedEvent, Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { runAll, type Steps } from "./steps.ts";
import { type BookSource, SyncedBook } from "./synced-book.ts";

type LevelText = readonly [price: string, quantity: string];

/** State of a book in the form of the golden files; each hash is the first 32 hex digits of SHA-256 over the book's lines. */
export interface BookCheckpoint {
  readonly firstId: number | null;
  readonly finalId: number | null;
  /** Exchange time of the last applied event, in ms. */
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

/** The line that `recording check --json` prints for one market. */
export interface CheckLine extends BookCheckpoint {
  readonly event: "recording.check";
  readonly market: string;
  readonly symbol: string;
  readonly depthEvents: number;
  readonly levelChanges: number;
  readonly trades: number;
  readonly candles: number;
  readonly applied: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly tradeGaps: number;
  readonly tradeDuplicates: number;
  readonly badPrices: number;
  readonly badTimes: number;
  readonly timeJumps: number;
  readonly badSides: number;
  readonly crossed: number;
  readonly locked: number;
  /** How often the recorder lost the stream, counted by its `closed` marks. */
  readonly interruptions: number;
  /** The first 100 defects, located in the imported source files if the import listed them, else in the recording. */
  readonly defects: readonly Omit<PlacedDefect, "market">[];
  /** Number of defects beyond those listed in `defects`. */
  readonly defectsOmitted: number;
}

/** At most this many defects are listed for each market. */
const NAMED_MAX = 100;

export interface CheckOptions {
  /** Report the book after this applied event (counted from 1) instead of the final book. */
  readonly at?: number;
  /** Called after every applied event. */
  readonly onApplied?: (applied: AppliedDepth) => void;
}

export interface AppliedDepth {
  readonly marketId: MarketId;
  /** Number of the applied event within its market, counted from 1. */
  readonly n: number;
  readonly event: DepthEvent;
  readonly book: ReadableBook;
}

/** Replays every market of a recording through the local book and returns one line for each market. */
export function checkRecording(
  io: RecordingIo,
  recording: Recording,
  options: CheckOptions = {},
): readonly CheckLine[] {
  return runAll(checkSteps(io, recording, options));
}

/** `checkRecording` in steps. */
export function* checkSteps(
  io: RecordingIo,
  recording: Recording,
  options: CheckOptions = {},
): Steps<readonly CheckLine[]> {
  const snapshotIds = recording.snapshotIds();
  const checks = new Map(
    recording.manifest.markets.map((market) => [
      market.marketId,
      new MarketCheck(
        market,
        recording.bookSource(market.marketId, snapshotIds),
        io.compression,
        options,
      ),
    ]),
  );
  yield* recording.inSteps((placed) => checks.get(placed.event.marketId)?.take(placed));
  const sources = recording.sourceDefects();
  return [...checks].map(([marketId, check]) => check.line(sources.get(marketId)));
}

/** Summarizes a book; every field is null when `book` is undefined. */
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
  readonly #defects = new DefectList(NAMED_MAX);
  readonly #inspector: MarketInspector;
  readonly #synced: SyncedBook;
  readonly #received = { depthEvents: 0, levelChanges: 0, trades: 0, candles: 0 };
  #interruptions = 0;
  #place: PlacedEvent | undefined;
  readonly #touchCounts = { crossed: 0, locked: 0 };
  #last: DepthEvent | undefined;
  #requested: BookCheckpoint | undefined;

  constructor(
    market: RecordingMarket,
    source: BookSource,
    compression: Compression,
    options: CheckOptions,
  ) {
    this.#market = market;
    this.#compression = compression;
    this.#options = options;
    this.#inspector = new MarketInspector(market, ({ what, detail }) => {
      const { file = "", line = 0 } = this.#place ?? {};
      this.#defects.add({ what, market: market.marketId, file, line, detail });
    });
    this.#synced = new SyncedBook(market.marketId as MarketId, source);
  }

  take(placed: PlacedEvent): void {
    const { event: recorded } = placed;
    this.#place = placed;
    if (recorded.type === "depth") {
      this.#received.depthEvents += 1;
      this.#received.levelChanges += recorded.bids.length + recorded.asks.length;
    } else if (recorded.type === "trade") this.#received.trades += isOffBook(recorded) ? 0 : 1;
    else if (recorded.type === "candle") this.#received.candles += 1;
    else if (recorded.type === "mark" && recorded.state === "closed") {
      this.#interruptions += 1;
      this.#synced.interrupted();
    }
    const event = this.#inspector.take(recorded);
    if (event !== undefined && event.type !== "candle")
      this.#synced.take(event, (step) => this.#onStep(step));
  }

  /** `sources`: defects found by the import; they are preferred because they point into the user's own files, and include what it left out. */
  line(sources: SourceDefects | undefined): CheckLine {
    const isRequested = this.#options.at !== undefined;
    const book = isRequested ? undefined : this.#synced.book;
    const counts = higher(this.#inspector.counts, sources?.counts);
    const named = (sources ?? this.#defects).defects.slice(0, NAMED_MAX);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      event: "recording.check",
      market: this.#market.marketId,
      symbol: this.#market.symbol,
      ...this.#received,
      applied: this.#synced.applied,
      ...counts,
      ...this.#touchCounts,
      interruptions: this.#interruptions,
      ...(this.#requested ??
        checkpointOf(book, isRequested ? undefined : this.#last, this.#compression)),
      defects: named.map(({ what, file, line, detail }) => ({ what, file, line, detail })),
      defectsOmitted: Math.max(0, total - named.length),
    };
  }

  #onStep(step: MarketEvent): void {
    const { book } = this.#synced;
    if (step.type !== "depth" || book === undefined) return;
    this.#last = step.event;
    const bid = book.bids.bestPrice;
    const ask = book.asks.bestPrice;
    if (bid !== undefined && ask !== undefined) {
      if (bid > ask) this.#touchCounts.crossed += 1;
      else if (bid === ask) this.#touchCounts.locked += 1;
    }
    const n = this.#synced.applied;
    if (n === this.#options.at) this.#requested = checkpointOf(book, step.event, this.#compression);
    const marketId = this.#market.marketId as MarketId;
    this.#options.onApplied?.({ marketId, n, event: step.event, book });
  }
}

/** The higher count of each kind. */
function higher(own: DefectCounts, sources: DefectCounts | undefined): DefectCounts {
  const counts = { ...own };
  for (const name of defectNames) counts[name] = Math.max(own[name], sources?.[name] ?? 0);
  return counts;
}
