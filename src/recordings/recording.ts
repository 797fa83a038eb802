/**
 * The room `recordings`: recorded market data on disk (docs/recordings.md).
 *
 * A recording is a folder with a `Manifest` and event files, one `RecordedEvent` a line, as text. `Recorder` and `importSteps` (one file for each format
 * in `formats/`) write it. `Recording` reads it: `MarketReader` makes numbers of the text, `SyncedBook` keeps the book in sync with the hindsight of
 * later snapshots, `GapMarker` marks where the book is not known. Replays read the compiled form in `columns/`, which has the same events.
 * `checkSteps` reports defects, cut, merge and exports copy parts.
 *
 * Imports base, domain, spec, ports and book.
 */

import { TouchlineError } from "../base/error.ts";
import { getOrMake } from "../base/get-or-make.ts";
import type { MarketId } from "../domain/ids.ts";
import type { ReadFile } from "../ports/store.ts";
import type { MarketColumns } from "./columns/market-columns.ts";
import { readDefects, type SourceDefects } from "./defect-list.ts";
import { isBookLine, parseEventLine } from "./event-line.ts";
import {
  hasCandles,
  MANIFEST_FILE,
  parseManifest,
  type Manifest,
  type RecordingMarket,
} from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";
import { CandleReader, momentsOf } from "./candle.ts";
import { type ReplayEvent, withGaps } from "./recorded-gaps.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import {
  isSegment,
  linesOf,
  noProgress,
  type ReadProgress,
  type RecordingIo,
} from "./recording-io.ts";
import { EVENTS_PER_STEP, type Steps } from "./steps.ts";
import type { BookSource } from "./synced-book.ts";
import { SyncedEvents } from "./synced-events.ts";

/** An event and its location in the recording. */
export interface PlacedEvent {
  readonly event: RecordedEvent;
  /** Name of the event file. */
  readonly file: string;
  /** Line number, counted from 1. */
  readonly line: number;
  /** Share of the recording read so far, from 0 to 1. */
  readonly share: number;
}

interface PlacedLine {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly share: number;
}

/** An event file whose end is missing. */
export interface TornFile {
  readonly file: string;
  /** Number of the first line that is incomplete or missing, counted from 1. */
  readonly line: number;
  /** Characters that are left of it. */
  readonly characters: number;
}

/** A recording on disk, read one event file at a time. */
export class Recording {
  readonly manifest: Manifest;
  readonly io: RecordingIo;
  readonly folder: string;
  /** Compiled markets that could not be kept on disk, for as long as this object lives. */
  readonly columnsInMemory = new Map<string, MarketColumns>();
  /** SHA-256 of event files, by name and state. */
  readonly textHashes = new Map<string, string>();
  readonly #torn = new Map<string, TornFile>();
  #share = 0;

  /** Throws TouchlineError `RECORDING_MISSING` or `RECORDING_INVALID`. */
  constructor(io: RecordingIo, folder: string) {
    this.io = io;
    this.folder = folder;
    const path = `${folder}/${MANIFEST_FILE}`;
    const bytes = io.store.read(path);
    if (bytes === undefined) {
      throw new TouchlineError(
        "RECORDING_MISSING",
        `There is no recording in the folder "${folder}".`,
        {
          hint: `A recording is a folder with a ${MANIFEST_FILE}; \`touchline import\` and \`touchline record\` create one.`,
        },
      );
    }
    this.manifest = parseManifest(new TextDecoder().decode(bytes), path);
  }

  /** Finds a market by id, or else by symbol. */
  market(name: string): RecordingMarket | undefined {
    const { markets } = this.manifest;
    return (
      markets.find((market) => market.marketId === name) ??
      markets.find((market) => market.symbol === name)
    );
  }

  /** Share of the recording that the newest reading of events has passed, from 0 to 1. */
  get share(): number {
    return this.#share;
  }

  /** All events as text, in the order of receipt. Throws TouchlineError `RECORDING_INVALID` at a broken line. */
  *events(): Generator<RecordedEvent> {
    for (const { event } of this.placedEvents()) yield event;
  }

  /** As `events`, with locations. */
  *placedEvents(): Generator<PlacedEvent> {
    let lastAtUs = 0;
    for (const { text, file, line, share } of this.#lines()) {
      const read = parseEventLine(text);
      if (read === undefined) throw this.#broken(file, line);
      this.#share = share;
      // The recorder's clock may have been set back; times of receipt never decrease.
      lastAtUs = Math.max(lastAtUs, read.atUs);
      const event = read.atUs === lastAtUs ? read : { ...read, atUs: lastAtUs };
      yield { event, file, line, share };
    }
  }

