import { TransportError } from "../base/error.ts";
import { listWindow } from "../spec/limits.ts";

/** The most pages of one list. */
const MAX_PAGES = 1_000;
/** A window's end stays this far behind the venue's clock (D15). */
const CLOCK_MARGIN_MS = 1_000;

/** Both ends or neither (D15). */
export type ListWindow = { readonly from: number; readonly to: number } | Record<string, never>;

export interface Walk<Row> {
  /** Our estimate of the venue's time now. */
  readonly venueNowMs: number;
  /** Rows per page. */
  readonly pageSize: number;
  /** Page size where more rows than `pageSize` share one millisecond. */
  readonly densePageSize: number;
  /** How far back. Undefined: as far as one request without a window reaches. */
  readonly sinceMs?: number | undefined;
  /** Created at or before. Undefined: until now. */
  readonly untilMs?: number | undefined;
  /** Stop after this many rows, the newest ones. Undefined: all. */
  readonly maxRows?: number | undefined;
  /** Rejects with `LIST_TOO_LONG` beyond this many rows. Undefined: only the number of pages is bounded. */
  readonly refuseBeyond?: number | undefined;
  /** Gets the rows of each full page as it arrives. The returned list then has only the rows after the last full page. */
  readonly onPage?: ((rows: readonly Row[]) => void) | undefined;
  /** The span limits of §4.2 apply: true for the three order lists, false for transfers (D15). */
  readonly hasSpans: boolean;
  timeOf(row: Row): number;
  /** Identifies a row: windows overlap by a millisecond, so the same row may arrive twice. */
  keyOf(row: Row): string;
  call(window: ListWindow, limit: number): Promise<readonly Row[]>;
}

/**
 * Reads a newest-first list backwards to `sinceMs`, each row once (D15). A list that ends now starts without a window, so that no
 * row of the last second is missed. After a full page the next window ends at the page's oldest row, included; after a part-filled
 * page the preceding window follows. Rejects with TransportError `LIST_TOO_DENSE` when more rows share a millisecond than one page
 * holds, since the venue offers no way to request the others, and with `LIST_TOO_LONG` beyond `refuseBeyond`.
 */
export async function walkBack<Row>(walk: Walk<Row>): Promise<readonly Row[]> {
  const { pageSize, densePageSize, maxRows = Infinity, venueNowMs, call, timeOf } = walk;
  const { refuseBeyond = Infinity, onPage } = walk;
  const { maxSpanMs, defaultSpanMs } = walk.hasSpans
    ? listWindow
    : { maxSpanMs: Infinity, defaultSpanMs: Infinity };
  let rows = new Map<string, Row>();
  /** Keys of the page that was handed over last: the next window overlaps it. */
  let handedOver: ReadonlySet<string> = new Set();
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
      const isKnown = rows.has(key) || handedOver.has(key);
      if (!isKnown && atMs >= sinceMs && atMs <= untilMs) rows.set(key, row);
    }
    if (rows.size > refuseBeyond) throw tooLong(`The list has more than ${refuseBeyond} rows.`);
    if (rows.size >= maxRows) return [...rows.values()].slice(0, maxRows);

    const fromMs = "from" in window ? window.from : Math.max(sinceMs, venueNowMs - defaultSpanMs);
    if (found.length < limit) {
      // The window is complete, so the preceding one follows. Step over a window of a single millisecond.
      const toMs = isDense ? fromMs - 1 : fromMs;
      if (toMs <= sinceMs) return [...rows.values()];
      window = windowTo(toMs);
      continue;
    }
    if (isDense) throw tooDense(limit);
    const oldestMs = found.reduce((least, row) => Math.min(least, timeOf(row)), Infinity);
    if (oldestMs > latestMs) throw movingList();
    if (oldestMs < sinceMs) return [...rows.values()];
    // A full page of a single millisecond makes no progress, so request that millisecond alone with a larger page.
    const isStuck = "to" in window && oldestMs >= window.to;
    window = isStuck ? { from: oldestMs, to: oldestMs } : windowTo(oldestMs);
    if (onPage === undefined) continue;
    onPage([...rows.values()]);
    handedOver = new Set(found.map(walk.keyOf));
    rows = new Map();
  }
  throw tooLong(`The list has more than ${MAX_PAGES} pages.`);
}

function tooLong(message: string): TransportError {
  return new TransportError("unknown", "LIST_TOO_LONG", message);
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
  const startMs = sinceMs ?? Math.max(0, (untilMs ?? venueNowMs) - spanMs);
  // Stay a minute inside the venue's history, so that small clock differences do no harm.
  return hasSpans ? Math.max(startMs, venueNowMs - listWindow.historyMs + 60_000) : startMs;
}

/** The last second has more rows than a page, and windows must not reach that close to the venue's clock. */
function movingList(): TransportError {
  return new TransportError("unknown", "LIST_MOVING", "The list grows faster than it can be read.");
}

function tooDense(limit: number): TransportError {
  const message = `More than ${limit} rows of the list share one millisecond, and the venue offers no way to request the others.`;
  return new TransportError("unknown", "LIST_TOO_DENSE", message);
}
