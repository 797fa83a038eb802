import { assert } from "../base/assert.ts";
import type { CommandOutcome } from "../domain/command.ts";
import { isContingent } from "../domain/order.ts";
import {
  awaitCommand,
  compareFills,
  compareReports,
  listsCompared,
  noteOrderEvent,
} from "./freshness/account.ts";
import { believedEvent, believedFills, believedReport } from "./impossible/impossible-orders.ts";
import type { Input } from "./input.ts";
import { adoptLost } from "./orders/adoption.ts";
import { fillsToList, LIST_AGAIN_MS, wantFills } from "./list-span.ts";
import { followModify } from "./orders/modifies.ts";
import { followOrders } from "./orders/order-changes.ts";
import { onProbeResponse } from "./orders/probe.ts";
import { followSignature } from "./orders/signature.ts";
import { followRate } from "./rate.ts";
import { closeRead, partOfRead } from "./read-responses.ts";
import { balancesTraded } from "./risk/account-balances.ts";
import { commandNotSent, venueReached } from "./outage.ts";
import { noteMessage } from "./stream.ts";
import { watchEvent, watchList } from "./watch-others.ts";
import type { KernelState } from "./state.ts";
import { noteAnswer } from "./orders/overdue.ts";

/** What the venue says about orders of the account, in events, responses and lists. What cannot be is left out first (`impossible/`). */

export function onOrderEvent(
  state: KernelState,
  input: Extract<Input, { type: "orderEvent" }>,
): void {
  const event = believedEvent(state, input.event);
  if (event === undefined) return;
  noteOrderEvent(state, event);
  balancesTraded(state, event);
  // The venue decides what stop orders and legs lock (D24, D25), including those that another program placed.
  if (isContingent(event.order.orderType)) {
    state.reads.want({ type: "balances" }, state.nowMs, { again: true });
  }
  adoptLost(state, [event.order]);
  watchEvent(state, event);
  const changes = state.orders.reports.event(event, state.nowMs);
  followOrders(state, changes);
}

export function onResponse(state: KernelState, intent: number, outcome: CommandOutcome): void {
  const { open } = state.requests;
  const sent = open.get(intent);
  assert(sent !== undefined, "a response answers a command");
  open.delete(intent);
  state.budget.release(sent.kind, sent.atMs);
  if (outcome.type === "accepted" || outcome.type === "refused") {
    state.latency.responded(state.nowMs - sent.atMs);
    noteMessage(state);
  }
  if (outcome.type !== "not-sent") venueReached(state);
  else if (outcome.isHeldBack !== true) commandNotSent(state);
  noteAnswer(state, intent, outcome);
  followRate(state, outcome);
  followSignature(state, intent, outcome);
  // Its nonce may be the reason: it is a time, and the venue's clock may have been set.
  if (outcome.type === "refused" && outcome.reason === "invalid") {
    state.reads.want({ type: "venueTime" }, state.nowMs);
  }
  if (intent === state.probe.intent && state.probe.phase === "open") {
    onProbeResponse(state, outcome);
    return;
  }
  followModify(state, intent, outcome);
  const changes = state.orders.commands.responded(intent, outcome, state.nowMs);
  followOrders(state, changes);
  if (outcome.type === "accepted") awaitCommand(state, intent);
}

export function onOrder(state: KernelState, input: Extract<Input, { type: "order" }>): void {
  const { orderId, report: told } = input;
  const queriedMs = closeRead(state, "order", orderId);
  const report = told === "absent" ? told : believedReport(state, told);
  if (report === undefined) return;
  const changes = state.orders.reports.report(orderId, report, queriedMs, state.nowMs);
  followOrders(state, changes);
  if (report === "absent") {
    state.facts?.sources.events.settle(orderId);
    return;
  }
  compareReports(state, [report], changes);
}

export function onOpenOrders(
  state: KernelState,
  input: Extract<Input, { type: "openOrders" }>,
): void {
  const queriedMs = closeRead(state, "openOrders", "");
  const reports = input.orders.flatMap((report) => believedReport(state, report) ?? []);
  const isFirst = state.lists.openQueriedMs === undefined;
  adoptLost(state, reports);
  const changes = state.orders.reports.openOrders(reports, queriedMs, state.nowMs);
  followOrders(state, changes);
  compareReports(state, reports, changes);
  if (isFirst) warnOfForeignOrders(state);
  watchList(state, reports, queriedMs);
  state.lists.openQueriedMs = queriedMs;
  state.lists.answered = state.lists.requested;
  listsCompared(state);
  // The previous list of fills may have lacked some.
  if (fillsToList(state).length > 0) wantFills(state);
  // A second list without it proves that an order is gone.
  if (state.orders.missing().length > 0) {
    state.reads.want({ type: "openOrders" }, state.nowMs + LIST_AGAIN_MS, { again: true });
  }
}

/** Warns at the start about open orders that another program placed. The bot leaves them alone. */
function warnOfForeignOrders(state: KernelState): void {
  const { length } = state.orders.reports.foreign.open;
  if (length === 0) return;
  const orders =
    length === 1 ? "1 open order of this account is" : `${length} open orders of this account are`;
  state.notes.push({
    type: "warning",
    code: "FOREIGN_ORDERS",
    message: `${orders} not in this bot's journal and will be left alone: another program or a person placed them`,
  });
}

/** A page of a list whose other pages follow proves what it shows and nothing that it lacks. */
export function onFills(state: KernelState, input: Extract<Input, { type: "fills" }>): void {
  const { fills: told, isPart = false } = input;
  const queriedMs = isPart ? partOfRead(state, "fills", "") : closeRead(state, "fills", "");
  const fills = believedFills(state, told);
  if (!isPart) state.lists.fillsQueriedMs = queriedMs;
  state.ledger?.listFills(fills, { queriedMs, nowMs: state.nowMs }, isPart);
  const changes = state.orders.reports.fills(fills, state.nowMs);
  followOrders(state, changes);
  compareFills(state, changes);
  if (!isPart) listsCompared(state);
}
