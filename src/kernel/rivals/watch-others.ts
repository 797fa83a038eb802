import type { MarketId } from "../../domain/ids.ts";
import { legIdsOf } from "../../domain/leg-ids.ts";
import { isContingent, type OrderEvent, type OrderReport } from "../../domain/order.ts";
import { stop } from "../lifecycle.ts";
import type { FirstOrder, OtherBots } from "./other-bots.ts";
import type { KernelState } from "../state.ts";

/*
 * Looks for another bot on this account. A bot that starts and finds foreign orders in one of its markets watches them for
 * `timing.observe` before it quotes, and every bot goes on watching for as long after its first quote. Two new foreign orders, or a new and a canceled one, are the work of a program: the bot, which
 * is the younger of the two, ends with the code `ANOTHER_BOT`. After the first quote the bot whose first order came later is the
 * younger one, so that of two bots that start together one goes on. A pause or halt begins the watch anew. Orders that a person places by hand rest or come one at a time, and
 * later than at the start they only cause a warning (docs/decisions/023).
 */

/** An ORDER event of any order of the account, before the tracker follows it. */
export function watchEvent(state: KernelState, event: OrderEvent): void {
  const { eventType, order } = event;
  const { others, config } = state;
  if (config.timing.observeMs === 0) return;
  if (others.phase === "watching") {
    watchQuoting(state, event);
    return;
  }
  if (!isForeign(state, order)) return;
  if (others.phase === "over") {
    if (eventType === "NEW") warnOfNewOrder(state, order.marketId);
    return;
  }
  if (eventType === "NEW") noteOrder(others, order, "placed");
  else if (eventType === "CANCEL" && !isLeg(others, order)) others.canceled += 1;
  if (others.phase === "observing") judge(state);
}

/** A list of open orders, requested at `queriedMs`. */
export function watchList(
  state: KernelState,
  reports: readonly OrderReport[],
  queriedMs: number,
): void {
  const { others, config, nowMs } = state;
  const { observeMs } = config.timing;
  if (others.phase === "watching" || others.phase === "over") return;
  const foreign = reports.filter((report) => isForeign(state, report));
  if (others.phase === "listening") {
    const isQuiet = foreign.length + others.placed.size + others.canceled === 0;
    others.phase = isQuiet ? afterObservation(state) : "observing";
    if (observeMs === 0) others.phase = "over";
    others.untilMs = nowMs + observeMs;
    for (const report of foreign) noteOrder(others, report, "known");
  } else {
    for (const report of foreign) noteOrder(others, report, "placed");
  }
  if (others.phase !== "observing") return;
  judge(state);
  const { lastListMs } = others;
  if (lastListMs !== undefined && queriedMs >= lastListMs) {
    others.phase = afterObservation(state);
  }
}

function afterObservation({ others, config }: KernelState): OtherBots["phase"] {
  if (config.watchesFirstQuotes !== true) return "over";
  others.untilMs = Number.POSITIVE_INFINITY;
  forgetBurst(others);
  return "watching";
}

/** The whole bot begins or ends a pause or halt: another one may have started meanwhile, which knows nothing of this one. */
export function watchAnew({ others, config }: KernelState, isStill: boolean): void {
  const isOn = config.watchesFirstQuotes === true && config.timing.observeMs > 0;
  if (!isOn || (others.phase !== "watching" && others.phase !== "over")) return;
  others.phase = "watching";
  others.untilMs = Number.POSITIVE_INFINITY;
  others.ownFirst = undefined;
  if (isStill) others.foreignFirst = undefined;
  forgetBurst(others);
}

/** An ORDER event while the bot is watching: looks for a burst of foreign orders around the first own quote. */
function watchQuoting(state: KernelState, event: OrderEvent): void {
  const { eventType, order, timeMs } = event;
  const { others, nowMs, config } = state;
  const { observeMs } = config.timing;
  const first = { timeMs, orderId: order.orderId };
  if (!isForeign(state, order)) {
    if (eventType !== "NEW" || others.ownFirst !== undefined || standsStill(state)) return;
    if (!state.markets.has(order.marketId)) return;
    others.ownFirst = first;
    others.untilMs = nowMs + observeMs;
  } else {
    if (eventType === "NEW") {
      warnOfNewOrder(state, order.marketId);
      if (!isLeg(others, order)) others.foreignFirst ??= first;
    }
    noteBurst(others, event, nowMs, observeMs);
  }
  if (nowMs > others.untilMs) others.phase = "over";
  else if (isYounger(others)) judge(state);
}

