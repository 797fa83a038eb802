import { assert } from "../base/assert.ts";
import type { CommandOutcome } from "../domain/command.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import { isContingent } from "../domain/order.ts";
import type { RestoredOrder } from "../orders/restored-order.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { adoptListed, adoptLost } from "./orders/adoption.ts";
import { auditBook, followAudits } from "./channels/book-audits.ts";
import { followBook } from "./channels/book-changes.ts";
import {
  accountChanged,
  compareBalances,
  compareTransfers,
  noteEventTime,
  orderTraded,
} from "./risk/balance-drift.ts";
import { publishPauses, restoreCarried } from "./carried.ts";
import {
  compareBook,
  compareOrder,
  compareOwnEvent,
  compareOwnFill,
  compareTrade,
} from "./channels/depth-channel.ts";
import type { Input, OperatorCommand, ReadName } from "./input.ts";
import { agreeOnBook } from "./risk/agreed-readings.ts";
import { awaitFills, fillsListed } from "./doubts/awaited-fills.ts";
import { reportBalances } from "./doubts/doubt-balances.ts";
import { followTradePrice } from "./doubts/doubt-book.ts";
import { compareMarkets } from "./doubts/doubt-markets.ts";
import { disbelieve, toldOr } from "./doubts/disbelief.ts";
import { believedEvent, believedFills, believedReport } from "./doubts/doubt-reports.ts";
import { resumeMarkets } from "./doubts/doubts.ts";
import { stop } from "./lifecycle.ts";
import { fillsToList, wantFills } from "./orders/list-span.ts";
import { followModify } from "./orders/modifies.ts";
import { standsStill, watchAnew, watchEvent, watchList } from "./rivals/watch-others.ts";
import { commandNotSent, venueReached } from "./channels/outage.ts";
import { followOrders } from "./orders/order-changes.ts";
import { onProbeResponse } from "./orders/probe.ts";
import { followRate, rateLimited } from "./rate.ts";
import { resumeRisk, riskClock } from "./risk/risk-watch.ts";
import { followSignature, signerChanged } from "./orders/signature.ts";
import { warnOfOrphans } from "./orders/orphans.ts";
import { slotOf } from "./slots.ts";
import type { KernelState } from "./state.ts";
import { onGuard } from "./standby/standby.ts";
import { noteMessage, onResubscribed, onStream } from "./channels/stream.ts";
import {
  awaitCommand,
  compareFills,
  compareReports,
  noteOrderEvent,
  noteOwnLevels,
  notePublicTrade,
} from "./channels/user-channel.ts";
import { likelyOffsets, onClockStep, onRefusal, onVenueTime } from "./venue-clock.ts";

/** Inputs that a message from the venue becomes. Responses to commands note the message themselves. */
const fromVenue: ReadonlySet<Input["type"]> = new Set<Input["type"]>([
  "depth",
  "book",
  "depthAudit",
  "trade",
  "orderEvent",
  "accountEvent",
  "order",
  "openOrders",
  "fills",
  "balances",
  "transfers",
  "markets",
  "venueTime",
]);

type InputOf<Type extends Input["type"]> = Extract<Input, { readonly type: Type }>;

