import type { Trade } from "../../domain/depth.ts";
import type { OrderId } from "../../domain/ids.ts";
import { isTerminal, type Fill, type OrderEvent, type OrderReport } from "../../domain/order.ts";
import type { OrderChange } from "../../orders/order-change.ts";
import type { ShownStatus } from "../../orders/order-snapshot.ts";
import type { ChannelState } from "./channel-state.ts";
import { lacksOwnOrders } from "./depth-channel.ts";
import { wantFills } from "../orders/list-span.ts";
import type { KernelState, MarketState } from "../state.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** Lists are read again after this many checks while the book goes on to lack own orders. */
const CHECKS_BETWEEN_LISTS = 5;

/** Statuses that user events report (§6.4). */
const told: ReadonlySet<ShownStatus> = new Set([
  "NEW",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "REJECTED",
]);

/** The stream was opened or closed, or the user channel was subscribed to anew. */
export function userChannelOpened(state: KernelState, isOpen: boolean): void {
  state.ledger?.gap(state.nowMs);
  const { channels, nowMs } = state;
  if (channels === undefined) return;
  channels.ownTrades.clear();
  channels.fillsMs = nowMs;
  if (isOpen) channels.user.opened(nowMs);
  else channels.user.closed();
}

/** An ORDER event, before the tracker applies it. */
export function noteOrderEvent(state: KernelState, { order, fill, timeMs }: OrderEvent): void {
  const { channels, nowMs } = state;
  if (channels === undefined) return;
  channels.user.event(order.orderId, timeMs, nowMs);
  if (fill === undefined || state.orders.byId(order.orderId) === undefined) return;
  const lagMs = channels.ownTrades.shown("user", fill, nowMs);
  if (lagMs !== undefined) noteOwnTrade(state, fill, lagMs);
}

/** A public trade: if it is ours, a user event has to tell of it, too. */
export function notePublicTrade(state: KernelState, trade: Trade): void {
  const { buyOrderId, sellOrderId } = trade;
  if (buyOrderId !== undefined) awaitTrade(state, trade, buyOrderId);
  if (sellOrderId !== undefined) awaitTrade(state, trade, sellOrderId);
}

function awaitTrade(state: KernelState, trade: Trade, orderId: OrderId): void {
  const { channels, nowMs } = state;
  const market = state.markets.get(trade.marketId)?.channels;
  if (channels === undefined || market === undefined) return;
  market.hasOrderIds = true;
  market.lastTradeMs = nowMs;
  market.tradeBehindSinceMs = Number.POSITIVE_INFINITY;
  if (state.orders.byId(orderId) === undefined) return;
  const { marketId, tradeId, timeMs } = trade;
  const lagMs = channels.ownTrades.shown("public", { marketId, tradeId, orderId }, nowMs);
  if (lagMs !== undefined) noteOwnTrade(state, trade, lagMs);
  else if (channels.user.isOpenAt(timeMs, channels.clock)) {
    channels.user.expectEvent(orderId, "trade", timeMs, nowMs);
  }
}

function noteOwnTrade(
  { notes }: KernelState,
  { marketId }: Pick<Trade, "marketId">,
  lagMs: number,
): void {
  notes.push({ type: "ownTrade", marketId, lagMs });
}

/** REST accepted a command: an event about its order has to come (D12). */
export function awaitCommand(state: KernelState, intent: number): void {
  const { channels, nowMs, orders } = state;
  if (channels === undefined) return;
  const timeMs = nowMs + (channels.clock.offsetMs ?? 0);
  const placed = orders.byIntent(intent);
  if (placed !== undefined) {
    const { orderId, phase, eventBlock } = placed;
    if (orderId === undefined || phase === "ended" || eventBlock !== undefined) return;
    channels.user.expectEvent(orderId, "placement", timeMs, nowMs);
    return;
  }
  const canceled = orders.live().find(({ cancelIntent }) => cancelIntent === intent);
  if (canceled?.orderId === undefined) return;
  channels.user.expectEvent(canceled.orderId, "cancel", timeMs, nowMs);
}

/** Reports over REST and the changes that they made: what they tell first, an event should have told. */
export function compareReports(
  state: KernelState,
  reports: readonly OrderReport[],
  changes: readonly OrderChange[],
  queriedMs: number,
): void {
  const { channels } = state;
  if (channels === undefined) return;
  for (const { orderId, status } of reports) {
    channels.user.shown(orderId, isTerminal(status), queriedMs);
  }
  for (const change of changes) {
    if (change.type !== "order" || !told.has(change.status)) continue;
    const report = reports.find(({ orderId }) => orderId === change.order.orderId);
    if (report !== undefined) awaitReport(state, report.orderId, report.updatedAtMs);
  }
}