/** Whether the operator has told the whole bot not to quote. */
export function standsStill({ paused, haltReason, slots }: KernelState): boolean {
  return paused || haltReason !== undefined || slots.every(({ runner }) => runner.isPaused);
}

/** Others had placed an order before our first one. */
function isYounger({ foreignFirst, ownFirst }: OtherBots): boolean {
  return foreignFirst !== undefined && ownFirst !== undefined && isBefore(foreignFirst, ownFirst);
}

function isBefore(left: FirstOrder, right: FirstOrder): boolean {
  // Both bots have to see the same order first.
  return left.timeMs === right.timeMs ? left.orderId < right.orderId : left.timeMs < right.timeMs;
}

/** Foreign orders count together while no more than `observeMs` lies between two events. Two placements are as good as more. */
function noteBurst(
  others: OtherBots,
  { order, eventType }: OrderEvent,
  nowMs: number,
  observeMs: number,
): void {
  if (nowMs - others.lastMs > observeMs) forgetBurst(others);
  if (eventType === "NEW" && others.placed.size < 2) noteOrder(others, order, "placed");
  else if (eventType === "CANCEL" && !isLeg(others, order)) others.canceled += 1;
  others.lastMs = nowMs;
}

function forgetBurst(others: OtherBots): void {
  others.placed.clear();
  others.canceled = 0;
  if (others.legs.size > LEGS_MAX) others.legs.clear();
}

/** Ids of legs that are remembered, roughly: two for each foreign order. */
const LEGS_MAX = 1_000;

type SeenOrder = Pick<OrderReport, "orderId" | "orderType">;

/** Notes an order that was seen for the first time. Stop orders and exits do not count: they come and go with a fill. */
function noteOrder(others: OtherBots, order: SeenOrder, as: "known" | "placed"): void {
  const { orderId } = order;
  if (others.known.has(orderId) || others.placed.has(orderId) || isLeg(others, order)) return;
  others[as].add(orderId);
  const { takeProfit, stopLoss } = legIdsOf(orderId);
  others.legs.add(takeProfit).add(stopLoss);
}

function isLeg({ legs }: OtherBots, { orderId, orderType }: SeenOrder): boolean {
  return isContingent(orderType) || legs.has(orderId);
}

/** Requests the last list of the observation once its time is over. */
export function endObservation(state: KernelState): void {
  const { others, nowMs, reads } = state;
  if (others.phase !== "observing" || nowMs < others.untilMs) return;
  if (others.lastListMs !== undefined) return;
  others.lastListMs = nowMs;
  reads.want({ type: "openOrders" }, nowMs, { again: true });
}

function judge(state: KernelState): void {
  const { placed, canceled } = state.others;
  if (placed.size < 2 && (placed.size === 0 || canceled === 0)) return;
  state.others.phase = "over";
  // The run ends, so there is nothing more to say of such orders.
  state.others.hasWarned = true;
  const markets = [...state.markets.keys()].join(", ");
  const text = `another bot trades on this account in ${markets}: of the orders there that are not in this bot's journal, ${placed.size} appeared and ${canceled} went within seconds`;
  state.notes.push({ type: "warning", code: "ANOTHER_BOT", message: text });
  stop(state, false, text);
  state.stopCode = "ANOTHER_BOT";
}

function isForeign(
  state: KernelState,
  { orderId, marketId }: Pick<OrderReport, "orderId" | "marketId">,
): boolean {
  return state.markets.has(marketId) && state.orders.byId(orderId) === undefined;
}

function warnOfNewOrder(state: KernelState, marketId: MarketId): void {
  if (state.others.hasWarned) return;
  state.others.hasWarned = true;
  state.notes.push({
    type: "warning",
    code: "FOREIGN_ORDER_PLACED",
    message: `an order that is not this bot's was placed in ${marketId} on this account; this bot's limits do not count such orders`,
  });
}
