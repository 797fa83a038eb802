import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { isBookLine, parseEventLine } from "./event-line.ts";
import { MANIFEST_FILE, parseManifest, type Manifest, type RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { isSegment, linesOf, type RecordingIo } from "./recording-io.ts";
import { SyncedBook } from "./synced-book.ts";

/** A recording on disk, read one event file at a time. */
export class Recording {
  readonly manifest: Manifest;
  readonly #io: RecordingIo;
  readonly #folder: string;

  /** Throws TouchlineError `RECORDING_MISSING` or `RECORDING_INVALID`. */
  constructor(io: RecordingIo, folder: string) {
    this.#io = io;
    this.#folder = folder;
    const path = `${folder}/${MANIFEST_FILE}`;
    const bytes = io.store.read(path);
    if (bytes === undefined) {
      throw new TouchlineError("RECORDING_MISSING", `There is no recording in ${folder}.`, {
        hint: `A recording is a folder with a ${MANIFEST_FILE}; \`touchline import\` and \`touchline record\` make one.`,
      });
    }
    this.manifest = parseManifest(new TextDecoder().decode(bytes), path);
  }

  /** The market with this id, else with this symbol. */
  market(name: string): RecordingMarket | undefined {
    const { markets } = this.manifest;
    return (
      markets.find((market) => market.marketId === name) ??
      markets.find((market) => market.symbol === name)
    );
  }

  /** Everything as recorded, text, in the order of receipt. Throws TouchlineError `RECORDING_INVALID` at a broken line. */
  *events(): Generator<RecordedEvent> {
    let lastAtUs = 0;
    for (const [line, place] of this.#lines()) {
      const event = parseEventLine(line);
      if (event === undefined) throw broken(place);
      // A recorder's clock may be set back; the order of receipt does not change by that.
      lastAtUs = Math.max(lastAtUs, event.atUs);
      yield event.atUs === lastAtUs ? event : { ...event, atUs: lastAtUs };
    }
  }

  /** One market in numbers, as received: what a bot that was there would have been told. Impossible rows are left out. */
  *marketEvents(marketId: string): Generator<MarketEvent> {
    const reader = new MarketReader();
    for (const recorded of this.events()) {
      if (recorded.marketId !== marketId) continue;
      const event = reader.take(recorded);
      if (event !== undefined) yield event;
    }
  }

  /**
   * One market for replay: the book in sync from the first step on. A `book` step replaces everything (there is none at a
   * cold start), a `depth` step always applies to what was before it, trades come as received.
   */
  *syncedEvents(marketId: string): Generator<MarketEvent> {
    const book = new SyncedBook(marketId as MarketId, this.snapshotIds().get(marketId) ?? []);
    const steps: MarketEvent[] = [];
    for (const event of this.marketEvents(marketId)) {
      book.take(event, (step) => {
        // What was held until its snapshot came happens, for the book, when that came.
        steps.push(step.atMs < event.atMs ? { ...step, atMs: event.atMs } : step);
      });
      yield* steps;
      steps.length = 0;
    }
  }

  /** `lastId` of every snapshot, by market, in the order of receipt. */
  snapshotIds(): ReadonlyMap<string, readonly number[]> {
    const ids = new Map<string, number[]>();
    for (const [line, place] of this.#lines()) {
      if (!isBookLine(line)) continue;
      const event = parseEventLine(line);
      if (event?.type !== "book") throw broken(place);
      const known = ids.get(event.marketId);
      if (known === undefined) ids.set(event.marketId, [event.lastId]);
      else known.push(event.lastId);
    }
    return ids;
  }

  *#lines(): Generator<readonly [line: string, place: () => string]> {
    for (const name of this.#io.store.list(this.#folder).filter(isSegment)) {
      const path = `${this.#folder}/${name}`;
      const bytes = this.#io.store.read(path);
      if (bytes === undefined) continue;
      let number = 0;
      const place = () => `${path}, line ${number}`;
      for (const line of this.#unpacked(bytes, path)) {
        number += 1;
        yield [line, place];
      }
    }
  }

  *#unpacked(bytes: Uint8Array, path: string): Generator<string> {
    try {
      yield* linesOf(this.#io, bytes, { keepsTail: false });
    } catch (cause) {
      throw new TouchlineError("RECORDING_INVALID", `${path} cannot be unpacked.`, {
        hint: "The file is damaged; fetch or import it again.",
        cause,
      });
    }
  }
}

function broken(place: () => string): TouchlineError {
  return new TouchlineError("RECORDING_INVALID", `${place()}: this is no event of a recording.`);
}
