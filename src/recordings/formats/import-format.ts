import { TouchlineError } from "../../base/error.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { Defect } from "../defect.ts";
import type { MarketDataEvent } from "../recorded-event.ts";

/** A file to import. */
export interface SourceFile {
  /** File name without folders, for messages. */
  readonly name: string;
  /** With its folders, and with the name of the file in a zip archive, which may say more than the name. */
  readonly path: string;
  /** Names of the columns of a CSV without header, as the user states them. */
  readonly columns: readonly string[] | undefined;
  /** The unpacked lines; each call starts at the first line. */
  lines(): Iterable<string>;
}

/** An event and the lines of its source file, counted from 1. */
export interface SourcedEvent {
  readonly event: MarketDataEvent;
  readonly line: number;
  /** Kind of the file. Two kinds that tell the same, such as trades and aggregate trades, are not merged. */
  readonly kind?: string;
  /** Why the event is left out, where the row says something that is not known. */
  readonly leftOut?: Pick<Defect, "what" | "detail">;
  /** Its time of receipt is that of the exchange, which may be before that of the row above: no defect, as long as the file is in order. */
  readonly isSent?: boolean;
  /** Line of each level, bids first, if levels have lines of their own. */
  readonly levelLines?: readonly number[];
  /** Lines of the rows that `badTimes` counts. */
  readonly badTimeLines?: readonly number[];
}

/** The market of a symbol. Throws TouchlineError `MARKET_NAME_UNKNOWN`. */
export type NameOf = (symbol: string) => MarketId;

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
  /** Whether a file is of this format, by its path and its first line that is not empty. */
  recognizes(path: string, firstLine: string): boolean;
  /** Events of one file in the order of its lines, which must be that of receipt. */
  read(file: SourceFile, nameOf: NameOf): Iterable<SourcedEvent>;
}

/** Describes a location in a source file, for error messages. */
export type Place = () => string;

export function brokenLine(place: Place, problem: string, cause?: unknown): TouchlineError {
  const options = cause === undefined ? {} : { cause };
  return new TouchlineError("IMPORT_BROKEN", `${place()}: ${problem}.`, options);
}

/** Parses the JSON of a line. Throws TouchlineError `IMPORT_BROKEN`. */
export function jsonOfLine(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenLine(place, "not valid JSON", cause);
  }
}
