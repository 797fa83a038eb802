import { TouchlineError } from "../../base/error.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { MarketDataEvent } from "../recorded-event.ts";

/** A file to import. */
export interface SourceFile {
  /** File name without folders, for messages. */
  readonly name: string;
  /** The unpacked lines; each call starts at the first line. */
  lines(): Iterable<string>;
}

/** An event and the lines of its source file, counted from 1. */
export interface SourcedEvent {
  readonly event: MarketDataEvent;
  readonly line: number;
  /** Line of each level, bids first, if levels have lines of their own. */
  readonly levelLines?: readonly number[];
  /** Lines of the rows that `badTimes` counts. */
  readonly badTimeLines?: readonly number[];
}

/** A file format that can be imported. */
export interface ImportFormat {
  /** Name in `touchline import NAME`. */
  readonly name: string;
  readonly summary: string;
  /** True if every file numbers its own events, so that files cannot be merged. */
  readonly isOneFile?: boolean;
  /** True if the source has no update ids and the import makes them, so that they never have a gap. */
  readonly makesIds?: boolean;
  /** True for candles instead of books and trades. */
  readonly hasCandles?: boolean;
  /** Events of one file in the order of its lines, which must be that of receipt. `nameOf` gives the market of a symbol. */
  read(file: SourceFile, nameOf: (symbol: string) => MarketId): Iterable<SourcedEvent>;
}

/** Describes a location in a source file, for error messages. */
export type Place = () => string;

export function brokenLine(place: Place, problem: string, cause?: unknown): TouchlineError {
  return new TouchlineError("IMPORT_BROKEN", `${place()}: ${problem}.`, {
    hint: "Is the format right? `touchline import --help` lists the formats.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Parses the JSON of a line. Throws TouchlineError `IMPORT_BROKEN`. */
export function jsonOfLine(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenLine(place, "not valid JSON", cause);
  }
}
