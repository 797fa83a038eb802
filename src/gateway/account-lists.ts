import type { Address, OrderId } from "../domain/ids.ts";
import type { Fill, OrderReport, Transfer } from "../domain/order.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { orderHistory } from "../spec/endpoints/order-history.ts";
import { orderOpen } from "../spec/endpoints/order-open.ts";
import { orderTrade } from "../spec/endpoints/order-trade.ts";
import { orderShow } from "../spec/endpoints/order-show.ts";
import { transfers, type WireTransfer } from "../spec/endpoints/transfers.ts";
import { listLimits } from "../spec/limits.ts";
import type { WireOpenOrder, WireOrder, WireUserTrade } from "../spec/resources.ts";
import { fillFrom, orderFrom, transferFrom } from "./from-wire.ts";
import type { CallOptions, VenueClient } from "./venue-client.ts";
import { VenueError } from "./venue-error.ts";
import { type ListWindow, walkBack } from "./walk-back.ts";

/** Sends one query of a list: `VenueClient.call`, or a function that wraps it. */
export type CallEndpoint = <E extends Endpoint>(
  endpoint: E,
  query: QueryOf<E>,
  options: CallOptions,
) => Promise<ResultOf<E>>;

export interface AccountListOptions extends CallOptions {
  readonly address: string;
  /** Our estimate of the venue's time now. */
  readonly venueNowMs: number;
  /** Undefined: all markets. */
  readonly marketId?: string | undefined;
  /** How far back. Undefined: what the venue's default span of 30 days holds. */
  readonly sinceMs?: number | undefined;
  /** Created at or before; undefined: until now. */
  readonly untilMs?: number | undefined;
  /** Stop after this many rows, the newest ones; undefined: all. */
  readonly maxRows?: number | undefined;
  /** Rejects with `LIST_TOO_LONG` beyond this many rows. Undefined: takes any number. */
  readonly refuseBeyond?: number | undefined;
}

/** Open orders of an address, all pages, newest first, each once. */
export function listOpenOrders(
  call: CallEndpoint,
  options: AccountListOptions,
): Promise<readonly WireOpenOrder[]> {
  // The interface gives no maximum for this list, so the page is its default (D15); only a dense millisecond needs a longer one.
  const { default: pageSize, max: densePageSize } = listLimits.openOrders;
  return walkBack<WireOpenOrder>({
    ...options,
    hasSpans: true,
    pageSize,
    densePageSize,
    timeOf: createdAt,
    keyOf: idOf,
    call: (window, limit) => call(orderOpen, queryOf(options, window, limit), options),
  });
}

/** Completed orders, as `listOpenOrders`. */
export function listOrderHistory(
  call: CallEndpoint,
  options: AccountListOptions,
): Promise<readonly WireOrder[]> {
  const pageSize = pageOf(options, listLimits.orderHistory.max);
  return walkBack<WireOrder>({
    ...options,
    hasSpans: true,
    pageSize,
    densePageSize: listLimits.orderHistory.max,
    timeOf: createdAt,
    keyOf: idOf,
    call: (window, limit) => call(orderHistory, queryOf(options, window, limit), options),
  });
}

/** Executions, as `listOpenOrders`; with `onPage`, page by page. */
export function listUserTrades(
  call: CallEndpoint,
  options: AccountListOptions & { onPage?(rows: readonly WireUserTrade[]): void },
): Promise<readonly WireUserTrade[]> {
  const pageSize = pageOf(options, listLimits.userTrades.max);
  return walkBack<WireUserTrade>({
    ...options,
    hasSpans: true,
    pageSize,
    densePageSize: listLimits.userTrades.max,
    timeOf: createdAt,
    // A trade between two own orders has two rows with the same trade id.
    keyOf: (row) => `${row.tradeId} ${idOf(row)}`,
    call: (window, limit) => call(orderTrade, queryOf(options, window, limit), options),
  });
}