/** A list of fills and the changes that it made. */
export function compareFills(
  state: KernelState,
  fills: readonly Fill[],
  changes: readonly OrderChange[],
  queriedMs: number,
): void {
  const { channels } = state;
  if (channels === undefined) return;
  for (const { orderId } of fills) channels.user.shown(orderId, false, queriedMs);
  for (const change of changes) {
    if (change.type === "fill") awaitReport(state, change.fill.orderId, change.fill.timeMs);
  }
}

function awaitReport(state: KernelState, orderId: OrderId, timeMs: number): void {
  const { channels, nowMs } = state;
  if (channels?.user.isOpenAt(timeMs, channels.clock) !== true) return;
  channels.user.expectEvent(orderId, "report", timeMs, nowMs);
}

/** Reads the orders whose events are overdue, and everything about own orders again and again while the channel is behind. */
export function readOverdue(state: KernelState): void {
  const { channels, reads, nowMs } = state;
  if (channels === undefined) return;
  const { user, checkMs } = channels;
  let count = 0;
  for (
    let orderId = nextOverdue(channels, nowMs);
    orderId !== undefined;
    orderId = nextOverdue(channels, nowMs)
  ) {
    count += 1;
    if (count <= QUERIES_MAX) reads.want({ type: "order", orderId }, nowMs);
  }
  const isDue = user.behindSinceMs <= nowMs && nowMs - channels.listsMs >= 2 * checkMs;
  if (isDue || count > QUERIES_MAX) {
    channels.listsMs = nowMs;
    readLists(state);
  } else if (count > 0) wantFills(state);
}

/** After a depth event: whether the book lacks own orders. They were filled or canceled unless events of the user channel are late. */
export function noteOwnLevels(state: KernelState, market: MarketState): void {
  const { channels } = market;
  if (channels === undefined || state.channels?.silenceMs === NEVER) return;
  const isCurrent = channels.depth.behindSinceMs === NEVER;
  if (!isCurrent || !lacksOwnOrders(state, market)) channels.ownMissingSinceMs = NEVER;
  else if (channels.ownMissingSinceMs === NEVER) channels.ownMissingSinceMs = state.nowMs;
}

/** Reads what no event told: all lists when a book lacks own orders, and fills when neither events nor public trades come. */
export function readUntold(state: KernelState): void {
  const { channels, nowMs } = state;
  if (channels === undefined || channels.silenceMs === NEVER) return;
  for (const market of state.markets.values()) {
    if (missingDueMs(channels, market) <= nowMs) {
      noteOwnLevels(state, market);
      if (market.channels?.ownMissingSinceMs === NEVER) continue;
      channels.fillsMs = nowMs;
      readLists(state);
    } else if (silenceDueMs(state, channels, market) <= nowMs) {
      channels.fillsMs = nowMs;
      wantFills(state);
    }
  }
}

/** When what no event told is to be read next, our clock; Infinity for never. */
export function nextUntoldMs(state: KernelState): number {
  const { channels, nowMs } = state;
  if (channels === undefined || channels.silenceMs === NEVER || !state.streamOpen) return NEVER;
  let nextMs = NEVER;
  for (const market of state.markets.values()) {
    const missingMs = missingDueMs(channels, market);
    if (missingMs > nowMs) nextMs = Math.min(nextMs, missingMs);
    const silenceMs = silenceDueMs(state, channels, market);
    if (silenceMs > nowMs) nextMs = Math.min(nextMs, silenceMs);
  }
  return nextMs;
}

function missingDueMs({ checkMs, fillsMs }: ChannelState, { channels }: MarketState): number {
  const sinceMs = channels?.ownMissingSinceMs ?? NEVER;
  return Math.max(sinceMs + checkMs, fillsMs + CHECKS_BETWEEN_LISTS * checkMs);
}

/** Public trades only tell of fills where they name their orders. */
function silenceDueMs(
  { orders }: KernelState,
  { user, fillsMs, silenceMs }: ChannelState,
  { market, channels }: MarketState,
): number {
  const { marketId } = market;
  const isResting =
    orders.ownQuantityByPrice(marketId, "BUY").size +
      orders.ownQuantityByPrice(marketId, "SELL").size >
    0;
  if (!isResting) return NEVER;
  return Math.max(user.lastEventMs, channels?.lastTradeMs ?? fillsMs, fillsMs) + silenceMs;
}

/** An order of which a public trade or our own command tells, but no user event; each is returned once. */
function nextOverdue(
  { user, ownTrades, checkMs }: ChannelState,
  nowMs: number,
): OrderId | undefined {
  return user.nextToQuery(nowMs) ?? ownTrades.nextToQuery(checkMs / 2, nowMs);
}

/** With more overdue events than this, the list of open orders says more for fewer requests. */
const QUERIES_MAX = 4;

/** Requests open orders, fills and balances. */
export function readLists(state: KernelState): void {
  state.reads.want({ type: "openOrders" }, state.nowMs, { again: true });
  wantFills(state);
}
