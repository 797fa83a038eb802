import type { Trade } from "../../domain/depth.ts";
import type { OrderId } from "../../domain/ids.ts";
import { type Fill, type OrderEvent, type OrderReport } from "../../domain/order.ts";
import { sides } from "../../domain/side.ts";
import type { OrderChange } from "../../orders/order-change.ts";
import type { ShownStatus } from "../../orders/order-snapshot.ts";
import { wantFills } from "../list-span.ts";
import type { MarketState } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import type { Facts } from "./facts.ts";
import { comesLate } from "./venue-time.ts";

/**
 * Own open orders and fills as one copied fact. The list of open orders and the list of fills prove it as of the older request. While the
 * user channel delivers, so do its events, and so does the trade channel where public trades name their orders. An event that is missing
 * a second after a command or an own public trade, and an own order that the book does not show for a second, hint that it is wrong; what
 * REST tells before the user channel does is a correction.
 */

const NEVER = Number.POSITIVE_INFINITY;
/** A public trade that comes this much later than its user event does not come. */
const TRADE_MS = 5_000;
/** Differences of doubles below this share are noise. */
const NOISE_SHARE = 1e-9;

/** Statuses that user events report (§6.4). */
const told: ReadonlySet<ShownStatus> = new Set([
  "NEW",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "REJECTED",
]);

/** The stream was opened or closed, or the user channel was subscribed to anew. */
export function userChannelChanged(state: KernelState, isOpen: boolean): void {
  state.ledger?.gap(state.nowMs);
  const { facts, nowMs } = state;
  if (facts === undefined) return;
  const { sources } = facts;
  sources.events.clear();
  sources.trades.clear();
  sources.openedMs = isOpen ? nowMs : NEVER;
  facts.account.fresh.suspect(nowMs, "the user channel has a gap");
}

/** An event of the user channel; `orderId` is undefined for one of the account. */
export function noteUserEvent(
  state: KernelState,
  orderId: OrderId | undefined,
  timeMs: number,
): void {
  const { facts, nowMs } = state;
  if (facts === undefined) return;
  const { account, sources } = facts;
  if (orderId !== undefined) sources.events.settle(orderId);
  if (comesLate(state, timeMs, account.limitMs)) {
    account.fresh.suspect(nowMs, "its events are late");
    return;
  }
  sources.eventMs = nowMs;
  account.fresh.delivered();
}

/** An ORDER event, before the tracker applies it. */
export function noteOrderEvent(state: KernelState, { order, fill, timeMs }: OrderEvent): void {
  const { facts, nowMs } = state;
  if (facts === undefined) return;
  noteUserEvent(state, order.orderId, timeMs);
  if (state.orders.byId(order.orderId) === undefined) return;
  suspectBook(state, order);
  if (fill === undefined) return;
  const lagMs = facts.sources.trades.shown("user", fill, nowMs);
  if (lagMs !== undefined) state.notes.push({ type: "ownTrade", marketId: fill.marketId, lagMs });
}

/** An own order changed at the venue: a copy of the book from before does not show it. */
function suspectBook(
  { facts, markets, nowMs }: KernelState,
  { marketId }: Pick<OrderReport, "marketId">,
): void {
  if (facts === undefined) return;
  markets.get(marketId)?.book.fresh.suspect(nowMs, "an own order has changed since");
}

/** A public trade: if it is ours, a user event has to tell of it, too. */
export function notePublicTrade(state: KernelState, market: MarketState, trade: Trade): void {
  const { buyOrderId, sellOrderId, marketId } = trade;
  if (state.facts === undefined || (buyOrderId ?? sellOrderId) === undefined) return;
  market.namedTradeMs = state.nowMs;
  state.facts.trades.get(marketId)?.delivered();
  if (buyOrderId !== undefined) pairTrade(state, state.facts, trade, buyOrderId);
  if (sellOrderId !== undefined) pairTrade(state, state.facts, trade, sellOrderId);
}

function pairTrade(
  { orders, notes, nowMs }: KernelState,
  { sources }: Facts,
  { marketId, tradeId }: Trade,
  orderId: OrderId,
): void {
  if (orders.byId(orderId) === undefined) return;
  const lagMs = sources.trades.shown("public", { marketId, tradeId, orderId }, nowMs);
  if (lagMs === undefined) sources.events.expect(orderId, nowMs);
  else notes.push({ type: "ownTrade", marketId, lagMs });
}

/** REST accepted a command: an event about its order has to come (D12). */
export function awaitCommand(state: KernelState, intent: number): void {
  const { facts, nowMs, orders } = state;
  if (facts === undefined || facts.sources.openedMs === NEVER) return;
  const { events } = facts.sources;
  const placed = orders.byIntent(intent);
  if (placed !== undefined) {
    const { orderId, phase, eventBlock } = placed;
    if (orderId === undefined || phase === "ended" || eventBlock !== undefined) return;
    suspectBook(state, placed);
    events.expect(orderId, nowMs);
    return;
  }
  const canceled = orders.canceledBy(intent);
  if (canceled?.orderId !== undefined) events.expect(canceled.orderId, nowMs);
}

/** Reports over REST and the changes that they made: what they tell first, an event should have told. */
export function compareReports(
  state: KernelState,
  reports: readonly OrderReport[],
  changes: readonly OrderChange[],
): void {
  for (const change of changes) {
    if (change.type !== "order" || !told.has(change.status)) continue;
    const report = reports.find(({ orderId }) => orderId === change.order.orderId);
    if (report !== undefined) toldFirst(state, report.orderId, report.updatedAtMs);
  }
}

