import {
  type AccountListOptions,
  type CallEndpoint,
  listOpenOrders,
  listOrderHistory,
  listTransfers,
  listUserTrades,
} from "../gateway/account-lists.ts";
import { type CandleListOptions, listCandles } from "../gateway/candle-list.ts";
import { readMovingList } from "../gateway/moving-list.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Timer } from "../ports/clock.ts";
import { listWindow } from "../spec/limits.ts";
import { queryVenue, type VenueConnection } from "./call.ts";

/** Options of a list. The client fetches the venue's time itself. */
export type ListOf = Omit<AccountListOptions, "venueNowMs">;

/**
 * Lists of any length, paged without loss or duplicates (D15), newest first. Without `sinceMs` they return open orders of any age,
 * completed orders and executions of the last 30 days (the venue's default), and all transfers.
 */
export interface VenueLists {
  openOrders(list: ListOf): ReturnType<typeof listOpenOrders>;
  orderHistory(list: ListOf): ReturnType<typeof listOrderHistory>;
  userTrades(list: ListOf): ReturnType<typeof listUserTrades>;
  transfers(
    list: Omit<ListOf, "marketId"> & { readonly tokenId?: string },
  ): ReturnType<typeof listTransfers>;
  /** Candles of a time range of any length, oldest first; times are Unix seconds. */
  candles(list: Omit<CandleListOptions, "venueNowMs">): ReturnType<typeof listCandles>;
}

export function venueLists({
  connection,
  timer,
  venueNowMs,
}: {
  readonly connection: VenueConnection;
  readonly timer: Timer;
  venueNowMs(options: CallOptions): Promise<number>;
}): VenueLists {
  const call: CallEndpoint = (endpoint, query, callOptions) =>
    queryVenue(connection, endpoint, query, callOptions);
  /** Makes a method that reads a list up to the venue's time. */
  const lister =
    <List extends CallOptions, Row>(
      read: (
        call: CallEndpoint,
        list: List & { readonly venueNowMs: number },
      ) => Promise<readonly Row[]>,
    ) =>
    (list: List): Promise<readonly Row[]> =>
      readMovingList(timer, async () =>
        read(call, { ...list, venueNowMs: await venueNowMs(list) }),
      );
  return {
    openOrders: lister((querying, list) =>
      listOpenOrders(querying, {
        ...list,
        sinceMs: list.sinceMs ?? list.venueNowMs - listWindow.historyMs,
      }),
    ),
    orderHistory: lister(listOrderHistory),
    userTrades: lister(listUserTrades),
    transfers: lister((querying, list) => listTransfers(querying, list)),
    candles: lister(listCandles),
  };
}
