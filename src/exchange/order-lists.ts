import type { MarketId, TokenId } from "../domain/ids.ts";
import type { Order } from "./order.ts";
import type { OrderRecord, TransferRecord, UserTrade } from "./records.ts";

/** Filter for lists of orders and executions (§4.2); by time of creation, both ends included (D14). */
export interface ListFilter {
  readonly marketId?: MarketId | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** Sorts by record id, newest first (§1.8): ended orders arrive in the order in which they ended. */
export function listOrders(orders: Iterable<Order>, filter: ListFilter): OrderRecord[] {
  const found: Order[] = [];
  for (const order of orders) {
    const { market, timeMs } = order;
    if (matches(market.marketId, timeMs, filter)) found.push(order);
  }
  found.sort((left, right) => right.recordId - left.recordId);
  return found.slice(0, filter.limit).map((order) => order.record());
}

/** Executions, newest first, as they arrive. */
export function listTrades(trades: Iterable<UserTrade>, filter: ListFilter): UserTrade[] {
  const found: UserTrade[] = [];
  for (const trade of trades) {
    if (found.length === filter.limit) break;
    if (matches(trade.marketId, trade.timeMs, filter)) found.push(trade);
  }
  return found;
}

/** Filter for the list of transfers (§4.1). */
export interface TransferFilter {
  readonly tokenId?: TokenId | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** Transfers, newest first, as they arrive. */
export function listTransfers(
  transfers: Iterable<TransferRecord>,
  filter: TransferFilter,
): TransferRecord[] {
  const found: TransferRecord[] = [];
  for (const transfer of transfers) {
    if (found.length === filter.limit) break;
    const { timeMs, tokenId } = transfer;
    if (timeMs < filter.fromMs || timeMs > filter.toMs) continue;
    if (filter.tokenId === undefined || filter.tokenId === tokenId) found.push(transfer);
  }
  return found;
}

function matches(marketId: MarketId, timeMs: number, filter: ListFilter): boolean {
  if (timeMs < filter.fromMs || timeMs > filter.toMs) return false;
  return filter.marketId === undefined || filter.marketId === marketId;
}
