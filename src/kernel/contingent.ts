import type { CancelCommand, StopCommand } from "../domain/command.ts";
import { isNear, sizeFits } from "../execution/fit.ts";
import { isLeaving } from "../execution/planner.ts";
import { isDormant, pairOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal } from "../risk/context.ts";
import { denialText } from "../risk/gate.ts";
import type { BookView } from "../strategy/view.ts";
import { cancelOrder, takeNonce, whyNoNonce } from "./cancel-order.ts";
import { riskContext } from "./risk-context.ts";
import { bookLessOwn, type Desk, type KernelState, marketOfDesk } from "./state.ts";
import { isEnding } from "./withdrawal.ts";
import type { StopWish } from "./wishes.ts";

/** Stop orders and legs: what quotes are not. A pause, or a market that cannot be seen, leaves them where they protect. */

/** Adds cancels of stop orders and legs that are due, as far as the budget goes. */
export function cancelContingent(state: KernelState, desk: Desk, cancels: CancelCommand[]): void {
  const orders = state.orders.contingent(desk.runner.name);
  if (orders.length === 0) return;
  const ends = isEnding(state, desk);
  for (const order of orders) {
    const why = ends
      ? whyEnded(order)
      : (whyUnwanted(desk, order) ?? whyReplaced(state, desk, order));
    const command = why === undefined ? undefined : cancelOrder(state, order, why);
    if (command !== undefined) cancels.push(command);
  }
}

/** With everything else; undefined for a leg that another order takes along. */
export function whyEnded(order: TrackedOrder): string | undefined {
  if (isDormant(order)) return undefined;
  const pair = pairOf(order);
  if (pair === undefined || pair.phase === "ended") return "withdrawn";
  // One cancel ends both (D25); should it not, the other follows.
  return isLeaving(pair) ? undefined : "withdrawn";
}

function whyUnwanted({ runner }: Desk, order: TrackedOrder): string | undefined {
  // Before its first wish of this run nobody knows what a strategy wants of what an earlier one left.
  if (!runner.hasWished) return undefined;
  const { drop, stops } = runner.wishes;
  if (drop.includes(order.intent)) return "dropped";
  if (order.stopName === undefined) return undefined;
  if (order.trigger?.isTurned === true) return "the market had passed its stop price";
  // One that was held for never placed and came late: two that fire turn a position round.
  if (runner.stops.get(order.stopName)?.order !== order) return "another order has its name";
  return stops.some(({ name }) => name === order.stopName) ? undefined : "withdrawn";
}

/** An order that does not do any more goes once its successor may come: until then it protects better than nothing. */
function whyReplaced(state: KernelState, desk: Desk, order: TrackedOrder): string | undefined {
  const { wishes, stops, hasWished, isWithdrawn } = desk.runner;
  // What has fired trades as it is; what leaves already has been judged.
  if (!hasWished || isWithdrawn || order.trigger?.isFired !== false || isLeaving(order)) {
    return undefined;
  }
  const wish = wishes.stops.find(({ name }) => name === order.stopName);
  if (wish === undefined) return undefined;
  const record = stops.of(wish.name);
  const why = whyUnfit(wishes, order, wish);
  if (why === undefined) {
    record.why = undefined;
    record.deniedBy = undefined;
    return undefined;
  }
  const isOpen = state.phase === "running" && state.streamOpen;
  const book = isOpen ? bookLessOwn(state, marketOfDesk(state, desk)) : undefined;
  if (book === undefined || record.untilMs > state.nowMs) return undefined;
  const word = mayPass(state, desk, wish, book, order);
  return word === "no" ? undefined : why;
}

/** Why an order does not do for a wanted stop; undefined when it does. */
function whyUnfit(
  wishes: { readonly tolerance: number; readonly sizeTolerance: number },
  order: TrackedOrder,
  wish: StopWish,
): string | undefined {
  const { trigger, price, side } = order;
  if (trigger === undefined || side !== wish.side || trigger.kind !== wish.kind) return "side";
  // The mid of a book that cannot be seen is not needed: a stop's own price says as well what a share of it is.
  const limits = { tolerance: wishes.tolerance, mid: trigger.stopPrice };
  const isSameForm = price > 0 === wish.price > 0;
  if (!isSameForm || !isNear(trigger.stopPrice, wish.stopPrice, limits)) return "price";
  if (!isNear(price, wish.price, limits)) return "price";
  return sizeFits(order, wish, wishes.sizeTolerance) ? undefined : "size";
}

/**
 * Wanted stops that have no order yet. One name has one order at a time: the next is placed when the one before it is known to be
 * over, so that two never trade for one wish.
 */
export function emitStops(state: KernelState, desk: Desk, book: BookView): StopCommand[] {
  const { runner } = desk;
  const stops: StopCommand[] = [];
  for (const wish of runner.wishes.stops) {
    const record = runner.stops.of(wish.name);
    const isLive = record.order !== undefined && record.order.phase !== "ended";
    if (isLive || record.isOver || record.untilMs > state.nowMs) continue;
    if (mayPass(state, desk, wish, book) !== "yes") continue;
    const nonce = takeNonce(state, "place");
    if (nonce === undefined) {
      record.why = whyNoNonce(state);
      continue;
    }
    state.lastIntent += 1;
    const { stop: _, ...terms } = proposalOf(desk, wish);
    const { name, kind, stopPrice } = wish;
    const intent = state.lastIntent;
    const command: StopCommand = { type: "stop", intent, nonce, name, kind, stopPrice, ...terms };
    runner.stops.made(state.orders.place(command, state.nowMs));
    stops.push(command);
    const { strategy, marketId, side, price, quantity } = command;
    state.notes.push({
      type: "stopPlaced",
      intent,
      strategy,
      marketId,
      side,
      name,
      stopPrice,
      price,
      quantity,
    });
  }
  return stops;
}

function proposalOf({ runner }: Desk, wish: StopWish): Proposal {
  const { side, size, price, stopPrice, kind } = wish;
  return {
    strategy: runner.name,
    marketId: runner.binding.marketId,
    side,
    orderType: price > 0 ? "LIMIT" : "MARKET",
    orderMode: 0,
    price,
    quantity: size,
    stop: { stopPrice, kind },
  };
}

/** The risk gate's word; why not stands in the record, and is noted once. `makesWay`: an order that goes for it. */
function mayPass(
  state: KernelState,
  desk: Desk,
  wish: StopWish,
  book: BookView,
  makesWay?: TrackedOrder,
): "yes" | "waits" | "no" {
  const { name, side, stopPrice, size } = wish;
  const record = desk.runner.stops.of(name);
  const context = riskContext(state, desk, book);
  const verdict = state.gate.check(proposalOf(desk, wish), context, makesWay);
  if (verdict.allowed) return "yes";
  const { reason, waitsFor } = verdict;
  record.why = denialText(verdict);
  if (waitsFor !== undefined) return "waits";
  if (record.deniedBy === reason.rule) return "no";
  record.deniedBy = reason.rule;
  const { name: strategy } = desk.runner;
  const told = { strategy, stop: name, side, price: stopPrice, quantity: size, reason };
  state.notes.push({ type: "denied", ...told });
  // What keeps a stop away the strategy has to know: it may be left without protection.
  desk.runner.hasNews = true;
  return "no";
}
