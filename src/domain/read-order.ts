/**
 * The kinds of reads, most urgent first: orders whose state is uncertain, then the book, without which nothing is quoted, then reads
 * that can wait. Both the kernel's schedule and the gateway's queue of reads follow this list.
 */
export const readOrder = [
  "order",
  "book",
  "openOrders",
  "venueTime",
  "fills",
  "balances",
  "transfers",
  "markets",
  "candles",
  "trades",
] as const;

export type ReadName = (typeof readOrder)[number];

/** 0 is the most urgent. */
export function readRank(name: ReadName): number {
  return readOrder.indexOf(name);
}

/** The key that tells two reads of one kind apart: a market id, with the resolution of candles, an order id, or nothing. */
export function readKey(read: {
  readonly type: ReadName;
  readonly marketId?: string;
  readonly orderId?: string;
  readonly resolution?: string;
}): string {
  if (read.resolution !== undefined) return `${read.marketId} ${read.resolution}`;
  return read.marketId ?? read.orderId ?? "";
}