/** The changes that a list of fills made. */
export function compareFills(state: KernelState, changes: readonly OrderChange[]): void {
  for (const change of changes) {
    if (change.type !== "fill") continue;
    const { orderId, timeMs }: Fill = change.fill;
    toldFirst(state, orderId, timeMs);
    suspectBook(state, change.fill);
  }
}

/** REST told what happened to an order at this time. What happened before the channel was open has no event. */
function toldFirst(
  { facts, nowMs, venueOffsetMs }: KernelState,
  orderId: OrderId,
  timeMs: number,
): void {
  if (facts === undefined || venueOffsetMs === undefined) return;
  if (timeMs - venueOffsetMs <= facts.sources.openedMs + facts.checkMs) return;
  facts.sources.events.expect(orderId, nowMs, true);
}

/** A list of open orders or fills was compared with what we know. */
export function listsCompared({ facts, lists }: KernelState): void {
  const { openQueriedMs, fillsQueriedMs } = lists;
  if (facts === undefined || openQueriedMs === undefined || fillsQueriedMs === undefined) return;
  const atMs = Math.min(openQueriedMs, fillsQueriedMs);
  facts.account.fresh.proven(atMs);
  facts.sources.events.settleUntil(atMs);
}

/** Once a step: what the streams show of own orders, and what they should have shown by now. */
export function watchAccount(state: KernelState, facts: Facts): void {
  const { nowMs } = state;
  const { account, sources, checkMs } = facts;
  const { fresh } = account;
  // Without orders of ours there is nothing that could change unseen.
  if (!hasOrders(state)) fresh.proven(nowMs);
  else if (nowMs - fresh.provenMs > checkMs && fresh.suspectMs === NEVER) {
    if (fresh.misses === 0) fresh.proven(shownMs(state, sources.eventMs));
  }
  if (!state.streamOpen) return;
  const overdue = sources.events.overdue(nowMs - checkMs);
  if (overdue === "told") fresh.missed();
  if (overdue !== "none") fresh.suspect(nowMs - checkMs, "an event did not come");
  watchTrades(state, facts);
  for (const market of state.markets.values()) watchLevels(state, facts, market);
}

/** When there is something to watch if nothing happens, our clock; Infinity for never. */
export function nextAccountMs({ markets, streamOpen }: KernelState, facts: Facts): number {
  if (!streamOpen) return NEVER;
  const { sources, checkMs } = facts;
  let nextMs = Math.min(sources.events.nextMs(checkMs), sources.trades.nextMs(TRADE_MS));
  for (const { lacksSinceMs } of markets.values())
    nextMs = Math.min(nextMs, lacksSinceMs + checkMs);
  return nextMs;
}

/** Whether orders of ours may be open, or have fills that are not known. */
export function hasOrders({ orders }: KernelState): boolean {
  return orders.live().length > 0 || orders.missingFills().length > 0;
}

/** Up to when the streams would have shown what happened to own orders: user events all of it, named public trades in their market. */
function shownMs({ orders, markets }: KernelState, eventMs: number): number {
  let tradesMs = NEVER;
  for (const { marketId } of orders.live()) {
    tradesMs = Math.min(tradesMs, markets.get(marketId)?.namedTradeMs ?? Number.NEGATIVE_INFINITY);
  }
  return tradesMs === NEVER ? eventMs : Math.max(eventMs, tradesMs);
}

function watchTrades({ nowMs, markets }: KernelState, { sources, trades, checkMs }: Facts): void {
  for (const marketId of sources.trades.giveUp(TRADE_MS, nowMs)) {
    const market = markets.get(marketId);
    const fresh = trades.get(marketId);
    if (market === undefined || fresh === undefined) continue;
    if (market.namedTradeMs === Number.NEGATIVE_INFINITY) continue;
    // All market data of the market may have stopped.
    market.book.fresh.suspect(nowMs - checkMs, "an own trade did not come");
    fresh.reason = "an own trade did not come";
    fresh.corrected(nowMs);
  }
}

/** An own order that the book has not shown for a while was filled or canceled, or the book is old. */
function watchLevels(state: KernelState, { account, checkMs }: Facts, market: MarketState): void {
  const { nowMs } = state;
  if (nowMs < market.levelsMs) return;
  market.levelsMs = nowMs + checkMs / 4;
  if (!lacksOwnOrders(state, market)) market.lacksSinceMs = NEVER;
  else if (market.lacksSinceMs === NEVER) market.lacksSinceMs = nowMs;
  else if (nowMs - market.lacksSinceMs >= checkMs) {
    account.fresh.suspect(market.lacksSinceMs, "an own order is not in the book");
    market.book.fresh.suspect(market.lacksSinceMs, "an own order is not in the book");
    market.lacksSinceMs = NEVER;
  }
}

/** Whether the live book has less at a price than our orders there, as far as we know them. */
function lacksOwnOrders({ orders }: KernelState, { market, sync }: MarketState): boolean {
  const { live } = sync;
  if (live === undefined) return false;
  for (const side of sides) {
    for (const [price, own] of orders.ownQuantityByPrice(market.marketId, side)) {
      if (live.side(side).quantityAt(price) < own * (1 - NOISE_SHARE)) return true;
    }
  }
  return false;
}

/** Requests open orders, fills and balances. */
export function readLists(state: KernelState): void {
  state.reads.want({ type: "openOrders" }, state.nowMs, { again: true });
  wantFills(state);
}
