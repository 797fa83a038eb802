import type { BookSync } from "../../book/book-sync.ts";
import type { ReadableBook } from "../../book/level-book.ts";
import { ZERO } from "../../domain/fixed.ts";
import type { BookSnapshot, FlatLevels, Trade } from "../../domain/depth.ts";
import type { Fill, OrderEvent } from "../../domain/order.ts";
import type { Side } from "../../domain/side.ts";
import { restsInBook, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { DepthLiveness } from "./depth-liveness.ts";
import type { KernelState, MarketState } from "../state.ts";

/** Differences of doubles below this share are noise. */
const NOISE_SHARE = 1e-9;

/** A public trade: beyond the book's touch it is newer than the book. */
export function compareTrade({ nowMs }: KernelState, market: MarketState, trade: Trade): void {
  const { live } = market.sync;
  if (market.channels === undefined || live === undefined) return;
  if (goesThrough(live, trade.price)) market.channels.depth.tradeThrough(trade.timeMs, nowMs);
}

/** Whether a trade at this price went through the touch of the book. */
export function goesThrough({ bids, asks }: ReadableBook, price: number): boolean {
  return price > (asks.bestPrice ?? Number.POSITIVE_INFINITY) || price < (bids.bestPrice ?? 0);
}

/** A whole book over REST, before the live book takes it. */
export function compareBook(
  { nowMs }: KernelState,
  { channels, sync }: Pick<MarketState, "channels" | "sync">,
  snapshot: BookSnapshot,
  queriedMs: number,
): void {
  if (channels !== undefined) judgeBook(channels.depth, sync, snapshot, queriedMs, nowMs);
}

/** Compares a whole book over REST with the live one: as new or with the same levels it withdraws signs, newer it proves them. */
export function judgeBook(
  depth: DepthLiveness,
  { live, lastId }: Pick<BookSync, "live" | "lastId">,
  snapshot: BookSnapshot,
  queriedMs: number,
  nowMs: number,
): void {
  if (live === undefined || snapshot.lastId < lastId) return;
  if (snapshot.lastId === lastId || hasSameLevels(live, snapshot)) {
    depth.same(snapshot.lastId, queriedMs, nowMs);
  } else depth.newer(snapshot.lastId, queriedMs, nowMs);
}

/** REST has just acknowledged an order, by a response or a report: it has to be in the live book. */
export function compareOrder(state: KernelState, order: TrackedOrder | undefined): void {
  if (order?.status !== "NEW" || !restsInBook(order) || order.executed !== ZERO) return;
  const { marketId, side, price } = order;
  const market = state.markets.get(marketId);
  const live = market?.sync.live;
  if (market?.channels === undefined || live === undefined) return;
  const own = state.orders.ownQuantityByPrice(marketId, side).get(price) ?? 0;
  const shown = live.side(side).quantityAt(price);
  if (shown < own * (1 - NOISE_SHARE)) market.channels.depth.orderMissing(state.nowMs);
}

/** An ORDER event, once the tracker has applied it: where the order is or was in the book, the book has changed. */
export function compareOwnEvent(
  state: KernelState,
  { eventType, order, timeMs }: OrderEvent,
): void {
  if (eventType === "TRIGGER" || eventType === "REJECTED") return;
  const own = state.orders.byId(order.orderId);
  if (own === undefined || (eventType !== "TRADE" && !restsInBook(own))) return;
  state.markets.get(order.marketId)?.channels?.depth.ownChange(timeMs, state.nowMs);
}

/** An own execution of which REST has told first. */
export function compareOwnFill(
  { markets, nowMs }: KernelState,
  { marketId, timeMs }: Pick<Fill, "marketId" | "timeMs">,
): void {
  markets.get(marketId)?.channels?.depth.ownChange(timeMs, nowMs);
}

/** Whether the live book has less at a price than our orders there, as far as we know them. */
export function lacksOwnOrders({ orders }: KernelState, { market, sync }: MarketState): boolean {
  const { live } = sync;
  if (live === undefined) return false;
  for (const side of sides) {
    for (const [price, own] of orders.ownQuantityByPrice(market.marketId, side)) {
      if (live.side(side).quantityAt(price) < own * (1 - NOISE_SHARE)) return true;
    }
  }
  return false;
}

const sides: readonly Side[] = ["BUY", "SELL"];

function hasSameLevels(live: ReadableBook, snapshot: BookSnapshot): boolean {
  const { bids, asks } = live.levels();
  return isSame(bids, snapshot.bids) && isSame(asks, snapshot.asks);
}

function isSame(left: FlatLevels, right: FlatLevels): boolean {
  return left.length === right.length && left.every((value, at) => value === right[at]);
}
