import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { isContingent, type OrderEvent, type OrderReport } from "../domain/order.ts";
import { stop } from "./lifecycle.ts";
import type { FirstOrder, OtherBots } from "./other-bots.ts";
import type { MarketState } from "./market-state.ts";
import type { KernelState } from "./state.ts";

/*
 * Another bot in a market of this account, on another machine (docs/decisions/023). A bot that finds foreign orders in one of its markets
 * at its start observes that market for `timing.observe` before it quotes there, and watches every market for as long after that. Two
 * foreign placements in a market in this time are the work of a program, and the bot whose first order there came later ends with the code
 * `ANOTHER_BOT`: that is this one before its first order, and of two bots that start together one goes on. Later placements, like those of a
 * person by hand, cause one warning. Stop orders and legs do not count: they come with a fill.
 */

/** An ORDER event of any order of the account, before the tracker follows it. */
export function watchEvent(state: KernelState, { eventType, order, timeMs }: OrderEvent): void {
  const { markets, config, nowMs } = state;
  const market = markets.get(order.marketId);
  if (eventType !== "NEW" || config.timing.observeMs === 0 || market === undefined) return;
  const { others } = market;
  if (others.phase === "over" && others.hasWarned) return;
  if (others.phase === "watching" && nowMs > others.untilMs) end(others);
  const first = { timeMs, orderId: order.orderId };
  if (state.orders.byId(order.orderId) !== undefined) others.ownFirst ??= first;
  else if (count(others, order)) {
    others.foreignFirst ??= first;
    if (!isObserving(market)) warn(state, market);
  }
  judge(state, market);
}

/** A list of open orders, requested at `queriedMs`. */
export function watchList(
  state: KernelState,
  reports: readonly OrderReport[],
  queriedMs: number,
): void {
  const { nowMs } = state;
  const { observeMs } = state.config.timing;
  for (const market of state.markets.values()) {
    if (!isObserving(market)) continue;
    const { others } = market;
    if (observeMs === 0) {
      end(others);
      continue;
    }
    const foreign = reports.filter(
      ({ marketId, orderId }) =>
        marketId === market.market.marketId && state.orders.byId(orderId) === undefined,
    );
    if (others.phase === "listening") {
      const isQuiet = foreign.length + others.placed === 0;
      others.phase = isQuiet ? "watching" : "observing";
      others.untilMs = nowMs + observeMs;
      for (const { orderId } of foreign) know(others, orderId);
    } else {
      for (const report of foreign) count(others, report);
      if (others.lastListMs !== undefined && queriedMs >= others.lastListMs) {
        others.phase = "watching";
        others.untilMs = nowMs + observeMs;
      }
    }
    judge(state, market);
  }
}

/** Requests the last list of an observation once its time is over. */
export function endObservation({ markets, nowMs, reads }: KernelState): void {
  for (const { others } of markets.values()) {
    if (others.phase !== "observing" || nowMs < others.untilMs) continue;
    if (others.lastListMs !== undefined) continue;
    others.lastListMs = nowMs;
    reads.want({ type: "openOrders" }, nowMs, { again: true });
  }
}

/** When an observation is over next, our clock; Infinity for never. */
export function nextObservedMs({ markets, nowMs }: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { others } of markets.values()) {
    if (others.phase === "observing" && others.untilMs > nowMs) {
      nextMs = Math.min(nextMs, others.untilMs);
    }
  }
  return nextMs;
}

/** Whether quotes of this market wait for the first list of open orders, or for the end of the look for another bot. */
export function isObserving({ others: { phase } }: MarketState): boolean {
  return phase === "listening" || phase === "observing";
}

/** Counts a foreign order that was not seen before. */
function count(
  others: OtherBots,
  { orderId, orderType }: Pick<OrderReport, "orderId" | "orderType">,
): boolean {
  if (others.known.has(orderId) || isContingent(orderType)) return false;
  others.placed += 1;
  know(others, orderId);
  return true;
}

function know({ known }: OtherBots, orderId: OrderId): void {
  const { takeProfit, stopLoss } = legIdsOf(orderId);
  known.add(orderId).add(takeProfit).add(stopLoss);
}

function end(others: OtherBots): void {
  others.phase = "over";
  others.known.clear();
}

function judge(state: KernelState, { market, others }: MarketState): void {
  const { phase, placed, foreignFirst, ownFirst } = others;
  if (placed < 2 || phase === "listening" || phase === "over") return;
  const isYounger =
    phase === "observing" ||
    (foreignFirst !== undefined && ownFirst !== undefined && isBefore(foreignFirst, ownFirst));
  if (!isYounger) return;
  end(others);
  // The run ends, so there is nothing more to say of such orders.
  others.hasWarned = true;
  const text = `another bot trades on this account in ${market.marketId}: orders that are not in this bot's journal were placed there within seconds of its start`;
  state.notes.push({ type: "warning", code: "ANOTHER_BOT", message: text });
  stop(state, false, text);
  state.ending.code = "ANOTHER_BOT";
}

/** Both bots have to see the same order first. */
function isBefore(left: FirstOrder, right: FirstOrder): boolean {
  return left.timeMs === right.timeMs ? left.orderId < right.orderId : left.timeMs < right.timeMs;
}

function warn({ notes }: KernelState, { market, others }: MarketState): void {
  if (others.hasWarned) return;
  others.hasWarned = true;
  notes.push({
    type: "warning",
    code: "FOREIGN_ORDER_PLACED",
    message: `an order that is not this bot's was placed in ${market.marketId} on this account; this bot's limits do not count such orders`,
  });
}