/** Updates the state by one input. Makes no decisions. */
export function apply(state: KernelState, input: Input): void {
  if (fromVenue.has(input.type)) noteMessage(state);
  switch (input.type) {
    case "depth":
      return onDepth(state, input.event);
    case "book":
      return onBook(state, input.snapshot);
    case "depthAudit":
      return onDepthAudit(state, input.snapshot);
    case "trade":
      return onTrade(state, input.trade);
    case "orderEvent":
      return onOrderEvent(state, input);
    case "accountEvent":
      state.channels?.user.event(undefined, input.event.timeMs, state.nowMs);
      state.balances.accountEvent(input.event, state.nowMs);
      return accountChanged(state, input.event);
    case "stream":
      return onStream(state, input.state, input.reason);
    case "resubscribed":
      return onResubscribed(state, input.channel);
    case "signed":
      state.sentMs.set(input.intent, state.nowMs);
      return state.orders.signed(input.intent, input.txHash);
    case "response":
      state.budget.release("command", state.takenMs.get(input.intent));
      state.takenMs.delete(input.intent);
      return onResponse(state, input.intent, input.outcome);
    case "order":
      return onOrder(state, input);
    case "openOrders":
      return onOpenOrders(state, input);
    case "fills":
      return onFills(state, input);
    case "balances": {
      const queriedMs = closeRead(state, "balances", "");
      reportBalances(state, input, queriedMs);
      return compareBalances(state, input, queriedMs);
    }
    case "transfers":
      return compareTransfers(state, input.transfers, closeRead(state, "transfers", ""));
    case "markets":
      closeRead(state, "markets", "");
      return compareMarkets(state, input.markets);
    case "venueTime":
      noteClock(state, input, closeRead(state, "venueTime", ""));
      riskClock(state, input.offsetMs);
      return onVenueTime(state, input.offsetMs, input.roundTripMs);
    case "readFailed":
      return onReadFailed(state, input);
    case "tokenWanted":
      state.tokensWanted += 1;
      return;
    case "clockStepped":
      return onClockStep(state, input.byMs);
    case "restored":
      state.nonces.observe(input.restored.nonceHighWater);
      for (const { nonce } of input.restored.orders) state.nonces.observeUsed(nonce);
      state.likelyOffsetsMs = likelyOffsets(state, input.restored);
      state.lostTails = input.restored.lostTails ?? [];
      adopt(state, state.orders.restore(input.restored.orders, state.nowMs));
      awaitRestoredFills(state, input.restored.orders);
      state.orders.rememberGivenUp(input.restored.givenUp ?? [], state.nowMs);
      return restoreCarried(state, input.restored.carried ?? []);
    case "operator":
      return onOperator(state, input);
    case "mustStop":
      return stop(state, false, input.reason, input.limitMs);
    case "warning":
      state.notes.push({ type: "warning", code: input.code, message: input.message });
      return;
    case "guard":
      return onGuard(state, input.isConnected);
    case "diskHangs":
      // Without a nonce on the disk, the next run would begin where this one does: the clock keeps their nonces apart.
      if (input.nonceHighWater === 0) return;
      state.nonces.keepFrom(input.nonceHighWater);
      state.cancelNonces = "kept";
      return;
    case "diskBack":
      if (state.cancelNonces === "kept") state.cancelNonces = "free";
      return;
    case "signerChanged":
      return signerChanged(state);
    case "journalFailed":
      state.nonces.keepFrom(input.nonceHighWater);
      state.cancelNonces = "kept";
      return stop(state, false, `the journal cannot be written: ${input.message}`);
  }
}

function onOperator(state: KernelState, input: OperatorCommand): void {
  const wasStill = standsStill(state);
  for (const { runner } of state.slots) runner.needsDecision = true;
  command(state, input);
  const isStill = standsStill(state);
  if (isStill !== wasStill) watchAnew(state, isStill);
}

function command(state: KernelState, input: OperatorCommand): void {
  switch (input.command) {
    case "stop":
      stop(state, true, "asked to stop");
      return;
    case "halt":
      state.haltReason = input.reason;
      return;
    case "resume":
      if (input.strategy === undefined) resumeMarkets(state);
      resumeRisk(state, input.strategy, input.force === true);
      setPaused(state, false, input.strategy);
      publishPauses(state);
      return;
    case "pause":
      setPaused(state, true, input.strategy);
      publishPauses(state);
      return;
  }
}

function setPaused(state: KernelState, isPaused: boolean, strategy: string | undefined): void {
  if (strategy !== undefined) {
    const slot = state.slotByName.get(strategy);
    if (slot !== undefined) slot.runner.isPaused = isPaused;
    return;
  }
  state.paused = isPaused;
  if (isPaused) return;
  state.haltReason = undefined;
  for (const { runner } of state.slots) runner.isPaused = false;
}

