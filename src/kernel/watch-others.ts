import type { MarketId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { isContingent, type OrderEvent, type OrderReport } from "../domain/order.ts";
import { stop } from "./lifecycle.ts";
import type { OtherBots } from "./other-bots.ts";
import type { KernelState } from "./state.ts";

/*
 * Looks for another bot on this account. A bot that starts and finds foreign orders in one of its markets watches them for
 * `timing.observe` before it quotes. Two new foreign orders, or a new and a canceled one, are the work of a program: the bot, which
 * is the younger of the two, ends with the code `ANOTHER_BOT`. Orders that a person places by hand rest or come one at a time, and
 * later than at the start they only cause a warning (docs/decisions/023).
 */

/** An ORDER event of any order of the account, before the tracker follows it. */
export function watchEvent(state: KernelState, { eventType, order }: OrderEvent): void {
  const { others, config } = state;
  if (config.timing.observeMs === undefined || !isForeign(state, order)) return;
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
  if (others.phase === "over") return;
  const foreign = reports.filter((report) => isForeign(state, report));
  if (others.phase === "listening") {
    const isQuiet = foreign.length + others.placed.size + others.canceled === 0;
    others.phase = observeMs === undefined || isQuiet ? "over" : "observing";
    others.untilMs = nowMs + (observeMs ?? 0);
    for (const report of foreign) noteOrder(others, report, "known");
  } else {
    for (const report of foreign) noteOrder(others, report, "placed");
  }
  if (others.phase !== "observing") return;
  judge(state);
  const { lastListMs } = others;
  if (lastListMs !== undefined && queriedMs >= lastListMs) others.phase = "over";
}

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
