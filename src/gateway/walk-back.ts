import { TransportError } from "../base/error.ts";
import { listWindow } from "../spec/limits.ts";

/** Pages of one list before we call it endless. */
const MAX_PAGES = 1_000;
/** A window's end stays this far behind the venue's clock (D15). */
const CLOCK_MARGIN_MS = 1_000;

/** Both ends or neither (D15). */
export type ListWindow = { readonly from: number; readonly to: number } | Record<string, never>;

export interface Walk<Row> {
  /** The venue's time now, as well as we know it. */
  readonly venueNowMs: number;
  /** Rows of one answer, as asked for. */
  readonly pageSize: number;
  /** Asked for instead where more rows than a page share one millisecond. */
  readonly densePageSize: number;
  /** How far back. Undefined: as far as one question without a window reaches. */
  readonly sinceMs?: number | undefined;
  /** Created at or before. Undefined: until now. */
  readonly untilMs?: number | undefined;
  /** Enough when so many rows were found, the newest ones. */
  readonly maxRows?: number | undefined;
  /** The spans of §4.2 hold: those of the three order lists, not of the transfers (D15). */
  readonly hasSpans: boolean;
  timeOf(row: Row): number;
  /** What makes a row the same row: windows overlap by a millisecond. */
  keyOf(row: Row): string;
  call(window: ListWindow, limit: number): Promise<readonly Row[]>;
}

/**
 * A newest-first list walked backwards, each row once (D15). Up to now, the first question names no window, so that nothing of
 * the last second is missed; a full page is followed by the window that ends where the page ended, both ends included, and a
 * whole window by the one before it, until `sinceMs`. Rejects with TransportError `LIST_TOO_DENSE` when more rows share a
 * millisecond than one answer holds, since the rest could not be asked for.
 */
export async function walkBack<Row>(walk: Walk<Row>): Promise<readonly Row[]> {
  const { pageSize, densePageSize, maxRows = Infinity, venueNowMs, call, timeOf } = walk;
  const { maxSpanMs, defaultSpanMs } = walk.hasSpans
    ? listWindow
    : { maxSpanMs: Infinity, defaultSpanMs: Infinity };
  const rows = new Map<string, Row>();
  const latestMs = venueNowMs - CLOCK_MARGIN_MS;
  const sinceMs = sinceOf(walk, defaultSpanMs);
  const untilMs = walk.untilMs ?? Infinity;
  const windowTo = (toMs: number): ListWindow => ({
    from: Math.max(sinceMs, toMs - maxSpanMs),
    to: toMs,
  });

  if (sinceMs > Math.min(untilMs, venueNowMs)) return [];
  let window: ListWindow = untilMs > latestMs ? {} : windowTo(untilMs);
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const isDense = "to" in window && window.from === window.to;
    const limit = isDense ? densePageSize : pageSize;
    const found = await call(window, limit);
    for (const row of found) {
      const key = walk.keyOf(row);
      const atMs = timeOf(row);
      if (!rows.has(key) && atMs >= sinceMs && atMs <= untilMs) rows.set(key, row);
    }
    if (rows.size >= maxRows) return [...rows.values()].slice(0, maxRows);

    const fromMs = "from" in window ? window.from : Math.max(sinceMs, venueNowMs - defaultSpanMs);
    if (found.length < limit) {
      // The window is whole; the one before it follows. A single millisecond is passed by one more.
      const toMs = isDense ? fromMs - 1 : fromMs;
      if (toMs <= sinceMs) return [...rows.values()];
      window = windowTo(toMs);
      continue;
    }
    if (isDense) throw tooDense(limit);
    const oldestMs = found.reduce((least, row) => Math.min(least, timeOf(row)), Infinity);
    if (oldestMs > latestMs) throw busy();
    if (oldestMs < sinceMs) return [...rows.values()];
    // A page that holds one millisecond only does not get past it: that one is asked for alone, with longer answers.
    const isStuck = "to" in window && oldestMs >= window.to;
    window = isStuck ? { from: oldestMs, to: oldestMs } : windowTo(oldestMs);
  }
  const message = `The list has more than ${MAX_PAGES} pages.`;
  throw new TransportError("unknown", "LIST_TOO_LONG", message);
}

function sinceOf(
  {
    sinceMs,
    untilMs,
    venueNowMs,
    hasSpans,
  }: Pick<Walk<unknown>, "sinceMs" | "untilMs" | "venueNowMs" | "hasSpans">,
  spanMs: number,
): number {
  const wanted = sinceMs ?? Math.max(0, (untilMs ?? venueNowMs) - spanMs);
  // A little inside what the venue keeps, so that clocks need not agree.
  return hasSpans ? Math.max(wanted, venueNowMs - listWindow.historyMs + 60_000) : wanted;
}

/** More rows within the last second than a page holds: windows must not reach that close to the venue's clock. */
function busy(): TransportError {
  return new TransportError("unknown", "LIST_MOVING", "The list grows faster than it can be read.");
}

function tooDense(limit: number): TransportError {
  const message = `More than ${limit} rows of the list share one millisecond, and the venue cannot be asked for the rest.`;
  return new TransportError("unknown", "LIST_TOO_DENSE", message);
}