function onDepth(state: KernelState, event: DepthEvent): void {
  const market = state.markets.get(event.marketId);
  if (market === undefined) return;
  market.channels?.depth.event(event.finalId, event.timeMs, state.nowMs);
  noteEventTime(state, event.timeMs);
  followBook(state, market, market.sync.onDepth(event));
  followAudits(state, market, true);
  noteOwnLevels(state, market);
}

function onDepthAudit(state: KernelState, snapshot: BookSnapshot): void {
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  market.channels?.depth.snapshot(snapshot.lastId, state.nowMs);
  followBook(state, market, market.sync.onAudit(snapshot));
  followAudits(state, market, false);
}

function onBook(state: KernelState, snapshot: BookSnapshot): void {
  const queriedMs = closeRead(state, "book", snapshot.marketId);
  const market = state.markets.get(snapshot.marketId);
  if (market === undefined) return;
  agreeOnBook(state, market, snapshot, queriedMs);
  if (auditBook(state, market, snapshot)) return;
  compareBook(state, market, snapshot);
  followBook(state, market, market.sync.onSnapshot(snapshot));
}

function onOrder(state: KernelState, input: InputOf<"order">): void {
  const { orderId, report: told } = input;
  const queriedMs = closeRead(state, "order", orderId);
  const report = told === "absent" ? told : believedReport(state, told, "REST");
  if (report !== told) disbelieve(state, report && { ...input, report });
  if (report === undefined) return;
  const changes = state.orders.report(orderId, report, queriedMs, state.nowMs);
  followOrders(state, changes);
  if (report === "absent") {
    state.channels?.user.absent(orderId);
    return;
  }
  compareOrder(state, state.orders.byId(orderId));
  compareReports(state, [report], changes, queriedMs);
}

/** A page of a list whose other pages follow proves what it shows and nothing that it lacks. */
function onFills(state: KernelState, input: InputOf<"fills">): void {
  const { fills: told, isPart = false } = input;
  const queriedMs = isPart ? openRead(state, "fills", "") : closeRead(state, "fills", "");
  const fills = believedFills(state, told);
  if (!isPart) {
    state.fillsQueriedMs = queriedMs;
    fillsListed(state);
  }
  if (state.ledger !== undefined) for (const fill of fills) state.ledger.fill(fill);
  const changes = state.orders.fills(fills, isPart ? undefined : queriedMs, state.nowMs);
  const taken = toldOr(
    told,
    fills.filter((fill) => !state.orders.isLeftOut(fill)),
  );
  if (taken !== told) disbelieve(state, { ...input, fills: taken });
  followOrders(state, changes);
  compareFills(state, fills, changes, queriedMs);
  for (const change of changes) if (change.type === "fill") compareOwnFill(state, change.fill);
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
    followTradePrice(state, market);
    compareTrade(state, market, trade);
    notePublicTrade(state, trade);
  }
  for (const { runner } of state.slots) {
    if (runner.binding.marketId === marketId) runner.noteTrade(trade);
  }
}

function onOpenOrders(state: KernelState, input: InputOf<"openOrders">): void {
  const { orders: told } = input;
  const queriedMs = closeRead(state, "openOrders", "");
  const believed = told.flatMap((report) => believedReport(state, report, "REST") ?? []);
  const reports = toldOr(told, believed);
  if (reports !== told) disbelieve(state, { ...input, orders: reports });
  adoptListed(state, reports, queriedMs);
  const changes = state.orders.openOrders(reports, queriedMs, state.nowMs);
  followOrders(state, changes);
  compareReports(state, reports, changes, queriedMs);
  if (state.listQueriedMs === undefined) warnOfForeignOrders(state);
  watchList(state, reports, queriedMs);
  state.listQueriedMs = queriedMs;
  state.lists.answered = state.lists.requested;
  // The previous list of fills may have lacked some. A new one may also prove that an order is lost.
  if (fillsToList(state).length > 0 || state.orders.vanished().length > 0) {
    wantFills(state);
  }
}

