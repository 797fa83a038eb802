import type { MarketId } from "../../domain/ids.ts";
import { CandleReader } from "../candle.ts";
import type { MarketEvent } from "../market-event.ts";
import { isOffBook } from "../market-reader.ts";
import { GapMarker, type GapStep } from "../recorded-gaps.ts";
import type { RecordedEvent } from "../recorded-event.ts";
import type { Recording } from "../recording.ts";
import type { Steps } from "../steps.ts";
import type { BookSource } from "../synced-book.ts";
import { SyncedEvents } from "../synced-events.ts";
import { BlockWriter } from "./block-writer.ts";
import type { OrderIds } from "./column-event.ts";
import { ColumnFileWriter, type ColumnSource, type TextState } from "./column-file.ts";

/** Where the columns of one market are written. */
export interface ColumnTarget {
  readonly marketId: string;
  readonly append: (bytes: Uint8Array) => void;
}

/**
 * Compiles markets of a recording in one pass over its text. `texts`: the state of the event files before they are read. Throws
 * TouchlineError `RECORDING_INVALID`, and whatever a target throws.
 */
export function* compileMarkets(
  recording: Recording,
  targets: readonly ColumnTarget[],
  texts: readonly TextState[],
): Steps<void> {
  const { compression } = recording.io;
  const snapshotIds = recording.snapshotIds();
  const compilers = new Map(
    targets.map(({ marketId, append }) => {
      const file = new ColumnFileWriter(append, compression);
      const source = recording.bookSource(marketId, snapshotIds);
      return [marketId, new MarketCompiler(marketId as MarketId, source, file)];
    }),
  );
  yield* recording.inSteps(({ event }) => compilers.get(event.marketId)?.take(event));
  const torn = new Set(recording.tornFiles.map(({ file }) => file));
  const read = texts.map((text) => (torn.has(text.name) ? { ...text, isTorn: true } : text));
  for (const compiler of compilers.values()) compiler.finish(read);
}

class MarketCompiler {
  readonly #marketId: MarketId;
  readonly #synced: SyncedEvents;
  readonly #file: ColumnFileWriter;
  readonly #candles = new CandleReader();
  readonly #gaps: GapMarker;
  readonly #ids: ColumnSource["ids"];
  readonly #blocks = new BlockWriter();
  readonly #text = { fromMs: 0, toMs: 0, rows: 0, leftOut: 0 };
  /** Of the trades that wait for the next depth event. */
  readonly #orderIds = new WeakMap<MarketEvent | GapStep["event"], OrderIds>();

  constructor(marketId: MarketId, source: BookSource, file: ColumnFileWriter) {
    this.#marketId = marketId;
    this.#synced = new SyncedEvents(marketId, source);
    this.#ids = source.ids;
    this.#gaps = new GapMarker(source.ids);
    this.#file = file;
  }

  take(recorded: RecordedEvent): void {
    this.#count(recorded);
    if (recorded.type === "candle") {
      const event = this.#candles.take(recorded);
      if (event !== undefined) this.#text.leftOut -= 1;
      if (event !== undefined) this.#blocks.add({ event });
      if (this.#blocks.isFull) this.#flush();
      return;
    }
    for (const event of this.#synced.take(recorded)) {
      if (event.type !== "book") this.#text.leftOut -= 1;
      if (recorded.type === "trade") {
        const { buyOrderId: buy, sellOrderId: sell } = recorded;
        if (buy !== undefined || sell !== undefined) this.#orderIds.set(event, { buy, sell });
      }
      this.#add(this.#gaps.take(event));
    }
  }

  finish(texts: readonly TextState[]): void {
    this.#add(this.#gaps.end());
    this.#flush();
    this.#file.finish({
      marketId: this.#marketId,
      texts: [...texts],
      ids: this.#ids,
      text: this.#text,
    });
  }

  #count(recorded: RecordedEvent): void {
    if (recorded.type === "mark" || isOffBook(recorded)) return;
    const text = this.#text;
    text.toMs = recorded.atUs / 1000;
    if (text.fromMs === 0) text.fromMs = text.toMs;
    if (recorded.type === "book") return;
    text.rows += 1;
    // Until it turns up among the synced events.
    text.leftOut += 1;
  }

  #add(steps: readonly GapStep[]): void {
    for (const step of steps) {
      this.#blocks.add(step, this.#orderIds.get(step.event));
      if (this.#blocks.isFull) this.#flush();
    }
  }

  #flush(): void {
    const block = this.#blocks.take();
    if (block !== undefined) this.#file.block(block);
  }
}
