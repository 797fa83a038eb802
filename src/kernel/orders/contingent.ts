import type { StopCommand } from "../../domain/command.ts";
import { absFixed, ZERO } from "../../domain/fixed.ts";
import { isNear, sizeFits } from "../../execution/fit.ts";
import { isDormant, isLeaving, pairOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { Proposal } from "../../risk/context.ts";
import { liveQuantity } from "../../risk/exposure.ts";
import { denialText } from "../../risk/gate.ts";
import type { BookView } from "../../strategy/view.ts";
import { heldBackReason, takeNonce } from "./cancel-order.ts";
import { heldBy, riskContext } from "../risk/risk-context.ts";
import { quoteModeOf } from "../risk/risk-state.ts";
import { contingentOf } from "../slots.ts";
import { bookLessOwn } from "../market-state.ts";
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
      : (unwantedReason(slot, order) ??
        openingReason(state, slot, order) ??
        replacedReason(state, slot, order));
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
  if (order.stopName === undefined || quoteModeOf(state, slot) !== "reduceOnly") return undefined;
  const held = heldBy(state, slot);
  const reduces = order.side === (held > ZERO ? "SELL" : "BUY");
  const stops = contingentOf(state, slot).filter(
    ({ stopName, intent }) => stopName !== undefined && intent <= order.intent,
  );
  const worst = liveQuantity(stops, order.marketId, order.side);
  return reduces && worst <= absFixed(held) ? undefined : "reduce only";
}

/** Why a stop that no longer fits is canceled. It stays until risk lets its replacement pass: a poor stop is better than none. */
function replacedReason(
  state: KernelState,
  slot: StrategySlot,
  order: TrackedOrder,
): string | undefined {
  const { targets, stops, hasDecided, isPulled } = slot;
  // A stop that has fired trades as it is. One that is being canceled was judged before.
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
  const book = isOpen ? bookLessOwn(state, slot.market) : undefined;
  if (book === undefined || record.untilMs > state.nowMs) return undefined;
  const verdict = mayPass(state, slot, { target, book, makesWay: order });
  return verdict === "no" ? undefined : reason;
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

/**
 * Places the target stops that have no order yet. A name has one order at a time: the next one is placed only after the previous
 * one is known to have ended, so that two never trade.
 */
export function emitStops(state: KernelState, slot: StrategySlot, book: BookView): StopCommand[] {
  const stops: StopCommand[] = [];
  for (const target of slot.targets.stops) {
    const record = slot.stops.of(target.name);
    const isLive = record.order !== undefined && record.order.phase !== "ended";
    if (isLive || record.isOver || record.untilMs > state.nowMs) continue;
    if (mayPass(state, slot, { target, book }) !== "yes") continue;
    const nonce = takeNonce(state, "place");
    if (nonce === undefined) {
      record.reason = heldBackReason(state);
      continue;
    }
    state.lastIntent += 1;
    const { stop: _, ...terms } = proposalOf(slot, target);
    const { name, kind, stopPrice } = target;
    const intent = state.lastIntent;
    const command: StopCommand = { type: "stop", intent, nonce, name, kind, stopPrice, ...terms };
    slot.stops.track(state.orders.commands.place(command, state.nowMs));
    stops.push(command);
  }
  return stops;
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
  const { name: strategy } = slot;
  const denial = { strategy, stop: name, side, price: stopPrice, quantity: size, reason };
  state.notes.push({ type: "denied", ...denial });
  // The strategy has to know what keeps a stop from being placed: it may be without protection.
  slot.runner.needsDecision = true;
  return "no";
}