function onReadFailed(
  state: KernelState,
  { read, key, message, reason, retryAfterMs }: Extract<Input, { type: "readFailed" }>,
): void {
  state.budget.release("read", state.reads.queriedMs(read, key));
  // The tracker has its own schedule for orders in doubt. Transfers are of interest while a change of the balances is unexplained.
  const isOver = read === "transfers" && state.ledger?.checkMs === undefined;
  if (read === "order" || isOver) state.reads.forget(read, key);
  else state.reads.failed(read, key, state.nowMs, retryAfterMs);
  if (reason === "rateLimited") rateLimited(state, retryAfterMs);
  else if (reason === undefined && retryAfterMs !== undefined) {
    // As runs of older versions did.
    state.budget.pauseUntil(state.nowMs + retryAfterMs);
  }
  const text = `${read} ${key}: ${message}`;
  state.notes.push({ type: "warning", code: "READ_FAILED", message: text });
}

/** Stop orders of an earlier run keep their names. Orders that belong to no slot any more are canceled. */
function adopt(state: KernelState, orders: readonly TrackedOrder[]): void {
  for (const order of orders) slotOf(state, order)?.runner.stops.track(order);
  warnOfOrphans(state, orders);
}

/** Reads the fills that the earlier run doubted, in case it ended before their list came. */
function awaitRestoredFills(state: KernelState, restored: readonly RestoredOrder[]): void {
  for (const { orderId, awaitsFills } of restored) {
    const order = awaitsFills === true ? state.orders.byId(orderId) : undefined;
    if (order !== undefined) awaitFills(state, order);
  }
}

/** Warns at the start about open orders that another program placed. The bot leaves them alone. */
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
    message: `${orders} not in this bot's journal and will be left alone: another program or a person placed them`,
  });
}

/** A read got its response, so its slot is free again. Returns when the read was sent. */
function closeRead(state: KernelState, read: ReadName, key: string): number {
  const queriedMs = state.reads.responded(read, key, state.nowMs);
  assert(queriedMs !== undefined, `a response to ${read} ${key} that was requested`);
  state.budget.release("read", queriedMs);
  venueReached(state);
  return queriedMs;
}

/** A read got a part of its response. Returns when the read was sent. */
function openRead(state: KernelState, read: ReadName, key: string): number {
  const queriedMs = state.reads.queriedMs(read, key);
  assert(queriedMs !== undefined, `a part of a response to ${read} ${key} that was requested`);
  venueReached(state);
  return queriedMs;
}

function onOrderEvent(state: KernelState, input: InputOf<"orderEvent">): void {
  const { event: told } = input;
  const { event, awaitsFills } = believedEvent(state, told);
  if (event === undefined) {
    disbelieve(state, undefined);
    return;
  }
  noteOrderEvent(state, event);
  state.balances.orderEvent(event, state.nowMs);
  orderTraded(state, event);
  // The venue decides what stop orders and legs lock (D24, D25), including those that another program placed.
  if (isContingent(event.order.orderType)) {
    state.reads.want({ type: "balances" }, state.nowMs, { again: true });
  }
  adoptLost(state, [event.order]);
  watchEvent(state, event);
  const changes = state.orders.event(event, state.nowMs);
  const isLeftOut = event.fill !== undefined && state.orders.isLeftOut(event.fill);
  const taken = isLeftOut ? { ...event, fill: undefined } : event;
  if (taken !== told) disbelieve(state, { ...input, event: taken }, awaitsFills);
  followOrders(state, changes);
  compareOwnEvent(state, event);
}

function onResponse(state: KernelState, intent: number, outcome: CommandOutcome): void {
  if (outcome.type === "accepted" || outcome.type === "refused") noteMessage(state);
  if (outcome.type !== "not-sent") venueReached(state);
  // In older journals only a bot that is stopping holds placements back.
  else if (
    outcome.isHeldBack !== true &&
    (state.phase !== "stopping" || state.orders.byIntent(intent) === undefined)
  ) {
    commandNotSent(state);
  }
  followRate(state, intent, outcome);
  followSignature(state, intent, outcome);
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