/** Transfers from and to an address: all of them, unless `sinceMs` or `maxRows` limits the list. */
export function listTransfers(
  call: CallEndpoint,
  options: Omit<AccountListOptions, "marketId"> & { readonly tokenId?: string | undefined },
): Promise<readonly WireTransfer[]> {
  const { address, tokenId } = options;
  const pageSize = pageOf(options, listLimits.transfers.max);
  return walkBack<WireTransfer>({
    ...options,
    sinceMs: options.sinceMs ?? 0,
    hasSpans: false,
    pageSize,
    densePageSize: listLimits.transfers.max,
    timeOf: (row) => row.timestamp,
    keyOf: (row) => `${row.hash.toLowerCase()} ${row.id}`,
    call: (window, limit) =>
      call(
        transfers,
        { address, limit, ...window, ...(tokenId === undefined ? {} : { token_id: tokenId }) },
        options,
      ),
  });
}

export interface ListOptions
  extends Pick<AccountListOptions, "venueNowMs" | "sinceMs" | "signal" | "timeoutMs"> {
  readonly owner: Address;
  /** Awaited before each page after the first. */
  waitForToken?(): Promise<void>;
}

/** An order by its id; `absent` when the venue knows no such order. Rejects with VenueError or TransportError. */
export async function fetchOrder(
  client: VenueClient,
  orderId: OrderId,
  options: CallOptions = {},
): Promise<OrderReport | "absent"> {
  try {
    return orderFrom(await client.call(orderShow, { orderId }, options));
  } catch (thrown) {
    if (thrown instanceof VenueError && thrown.reason === "notFound") return "absent";
    throw thrown;
  }
}

/**
 * More open orders of an account than this are refused: a list is one input of the kernel, and 5000 rows hold the event loop for some 10 ms. The paper
 * venue lets an account have as many.
 */
const OPEN_ORDERS_MAX = 5_000;

/** Open orders of an address as reports, all pages, newest first, each once. Rejects with `LIST_TOO_LONG` beyond 5000. */
export async function fetchOpenOrders(
  client: VenueClient,
  { owner, waitForToken, ...options }: ListOptions,
): Promise<readonly OrderReport[]> {
  const rows = await listOpenOrders(callOf(client, waitForToken), {
    ...options,
    address: owner,
    refuseBeyond: OPEN_ORDERS_MAX,
  });
  return rows.map(orderFrom);
}

/** Own executions since `sinceMs`, newest first, each once. `onPage` gets those of each full page; the result has the others. */
export async function fetchFills(
  client: VenueClient,
  {
    owner,
    waitForToken,
    onPage,
    ...options
  }: ListOptions & { onPage?(fills: readonly Fill[]): void },
): Promise<readonly Fill[]> {
  const rows = await listUserTrades(callOf(client, waitForToken), {
    ...options,
    address: owner,
    ...(onPage === undefined ? {} : { onPage: (page) => onPage(page.map(fillFrom)) }),
  });
  return rows.map(fillFrom);
}

/** The newest transfers of the account since `sinceMs`, at most one page, newest first. */
export async function fetchTransfers(
  client: VenueClient,
  { owner, waitForToken, ...options }: ListOptions,
): Promise<readonly Transfer[]> {
  const maxRows = listLimits.transfers.max;
  const rows = await listTransfers(callOf(client, waitForToken), {
    ...options,
    address: owner,
    maxRows,
  });
  return rows.map((row) => transferFrom(row, owner));
}

function callOf(client: VenueClient, waitForToken: ListOptions["waitForToken"]): CallEndpoint {
  let isFirst = true;
  return async (endpoint, query, options) => {
    if (!isFirst) await waitForToken?.();
    isFirst = false;
    return client.call(endpoint, query, options);
  };
}

function pageOf({ maxRows = Infinity }: AccountListOptions, maxPage: number): number {
  return Math.max(1, Math.min(maxPage, maxRows));
}

function queryOf({ address, marketId }: AccountListOptions, window: ListWindow, limit: number) {
  return { address, limit, ...window, ...(marketId === undefined ? {} : { marketId }) };
}

function createdAt(row: { readonly createdAt: number }): number {
  return row.createdAt;
}

function idOf(row: { readonly orderId: string }): string {
  return row.orderId.toLowerCase();
}
