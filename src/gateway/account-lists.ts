import { TransportError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import type { Fill, OrderReport } from "../domain/order.ts";
import { endpoints } from "../spec/endpoints.ts";
import { listWindow } from "../spec/limits.ts";
import { fillFrom, orderFrom } from "./from-wire.ts";
import type { CallOptions, VenueClient } from "./venue-client.ts";

/** Pages of one list before we call it endless. */
const MAX_PAGES = 200;
/** Page of open orders: the venue's maximum there is not shown (D15). */
const OPEN_PAGE = 100;
const FILLS_PAGE = 500;
/** A window's end stays this far behind the venue's clock (D15). */
const CLOCK_MARGIN_MS = 1_000;

export interface ListOptions extends CallOptions {
  readonly owner: Address;
  /** The venue's time now, as well as we know it. */
  readonly venueNowMs: number;
  /** How far back. Undefined: what the venue's default span of 30 days holds. */
  readonly sinceMs?: number;
}

/** Open orders of an address, all pages, newest first, each once. */
export async function fetchOpenOrders(
  client: VenueClient,
  options: ListOptions,
): Promise<readonly OrderReport[]> {
  const rows = await pages(options, OPEN_PAGE, (window) =>
    client.call(
      endpoints["order-open"],
      { address: options.owner, limit: OPEN_PAGE, ...window },
      options,
    ),
  );
  return unique(rows, ({ orderId }) => orderId.toLowerCase()).map(orderFrom);
}

/** Own executions since `sinceMs`, all pages, newest first, each once. */
export async function fetchFills(
  client: VenueClient,
  options: ListOptions,
): Promise<readonly Fill[]> {
  const rows = await pages(options, FILLS_PAGE, (window) =>
    client.call(
      endpoints["order-trade"],
      { address: options.owner, limit: FILLS_PAGE, ...window },
      options,
    ),
  );
  const { sinceMs = 0 } = options;
  // A trade between two own orders is one trade id with two orders.
  return unique(rows, ({ tradeId, orderId }) => `${tradeId} ${orderId.toLowerCase()}`)
    .filter(({ createdAt }) => createdAt >= sinceMs)
    .map(fillFrom);
}

type Window = { readonly from: number; readonly to: number } | Record<string, never>;

/**
 * Walks a newest-first list backwards (D15). The first question names no window, so that nothing of the last second is missed;
 * a full page is followed by the window that ends where it ended, both ends included, so rows repeat and are made unique.
 */
async function pages<Row extends { readonly createdAt: number }>(
  options: ListOptions,
  pageSize: number,
  ask: (window: Window) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const { venueNowMs } = options;
  const defaultFromMs = venueNowMs - listWindow.defaultSpanMs;
  // A little inside what the venue keeps, so that clocks need not agree.
  const oldestMs = venueNowMs - listWindow.historyMs + 60_000;
  const sinceMs = Math.max(options.sinceMs ?? defaultFromMs, oldestMs);
  const rows: Row[] = [];
  let window: Window = {};
  let fromMs = defaultFromMs;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await ask(window);
    rows.push(...found);
    const oldest = found.reduce((least, row) => Math.min(least, row.createdAt), Infinity);
    let toMs: number;
    if (found.length >= pageSize) {
      // The same millisecond again, unless the page held nothing else: then one would never get past it.
      toMs = "to" in window && oldest === window.to ? oldest - 1 : oldest;
      if (toMs > venueNowMs - CLOCK_MARGIN_MS) throw busy();
    } else {
      toMs = fromMs;
    }
    if (toMs <= sinceMs) return rows;
    fromMs = Math.max(sinceMs, toMs - listWindow.maxSpanMs);
    window = { from: fromMs, to: toMs };
  }
  throw new TransportError(
    "unknown",
    "LIST_TOO_LONG",
    `The list has more than ${MAX_PAGES} pages.`,
  );
}

/** More rows within the last second than a page holds: windows must not reach that close to the venue's clock. */
function busy(): TransportError {
  return new TransportError("unknown", "LIST_MOVING", "The list grows faster than it can be read.");
}

function unique<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  const seen = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    if (!seen.has(key)) seen.set(key, row);
  }
  return [...seen.values()];
}
