import { brokenLine, type SourcedEvent, type SourceFile } from "./formats/import-format.ts";
import { hasTime } from "./market-reader.ts";

/** A row this much later than the one before it is a defect, unless a later row confirms its clock. */
const JUMP_MS = 3_600_000;
/** The last row of a file is not, up to this multiple of the longest silence in it. */
const SILENCES = 2;

/** An event with its source file and time of receipt. */
export interface SourcedAt extends SourcedEvent {
  readonly atUs: number;
  readonly file: string;
  /**
   * What is wrong with its time. `back`: it was received before the row above, of which it has the time now; `jump`: later rows of its file are
   * earlier by more than an hour; `unconfirmed`: it is the last row of its file, and more than an hour after the one before it.
   */
  readonly clock?: "back" | "jump" | "unconfirmed";
}

/**
 * The events of one file with times of receipt that never go back. A book is no jump, however late it is, and candles are checked by
 * themselves. Throws TouchlineError `IMPORT_BROKEN` for a file that is not in the order of receipt: it goes back by more than an hour, or on more
 * rows than it goes on.
 */
export function* withClock(
  { name }: Pick<SourceFile, "name">,
  events: Iterable<SourcedEvent>,
): Generator<SourcedAt> {
  let last: SourcedAt | undefined;
  let suspect: SourcedAt | undefined;
  let silenceUs = 0;
  let aboveUs: number | undefined;
  const order = { later: 0, earlier: 0, firstEarlier: 0 };
  for (const sourced of events) {
    let placed: SourcedAt = { ...sourced, atUs: sourced.event.atUs, file: name };
    const { type } = sourced.event;
    if (type === "candle") {
      yield placed;
      continue;
    }
    if (aboveUs !== undefined && placed.atUs > aboveUs) order.later += 1;
    if (aboveUs !== undefined && placed.atUs < aboveUs) {
      order.earlier += 1;
      order.firstEarlier ||= placed.line;
    }
    aboveUs = placed.atUs;
    if (suspect !== undefined) {
      if (isLater(suspect, placed))
        yield { ...suspect, atUs: last?.atUs ?? suspect.atUs, clock: "jump" };
      else {
        silenceUs = Math.max(silenceUs, suspect.atUs - (last?.atUs ?? suspect.atUs));
        yield suspect;
        last = suspect;
      }
      suspect = undefined;
    }
    if (last !== undefined && type !== "book" && isLater(placed, last)) {
      suspect = placed;
      continue;
    }
    if (last !== undefined && placed.atUs < last.atUs) {
      const backMs = (last.atUs - placed.atUs) / 1000;
      if (backMs > JUMP_MS) {
        refuseNewestFirst(name, order);
        const problem = "the row was received more than an hour before the one above it";
        throw brokenLine(
          () => `${name}, line ${placed.line}`,
          `${problem}; sort the file by time of receipt`,
        );
      }
      placed = {
        ...placed,
        atUs: last.atUs,
        event: { ...placed.event, atUs: last.atUs },
        ...(placed.isSent === true ? {} : { clock: "back" }),
      };
    }
    yield placed;
    last = placed;
  }
  refuseNewestFirst(name, order);
  if (suspect === undefined || last === undefined) return;
  // A file that was silent for as long before may end like that.
  const isUsual = suspect.atUs - last.atUs <= SILENCES * silenceUs;
  yield isUsual ? suspect : { ...suspect, clock: "unconfirmed" };
}

interface RowOrder {
  readonly later: number;
  readonly earlier: number;
  /** Line of the first row that is earlier than the one above it. */
  readonly firstEarlier: number;
}

function refuseNewestFirst(name: string, { later, earlier, firstEarlier }: RowOrder): void {
  if (earlier <= later) return;
  throw brokenLine(
    () => `${name}, line ${firstEarlier}`,
    "the row was received before the one above it, as most rows of the file: the newest is first; sort the file by time of receipt",
  );
}

/** Whether an event is later by more than an hour, by either clock. */
export function isLater(event: SourcedAt, than: SourcedAt): boolean {
  const [timeMs, beforeMs] = [event, than].map((each) =>
    hasTime(each.event) ? each.event.timeMs : undefined,
  );
  if (event.atUs - than.atUs > JUMP_MS * 1000) return true;
  return timeMs !== undefined && beforeMs !== undefined && timeMs - beforeMs > JUMP_MS;
}
