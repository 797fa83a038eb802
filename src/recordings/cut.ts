import { TouchlineError } from "../base/error.ts";
import { plainNumber } from "../domain/fixed.ts";
import type { FlatLevels } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { RecordingMarket } from "./manifest.ts";
import { MarketReader } from "./market-reader.ts";
import { newRecording } from "./new-recording.ts";
import type { RecordedBook, RecordedEvent, TextLevel } from "./recorded-event.ts";
import type { Recording } from "./recording.ts";
import type { RecordingIo } from "./recording-io.ts";
import { recordedSources } from "./source-file.ts";
import { EVENTS_PER_STEP, type Steps } from "./steps.ts";
import { type BookSource, SyncedBook } from "./synced-book.ts";

export interface CutOptions {
  /** Folder to create. */
  readonly out: string;
  /** Limits by time of receipt, both inclusive; undefined means unlimited. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Market ids or symbols; an empty list selects all markets. */
  readonly markets?: readonly string[];
}

/**
 * Copies the events of a time range and of the selected markets into a new recording. A cut that starts in mid-recording
 * begins with the book of each market at that time, also of those that do not change afterwards. Returns the number of events written.
 * Throws TouchlineError `MARKET_UNKNOWN`, `RECORDING_EMPTY`, `RECORDING_EXISTS` or `FOLDER_TAKEN`.
 */
export function* cutRecording(
  io: RecordingIo,
  recording: Recording,
  options: CutOptions,
): Steps<number> {
  const markets = selectMarkets(recording, options.markets ?? []);
  const fromUs = (options.fromMs ?? 0) * 1000;
  const toUs = (options.toMs ?? Number.MAX_SAFE_INTEGER) * 1000;
  const snapshotIds = recording.snapshotIds();
  const cuts = new Map<string, MarketCut>();
  for (const { marketId } of markets) {
    cuts.set(
      marketId,
      new MarketCut(marketId as MarketId, recording.bookSource(marketId, snapshotIds)),
    );
  }
  const out = newRecording(io, options.out);
  try {
    let events = 0;
    let written = 0;
    for (const { event, share } of recording.placedEvents()) {
      if (event.atUs > toUs) break;
      const cut = cuts.get(event.marketId);
      if (cut === undefined) continue;
      if (event.atUs < fromUs) cut.pass(event);
      else {
        const begin = written > 0 ? [] : [...cuts.values()].flatMap((each) => each.begin(fromUs));
        for (const part of [...begin, event]) {
          out.writer.append(part);
          written += 1;
        }
      }
      events += 1;
      if (events % EVENTS_PER_STEP === 0) yield share;
    }
    if (written === 0) {
      throw new TouchlineError("RECORDING_EMPTY", "The recording has no events in that time.", {
        hint: "`touchline recording info` shows when it starts and ends.",
      });
    }
    for (const value of recordedSources(io, recording.folder)) {
      if (value.atUs >= fromUs && value.atUs <= toUs) out.sources.append(value);
    }
    out.finish({ ...recording.manifest, markets });
    return written;
  } catch (thrown) {
    out.discard();
    throw thrown;
  }
}

function selectMarkets(recording: Recording, names: readonly string[]): RecordingMarket[] {
  if (names.length === 0) return [...recording.manifest.markets];
  return names.map((name) => {
    const market = recording.market(name);
    if (market !== undefined) return market;
    const known = recording.manifest.markets.map(({ marketId }) => marketId).join(", ");
    throw new TouchlineError("MARKET_NOT_RECORDED", `The recording has no market ${name}.`, {
      hint: `It has ${known}.`,
    });
  });
}

/** Follows one market's book up to the start of the cut. */
class MarketCut {
  readonly #marketId: MarketId;
  readonly #reader = new MarketReader();
  readonly #synced: SyncedBook;
  /** Depth events since the last applied one, which wait for a snapshot. */
  #held: RecordedEvent[] = [];
  #timeMs = unixMs(0);

  constructor(marketId: MarketId, source: BookSource) {
    this.#marketId = marketId;
    this.#synced = new SyncedBook(marketId, source);
  }

  /** Takes an event from before the cut. */
  pass(recorded: RecordedEvent): void {
    if (recorded.type === "mark" && recorded.state === "closed") {
      this.#held = [];
      this.#synced.interrupted();
    }
    if (recorded.type === "candle") return;
    const event = this.#reader.take(recorded);
    if (event === undefined || event.type === "trade") return;
    if (event.type === "depth") this.#held.push(recorded);
    this.#synced.take(event, (step) => {
      if (step.type === "depth") this.#timeMs = step.event.timeMs;
      else if (step.type === "book") this.#timeMs = step.snapshot.timeMs;
    });
    if (this.#synced.book !== undefined) this.#held = [];
  }

  /** Events that the cut must start with: the current book, or the events that still wait for a snapshot. */
  begin(fromUs: number): readonly RecordedEvent[] {
    const levels = this.#synced.book?.levels();
    if (levels === undefined) return this.#held.map((event) => ({ ...event, atUs: fromUs }));
    const book: RecordedBook = {
      type: "book",
      atUs: fromUs,
      marketId: this.#marketId,
      timeMs: this.#timeMs,
      lastId: this.#synced.lastId,
      bids: textLevels(levels.bids),
      asks: textLevels(levels.asks),
    };
    return [book];
  }
}

function textLevels(flat: FlatLevels): TextLevel[] {
  const levels: TextLevel[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    levels.push([plainNumber(flat[at] ?? 0), plainNumber(flat[at + 1] ?? 0)]);
  }
  return levels;
}
