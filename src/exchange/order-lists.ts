import type { MarketId, TokenId } from "../domain/ids.ts";
import type { Order } from "./order.ts";
import type { OrderRecord, TransferRecord, UserTrade } from "./records.ts";

/** By time of creation, both ends included (D14). */
interface TimeFilter {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** Filter for lists of orders and executions (§4.2). */
export interface ListFilter extends TimeFilter {
  readonly marketId?: MarketId | undefined;
}

/** Filter for the list of transfers (§4.1). */
export interface TransferFilter extends TimeFilter {
  readonly tokenId?: TokenId | undefined;
}

/** Sorts by record id, newest first (§1.8): ended orders arrive in the order in which they ended. */
export function listOrders(orders: Iterable<Order>, filter: ListFilter): OrderRecord[] {
  const { marketId, limit } = filter;
  const found = [...orders].filter(
    (order) =>
      isWithin(order, filter) && (marketId ?? order.market.marketId) === order.market.marketId,
  );
  found.sort((left, right) => right.recordId - left.recordId);
  return found.slice(0, limit).map((order) => order.record());
}

/** Executions, newest first, as they arrive. */
export function listTrades(trades: Iterable<UserTrade>, filter: ListFilter): UserTrade[] {
  const { marketId, limit } = filter;
  return Iterator.from(trades)
    .filter((trade) => isWithin(trade, filter) && (marketId ?? trade.marketId) === trade.marketId)
    .take(limit)
    .toArray();
}

/** Transfers, newest first, as they arrive. */
export function listTransfers(
  transfers: Iterable<TransferRecord>,
  filter: TransferFilter,
): TransferRecord[] {
  const { tokenId, limit } = filter;
  return Iterator.from(transfers)
    .filter(
      (transfer) =>
        isWithin(transfer, filter) && (tokenId ?? transfer.tokenId) === transfer.tokenId,
    )
    .take(limit)
    .toArray();
}

function isWithin({ timeMs }: { readonly timeMs: number }, { fromMs, toMs }: TimeFilter): boolean {
  return timeMs >= fromMs && timeMs <= toMs;
}
