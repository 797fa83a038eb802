import type { CancelCommand, StopCommand } from "../domain/command.ts";
import { isNear, sizeFits } from "../execution/fit.ts";
import { isLeaving, isDormant, pairOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal } from "../risk/context.ts";
import { denialText } from "../risk/gate.ts";
import type { BookView } from "../strategy/view.ts";
import { cancelOrder, takeNonce, nonceBlockReason } from "./cancel-order.ts";
import { riskContext } from "./risk-context.ts";
import { bookLessOwn, type StrategySlot, type KernelState, marketOfSlot } from "./state.ts";
import { isEnding } from "./quote-pull.ts";
import type { TargetStop } from "./targets.ts";

/** Stop orders and legs: what quotes are not. A pause, or a market that cannot be seen, leaves them where they protect. */

/** Adds cancels of stop orders and legs that are due, as far as the budget goes. */
export function cancelContingent(
  state: KernelState,
  slot: StrategySlot,
  cancels: CancelCommand[],
): void {
  const orders = state.orders.contingent(slot.runner.name);
  if (orders.length === 0) return;
  const ends = isEnding(state, slot);
  for (const order of orders) {
    const reason = ends
      ? endedReason(order)
      : (unwantedReason(slot, order) ?? replacedReason(state, slot, order));
    const command = reason === undefined ? undefined : cancelOrder(state, order, reason);
    if (command !== undefined) cancels.push(command);
  }
}

/** With everything else; undefined for a leg whose order or pair is canceled anyway. */
export function endedReason(order: TrackedOrder): string | undefined {
  if (isDormant(order)) return undefined;
  const pair = pairOf(order);
  if (pair === undefined || pair.phase === "ended") return "withdrawn";
  // One cancel ends both (D25); should it not, the other follows.
  return isLeaving(pair) ? undefined : "withdrawn";
}

function unwantedReason({ runner }: StrategySlot, order: TrackedOrder): string | undefined {
  // Before a strategy's first decision in this run it is unknown which orders of an earlier run it keeps.
  if (!runner.hasDecided) return undefined;
  const { drop, stops } = runner.targets;
  if (drop.includes(order.intent)) return "dropped";
  if (order.stopName === undefined) return undefined;
  if (order.trigger?.isTurned === true) return "the market had passed its stop price";
  // One that was held for never placed and came late: two that fire turn a position round.
  if (runner.stops.get(order.stopName)?.order !== order) return "another order has its name";
  return stops.some(({ name }) => name === order.stopName) ? undefined : "withdrawn";
}

/** An order that does not do any more goes once its successor may come: until then it protects better than nothing. */
function replacedReason(
  state: KernelState,
  slot: StrategySlot,
  order: TrackedOrder,
): string | undefined {
  const { targets, stops, hasDecided, isPulled } = slot.runner;
  // What has fired trades as it is; what leaves already has been judged.
  if (!hasDecided || isPulled || order.trigger?.isFired !== false || isLeaving(order)) {
    return undefined;
  }
  const target = targets.stops.find(({ name }) => name === order.stopName);
  if (target === undefined) return undefined;
  const record = stops.of(target.name);
  const reason = unfitReason(targets, order, target);
  if (reason === undefined) {
    record.reason = undefined;
    record.deniedBy = undefined;
    return undefined;
  }
  const isOpen = state.phase === "running" && state.streamOpen;
  const book = isOpen ? bookLessOwn(state, marketOfSlot(state, slot)) : undefined;
  if (book === undefined || record.untilMs > state.nowMs) return undefined;
  const word = mayPass(state, slot, target, book, order);
  return word === "no" ? undefined : reason;
}

/** Why an order does not do for a wanted stop; undefined when it does. */
function unfitReason(
  targets: { readonly tolerance: number; readonly sizeTolerance: number },
  order: TrackedOrder,
  target: TargetStop,
): string | undefined {
  const { trigger, price, side } = order;
  if (trigger === undefined || side !== target.side || trigger.kind !== target.kind) return "side";
  // The mid of a book that cannot be seen is not needed: a stop's own price says as well what a share of it is.
  const limits = { tolerance: targets.tolerance, mid: trigger.stopPrice };
  const isSameForm = price > 0 === target.price > 0;
  if (!isSameForm || !isNear(trigger.stopPrice, target.stopPrice, limits)) return "price";
  if (!isNear(price, target.price, limits)) return "price";
  return sizeFits(order, target, targets.sizeTolerance) ? undefined : "size";
}

/**
 * Target stops that have no order yet. A name has one order at a time: the next one is placed when the previous one is known to be
 * over, so that never both trade.
 */
export function emitStops(state: KernelState, slot: StrategySlot, book: BookView): StopCommand[] {
  const { runner } = slot;
  const stops: StopCommand[] = [];
  for (const target of runner.targets.stops) {
    const record = runner.stops.of(target.name);
    const isLive = record.order !== undefined && record.order.phase !== "ended";
    if (isLive || record.isOver || record.untilMs > state.nowMs) continue;
    if (mayPass(state, slot, target, book) !== "yes") continue;
    const nonce = takeNonce(state, "place");
    if (nonce === undefined) {
      record.reason = nonceBlockReason(state);
      continue;
    }
    state.lastIntent += 1;
    const { stop: _, ...terms } = proposalOf(slot, target);
    const { name, kind, stopPrice } = target;
    const intent = state.lastIntent;
    const command: StopCommand = { type: "stop", intent, nonce, name, kind, stopPrice, ...terms };
    runner.stops.made(state.orders.place(command, state.nowMs));
    stops.push(command);
  }
  return stops;
}

function proposalOf({ runner }: StrategySlot, target: TargetStop): Proposal {
  const { side, size, price, stopPrice, kind } = target;
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
  slot: StrategySlot,
  target: TargetStop,
  book: BookView,
  makesWay?: TrackedOrder,
): "yes" | "waits" | "no" {
  const { name, side, stopPrice, size } = target;
  const record = slot.runner.stops.of(name);
  const context = riskContext(state, slot, book);
  const verdict = state.gate.check(proposalOf(slot, target), context, makesWay);
  if (verdict.allowed) return "yes";
  const { reason, waitsFor } = verdict;
  record.reason = denialText(verdict);
  if (waitsFor !== undefined) return "waits";
  if (record.deniedBy === reason.rule) return "no";
  record.deniedBy = reason.rule;
  const { name: strategy } = slot.runner;
  const told = { strategy, stop: name, side, price: stopPrice, quantity: size, reason };
  state.notes.push({ type: "denied", ...told });
  // What keeps a stop away the strategy has to know: it may be left without protection.
  slot.runner.needsDecision = true;
  return "no";
}
