import { TouchlineError } from "../../base/error.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { MarketDataEvent } from "../recorded-event.ts";

/** A file of a recording from elsewhere. */
export interface SourceFile {
  /** Its name without folders, for messages and for sources that say things in it. */
  readonly name: string;
  /** Its lines, unpacked, from the start each time. */
  lines(): Iterable<string>;
}

/** An event and the lines of its file that it comes from, counted from 1. */
export interface SourcedEvent {
  readonly event: MarketDataEvent;
  readonly line: number;
  /** Of its levels, bids first, where each has a line of its own. */
  readonly levelLines?: readonly number[];
  /** Of the rows that the event's `badTimes` counts. */
  readonly badTimeLines?: readonly number[];
}

/** One format that can be imported: how its files become events. */
export interface ImportFormat {
  /** As in `touchline import NAME`. */
  readonly name: string;
  readonly summary: string;
  /** The files number their events each for itself, so that two of them cannot be put together. */
  readonly isOneFile?: boolean;
  /** One file's events in the order of its lines, which is that of receipt. `nameOf` names the market of a symbol. */
  read(file: SourceFile, nameOf: (symbol: string) => MarketId): Iterable<SourcedEvent>;
}

/** Where a line stands, for the error that says it is broken. */
export type Place = () => string;

/** The error about a line that cannot be read. */
export function brokenLine(place: Place, problem: string, cause?: unknown): TouchlineError {
  return new TouchlineError("IMPORT_BROKEN", `${place()}: ${problem}.`, {
    hint: "Is the format right? `touchline import --help` lists them.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The JSON of a line; throws TouchlineError `IMPORT_BROKEN`. */
export function jsonOfLine(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenLine(place, "this is no JSON", cause);
  }
}