  /** Calls `take` with each event in the order of receipt. */
  *inSteps(take: (placed: PlacedEvent) => void): Steps<void> {
    let events = 0;
    for (const placed of this.placedEvents()) {
      take(placed);
      events += 1;
      if (events % EVENTS_PER_STEP === 0) yield placed.share;
    }
  }

  /** Files whose end is missing, as a power cut or a full disk leaves it; known once all events were read. */
  get tornFiles(): readonly TornFile[] {
    return [...this.#torn.values()];
  }

  /** Defects of the sources as the import found them, by market; empty for a recording made by Touchline. */
  sourceDefects(): ReadonlyMap<string, SourceDefects> {
    return readDefects(this.io, this.folder);
  }

  /**
   * One market's events for a replay, with the book in sync from the first step on. A `book` step replaces the book (there is
   * none at a cold start), a `depth` step always continues the previous one, and trades come as received.
   */
  *syncedEvents(marketId: string): Generator<MarketEvent> {
    const source = this.bookSource(marketId, this.snapshotIds());
    const events = new SyncedEvents(marketId as MarketId, source);
    for (const recorded of this.events()) {
      if (recorded.marketId === marketId && recorded.type !== "candle") {
        yield* events.take(recorded);
      }
    }
  }

  /** The events as a replay plays them: candles, or the synced events with the gaps marked (see `GapMarker`). */
  replayEvents(marketId: string): Iterable<ReplayEvent> {
    return hasCandles(this.manifest)
      ? this.#candles(marketId)
      : withGaps(this.syncedEvents(marketId), this.market(marketId)?.ids);
  }

  /** `snapshotIds`: of all markets. */
  bookSource(marketId: string, snapshotIds: ReadonlyMap<string, readonly number[]>): BookSource {
    return {
      ids: this.market(marketId)?.ids,
      snapshotIds: snapshotIds.get(marketId) ?? [],
    };
  }

  *#candles(marketId: string): Generator<ReplayEvent> {
    const reader = new CandleReader();
    for (const recorded of this.events()) {
      if (recorded.marketId !== marketId || recorded.type !== "candle") continue;
      const event = reader.take(recorded);
      if (event !== undefined) yield* momentsOf(event);
    }
  }

  /** `lastId` of every snapshot, by market, in the order of receipt; of the markets whose source has update ids. */
  snapshotIds(): ReadonlyMap<string, readonly number[]> {
    const ids = new Map<string, number[]>();
    if (this.manifest.markets.every((market) => market.ids !== undefined)) return ids;
    for (const { text, file, line } of this.#lines()) {
      if (!isBookLine(text)) continue;
      const event = parseEventLine(text);
      if (event?.type !== "book") throw this.#broken(file, line);
      if (this.market(event.marketId)?.ids === undefined)
        getOrMake(ids, event.marketId, () => []).push(event.lastId);
    }
    return ids;
  }

  /** Names of the event files, in the order in which they are read. */
  segments(): readonly string[] {
    return this.io.store.list(this.folder).filter(isSegment);
  }

  *#lines(): Generator<PlacedLine> {
    const files = this.segments();
    for (const [at, file] of files.entries()) {
      const opened = this.io.store.openRead(`${this.folder}/${file}`);
      if (opened === undefined) continue;
      const progress = noProgress();
      let line = 0;
      for (const text of this.#unpacked(opened, file, progress)) {
        line += 1;
        const share = (at + progress.read / Math.max(1, progress.total)) / files.length;
        yield { text, file, line, share };
      }
      const { torn: characters, isCutOff } = progress;
      if (characters > 0 || isCutOff) this.#torn.set(file, { file, line: line + 1, characters });
    }
  }

  *#unpacked(opened: ReadFile, file: string, progress: ReadProgress): Generator<string> {
    try {
      yield* linesOf(this.io, opened, { keepsTail: false, progress });
    } catch (cause) {
      const path = `${this.folder}/${file}`;
      throw new TouchlineError("RECORDING_INVALID", `${path} cannot be unpacked.`, {
        hint: "The file is damaged; download or import it again.",
        cause,
      });
    }
  }

  #broken(file: string, line: number): TouchlineError {
    const place = `${this.folder}/${file}, line ${line}`;
    return new TouchlineError("RECORDING_INVALID", `${place}: not an event of a recording.`);
  }
}
