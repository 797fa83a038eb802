import type { CancelCommand, StopCommand } from "../../domain/command.ts";
import { absFixed, ZERO } from "../../domain/fixed.ts";
import { isNear, sizeFits } from "../../execution/fit.ts";
import { isDormant, isLeaving, pairOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { Proposal } from "../../risk/context.ts";
import { liveQuantity } from "../../risk/exposure.ts";
import { denialText } from "../../risk/gate.ts";
import type { BookView } from "../../strategy/view.ts";
import { cancelOrder, heldBackReason, takeNumbers } from "./cancel-order.ts";
import { heldBy, riskContext } from "../risk/risk-context.ts";
import { isReduceOnly } from "../risk/quote-mode.ts";
import { contingentOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { isEnding } from "../risk/quote-pull.ts";
import type { TargetStop } from "../targets.ts";

/** Stop orders and legs. Unlike quotes they stay through a pause or an unusable book, since they protect the position. */

/** Calls back for each stop order and leg that is to be canceled now. */
export function cancelContingent(
  state: KernelState,
  slot: StrategySlot,
  cancel: (order: TrackedOrder, reason: string) => void,
): void {
  const orders = contingentOf(state, slot);
  if (orders.length === 0) return;
  const ends = isEnding(state, slot);
  for (const order of orders) {
    const reason = ends
      ? endedReason(order)
      : (unwantedReason(slot, order) ?? openingReason(state, slot, order));
    if (reason !== undefined) cancel(order, reason);
  }
}

/** Why an order is canceled when its strategy ends; undefined for a leg that the cancel of its quote or pair ends anyway. */
export function endedReason(order: TrackedOrder): string | undefined {
  if (isDormant(order)) return undefined;
  const pair = pairOf(order);
  if (pair === undefined || pair.phase === "ended") return "withdrawn";
  // One cancel ends both legs (D25). If it does not, the other leg is canceled later.
  const isLost = pair.cancel === "unknown" || pair.cancel === "refused";
  return isLeaving(pair) && !isLost ? undefined : "withdrawn";
}

function unwantedReason(slot: StrategySlot, order: TrackedOrder): string | undefined {
  // Until a strategy's first decision in this run we do not know which orders of an earlier run it keeps.
  if (!slot.hasDecided) return undefined;
  const { drop, stops } = slot.targets;
  if (drop.includes(order.intent)) return "dropped";
  if (order.stopName === undefined) return undefined;
  if (order.trigger?.isTurned === true) return "the market had passed its stop price";
  // An order that we took for never placed appeared late. If two stops fired, they would reverse the position.
  if (slot.stops.get(order.stopName)?.order !== order) return "another order has its name";
  return stops.some(({ name }) => name === order.stopName) ? undefined : "withdrawn";
}

/**
 * Why a stop order is canceled that could bring the position further from 0, or beyond together with older ones, while it may only be
 * reduced.
 */
function openingReason(
  state: KernelState,
  slot: StrategySlot,
  order: TrackedOrder,
): string | undefined {
  if (order.stopName === undefined || !isReduceOnly(state, slot)) return undefined;
  const held = heldBy(state, slot);
  const reduces = order.side === (held > ZERO ? "SELL" : "BUY");
  const stops = contingentOf(state, slot).filter(
    ({ stopName, intent }) => stopName !== undefined && intent <= order.intent,
  );
  const worst = liveQuantity(stops, order.marketId, order.side);
  return reduces && worst <= absFixed(held) ? undefined : "reduce only";
}

/** Which term of an order does not fit a target stop; undefined when all fit. */
function unfitReason(
  targets: { readonly tolerance: number; readonly sizeTolerance: number },
  order: TrackedOrder,
  target: TargetStop,
): string | undefined {
  const { trigger, price, side } = order;
  if (trigger === undefined || side !== target.side || trigger.kind !== target.kind) return "side";
  // Tolerances are relative to the stop price instead of the mid, so they need no book.
  const limits = { tolerance: targets.tolerance, mid: trigger.stopPrice };
  const isSameForm = price > 0 === target.price > 0;
  if (!isSameForm || !isNear(trigger.stopPrice, target.stopPrice, limits)) return "price";
  if (!isNear(price, target.price, limits)) return "price";
  return sizeFits(order, target, targets.sizeTolerance) ? undefined : "size";
}

/** A target stop that waits for its turn: it has no order yet, or `misfit`, an order that does not fit it any more. */
export interface WaitingStop {
  readonly target: TargetStop;
  readonly misfit?: TrackedOrder;
  readonly reason?: string;
}

/**
 * The target stops that have something to send, first those without an order. A name has one order at a time: the next one is placed
 * only after the previous one is known to have ended, so that two never trade.
 */
export function waitingStops(
  { nowMs }: KernelState,
  { targets, stops }: StrategySlot,
): WaitingStop[] {
  const missing: WaitingStop[] = [];
  const misfits: WaitingStop[] = [];
  for (const target of targets.stops) {
    const record = stops.of(target.name);
    const { order } = record;
    if (order === undefined || order.phase === "ended") {
      if (!record.isOver && record.untilMs <= nowMs) missing.push({ target });
      continue;
    }
    // A stop that has fired trades as it is. One that is being canceled was judged before.
    if (order.trigger?.isFired !== false || isLeaving(order)) continue;
    const reason = unfitReason(targets, order, target);
    if (reason === undefined) {
      record.reason = undefined;
      record.deniedBy = undefined;
    } else if (record.untilMs <= nowMs) misfits.push({ target, misfit: order, reason });
  }
  return [...missing, ...misfits];
}

/**
 * Places a target stop, or cancels the order that does not fit it any more. That order stays until risk lets its replacement pass: a poor
 * stop is better than none. Undefined when nothing can be sent.
 */
export function emitStop(
  state: KernelState,
  slot: StrategySlot,
  book: BookView,
  { target, misfit, reason = "" }: WaitingStop,
): StopCommand | CancelCommand | undefined {
  if (misfit !== undefined) {
    if (mayPass(state, slot, { target, book, makesWay: misfit }) === "no") return undefined;
    return cancelOrder(state, misfit, reason, "place");
  }
  if (mayPass(state, slot, { target, book }) !== "yes") return undefined;
  const numbers = takeNumbers(state, "place");
  if (numbers === undefined) {
    slot.stops.of(target.name).reason = heldBackReason(state);
    return undefined;
  }
  const { stop: _, ...terms } = proposalOf(slot, target);
  const { name, kind, stopPrice } = target;
  const command: StopCommand = { type: "stop", ...numbers, name, kind, stopPrice, ...terms };
  slot.stops.track(state.orders.commands.place(command, state.nowMs));
  return command;
}

function proposalOf(slot: StrategySlot, target: TargetStop): Proposal {
  const { side, size, price, stopPrice, kind } = target;
  return {
    strategy: slot.name,
    marketId: slot.marketId,
    side,
    orderType: price > 0 ? "LIMIT" : "MARKET",
    orderMode: 0,
    price,
    quantity: size,
    stop: { stopPrice, kind },
  };
}

/** A stop to check against the risk gate. `makesWay`: the order that it replaces. */
interface StopCheck {
  readonly target: TargetStop;
  readonly book: BookView;
  readonly makesWay?: TrackedOrder;
}

/** The risk gate's verdict on a stop. The record keeps a denial's reason, which is noted once. */
function mayPass(
  state: KernelState,
  slot: StrategySlot,
  { target, book, makesWay }: StopCheck,
): "yes" | "waits" | "no" {
  const { name, side, stopPrice, size } = target;
  const record = slot.stops.of(name);
  const context = riskContext(state, slot, book);
  const verdict = state.gate.check(proposalOf(slot, target), context, makesWay);
  if (verdict.allowed) return "yes";
  const { reason, waits } = verdict;
  record.reason = denialText(verdict);
  if (waits) return "waits";
  if (record.deniedBy === reason.rule) return "no";
  record.deniedBy = reason.rule;
  const { name: strategy, marketId } = slot;
  const denial = { stop: name, side, price: stopPrice, quantity: size, reason };
  state.notes.push({ type: "denied", strategy, marketId, ...denial });
  // The strategy has to know what keeps a stop from being placed: it may be without protection.
  slot.runner.needsDecision = true;
  return "no";
}
