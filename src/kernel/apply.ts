import { assert } from "../base/assert.ts";
import type { CommandOutcome } from "../domain/command.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import { isContingent, type Fill, type OrderEvent, type OrderReport } from "../domain/order.ts";
import type { OrderId } from "../domain/ids.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { followAudits } from "./book-audits.ts";
import { followBook } from "./book-changes.ts";
import { compareBook, compareOrder, compareTrade } from "./depth-channel.ts";
import type { Input, ReadName } from "./input.ts";
import { stop } from "./lifecycle.ts";
import { wantFills } from "./list-span.ts";
import { followModify } from "./modifies.ts";
import { commandNotSent, venueReached } from "./outage.ts";
import { followOrders } from "./order-changes.ts";
import { onProbeResponse } from "./probe.ts";
import { followSignature } from "./signature.ts";
import type { KernelState } from "./state.ts";
import { noteMessage, onResubscribed, onStream } from "./stream.ts";
import {
  awaitCommand,
  compareFills,
  compareReports,
  noteOrderEvent,
  notePublicTrade,
} from "./user-channel.ts";
import { onClockStep, onRefusal, onVenueTime } from "./venue-clock.ts";

/** Updates the state by one input. Makes no decisions. */
export function apply(state: KernelState, input: Input): void {
  switch (input.type) {
    case "depth":
      noteMessage(state);
      onDepth(state, input.event);
      return;
    case "book":
      noteMessage(state);
      onBook(state, input.snapshot);
      return;
    case "depthAudit":
      noteMessage(state);
      onDepthAudit(state, input.snapshot);
      return;
    case "trade":
      noteMessage(state);
      onTrade(state, input.trade);
      return;
    case "orderEvent":
      noteMessage(state);
      onOrderEvent(state, input.event);
      return;
    case "accountEvent":
      noteMessage(state);
      state.channels?.user.event(undefined, input.event.timeMs, state.nowMs);
      state.balances.accountEvent(input.event);
      return;
    case "stream":
      onStream(state, input.state, input.reason);
      return;
    case "resubscribed":
      onResubscribed(state, input.channel);
      return;
    case "signed":
      state.orders.signed(input.intent, input.txHash);
      return;
    case "response":
      state.budget.release("command");
      onResponse(state, input.intent, input.outcome);
      return;
    case "order":
      noteMessage(state);
      onOrder(state, input.orderId, input.report);
      return;
    case "openOrders":
      noteMessage(state);
      onOpenOrders(state, input.orders);
      return;
    case "fills":
      noteMessage(state);
      onFills(state, input.fills);
      return;
    case "balances":
      noteMessage(state);
      state.balances.report(input.balances, input.blockNumber, closeRead(state, "balances", ""));
      return;
    case "markets":
      noteMessage(state);
      closeRead(state, "markets", "");
      return;
    case "venueTime":
      noteMessage(state);
      noteClock(state, input, closeRead(state, "venueTime", ""));
      onVenueTime(state, input.offsetMs, input.roundTripMs);
      return;
    case "readFailed":
      onReadFailed(state, input);
      return;
    case "tokenWanted":
      state.tokensWanted += 1;
      return;
    case "clockStepped":
      onClockStep(state, input.byMs);
      return;
    case "restored":
      state.nonces.observe(input.restored.nonceHighWater);
      adoptStops(state, state.orders.restore(input.restored.orders, state.nowMs));
      state.orders.rememberGivenUp(input.restored.givenUp ?? [], state.nowMs);
      return;
    case "operator":
      if (input.command === "stop") stop(state, true, "asked to stop");
      else state.paused = input.command === "pause";
      for (const { runner } of state.slots) runner.needsDecision = true;
      return;
    case "mustStop":
      stop(state, false, input.reason, input.limitMs);
      return;
    case "warning":
      state.notes.push({ type: "warning", code: input.code, message: input.message });
      return;
    case "journalFailed":
      stop(state, false, `the journal cannot be written: ${input.message}`);
      return;
  }
}

function onDepth(state: KernelState, event: DepthEvent): void {
  const market = state.markets.get(event.marketId);
  if (market === undefined) return;
  market.channels?.depth.event(event.finalId, event.timeMs, state.nowMs);
  followBook(state, market, market.sync.onDepth(event));
  followAudits(state, market, true);
}

function onDepthAudit(state: KernelState, snapshot: BookSnapshot): void {
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  market.channels?.depth.snapshot(snapshot.lastId, state.nowMs);
  followBook(state, market, market.sync.onAudit(snapshot));
  followAudits(state, market, false);
}

function onBook(state: KernelState, snapshot: BookSnapshot): void {
  closeRead(state, "book", snapshot.marketId);
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  compareBook(state, market, snapshot);
  followBook(state, market, market.sync.onSnapshot(snapshot));
}

function onOrder(state: KernelState, orderId: OrderId, report: OrderReport | "absent"): void {
  const queriedMs = closeRead(state, "order", orderId);
  const changes = state.orders.report(orderId, report, queriedMs, state.nowMs);
  followOrders(state, changes);
  if (report === "absent") {
    state.channels?.user.absent(orderId);
    return;
  }
  compareOrder(state, state.orders.byId(orderId));
  compareReports(state, [report], changes, queriedMs);
}

function onFills(state: KernelState, fills: readonly Fill[]): void {
  const queriedMs = closeRead(state, "fills", "");
  state.fillsQueriedMs = queriedMs;
  const changes = state.orders.fills(fills, queriedMs, state.nowMs);
  followOrders(state, changes);
  compareFills(state, fills, changes, queriedMs);
}

/** Keeps what a reading of the venue's clock says about the age of events. */
function noteClock(
  { channels }: KernelState,
  reading: Extract<Input, { type: "venueTime" }>,
  queriedMs: number,
): void {
  if (channels === undefined) return;
  channels.clock.offsetMs = reading.offsetMs;
  channels.clock.doubtMs = reading.roundTripMs / 2;
  channels.clock.queriedMs = queriedMs;
}

function onTrade(state: KernelState, trade: Trade): void {
  const { marketId, price } = trade;
  const market = state.markets.get(marketId);
  if (market !== undefined) {
    market.lastTrade = price;
    compareTrade(state, market, trade);
    notePublicTrade(state, trade);
  }
  for (const { runner } of state.slots) {
    if (runner.binding.marketId === marketId) runner.noteTrade(trade);
  }
}

function onOpenOrders(state: KernelState, reports: readonly OrderReport[]): void {
  const queriedMs = closeRead(state, "openOrders", "");
  const changes = state.orders.openOrders(reports, queriedMs, state.nowMs);
  followOrders(state, changes);
  compareReports(state, reports, changes, queriedMs);
  if (state.listQueriedMs === undefined) warnOfForeignOrders(state);
  state.listQueriedMs = queriedMs;
  // The previous list of fills may have lacked some. A new one may also prove that an order is lost.
  if (state.orders.missingFills().length > 0 || state.orders.vanished().length > 0) {
    wantFills(state);
  }
}

function onReadFailed(
  state: KernelState,
  { read, key, message, retryAfterMs }: Extract<Input, { type: "readFailed" }>,
): void {
  state.budget.release("read");
  // The tracker has its own schedule for orders in doubt.
  if (read === "order") state.reads.forget("order", key);
  else state.reads.failed(read, key, state.nowMs, retryAfterMs);
  if (retryAfterMs !== undefined) state.budget.pauseUntil(state.nowMs + retryAfterMs);
  const text = `${read} ${key}: ${message}`;
  state.notes.push({ type: "warning", code: "READ_FAILED", message: text });
}

/** Stop orders of an earlier run keep their names. */
function adoptStops(state: KernelState, orders: readonly TrackedOrder[]): void {
  for (const order of orders) state.slotByName.get(order.strategy)?.runner.stops.track(order);
}

/**
 * Warns at the start about open orders that the journal does not know. Another program may own them, or a power cut may have removed
 * them from the journal's end. The bot leaves them alone.
 */
function warnOfForeignOrders(state: KernelState): void {
  const { foreign } = state.orders.counts;
  if (foreign === 0) return;
  const orders =
    foreign === 1
      ? "1 open order of this account is"
      : `${foreign} open orders of this account are`;
  state.notes.push({
    type: "warning",
    code: "FOREIGN_ORDERS",
    message: `${orders} not in this bot's journal and will be left alone: another program placed them, or this bot did just before a power cut`,
  });
}

/** A read got its response, so its slot is free again. Returns when the read was sent. */
function closeRead(state: KernelState, read: ReadName, key: string): number {
  const queriedMs = state.reads.responded(read, key, state.nowMs);
  assert(queriedMs !== undefined, `a response to ${read} ${key} that was requested`);
  state.budget.release("read");
  venueReached(state);
  return queriedMs;
}

function onOrderEvent(state: KernelState, event: OrderEvent): void {
  noteOrderEvent(state, event);
  state.balances.orderEvent(event);
  // The venue decides what stop orders and legs lock (D24, D25), including those that another program placed.
  if (isContingent(event.order.orderType)) {
    state.reads.want({ type: "balances" }, state.nowMs, { again: true });
  }
  followOrders(state, state.orders.event(event, state.nowMs));
}

function onResponse(state: KernelState, intent: number, outcome: CommandOutcome): void {
  if (outcome.type === "accepted" || outcome.type === "refused") noteMessage(state);
  if (outcome.type !== "not-sent") venueReached(state);
  // A placement that our own journal held back says nothing about the connection; the bot is stopping then.
  else if (state.phase !== "stopping" || state.orders.byIntent(intent) === undefined) {
    commandNotSent(state);
  }
  if (outcome.type === "refused" && outcome.reason === "rateLimited") {
    state.budget.pauseUntil(state.nowMs + (outcome.retryAfterMs ?? 1000));
  }
  followSignature(state, outcome);
  // The nonce may be the cause: it is a time, and the venue's clock may have been set.
  if (outcome.type === "refused" && outcome.reason === "invalid") onRefusal(state, intent);
  if (intent === state.probe.intent && state.probe.phase === "open") {
    onProbeResponse(state, outcome);
    return;
  }
  followModify(state, intent, outcome);
  const changes = state.orders.responded(intent, outcome, state.nowMs);
  followOrders(state, changes);
  if (outcome.type !== "accepted") return;
  awaitCommand(state, intent);
  compareOrder(state, state.orders.byIntent(intent));
}
