import { newestTouch } from "./newest-touch.ts";
import { assert } from "../base/assert.ts";
import { sortFew } from "../base/sort-few.ts";
import type {
  CancelCommand,
  ModifyCommand,
  OrderingCommand,
  PlaceCommand,
} from "../domain/command.ts";
import {
  divDown,
  fixedFromNumber,
  fixedToNumber,
  mulFixed,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import { rulesOf } from "../domain/rules-of.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { guardedPrice } from "../execution/maker-guard.ts";
import type { Placement } from "../execution/planner.ts";
import { CANCEL_EFFECT_MS } from "../orders/order-machine.ts";
import { isLeaving, type TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal, RiskContext } from "../risk/context.ts";
import { denialText } from "../risk/gate.ts";
import type { BookView } from "../strategy/view.ts";
import { cancelCommand, cancelOrder, heldBackReason, takeNumbers } from "./orders/cancel-order.ts";
import {
  cancelContingent,
  emitStop,
  endedReason,
  type WaitingStop,
  waitingStops,
} from "./orders/contingent.ts";
import { mayModify } from "./orders/modifies.ts";
import { orphanReason } from "./orders/orphans.ts";
import { riskContext } from "./risk/risk-context.ts";
import { quotesOf } from "./slots.ts";
import { cancelTakes, emitTakes, isAhead } from "./takes/emit-takes.ts";
import { prepareTakes } from "./takes/prepare-takes.ts";
import { isShort } from "./rate.ts";
import { bookLessOwn } from "./market-state.ts";
import type { KernelState } from "./state.ts";
import type { StrategySlot } from "./strategy/strategy-slot.ts";
import type { TargetQuote } from "./targets.ts";

/**
 * The probe and the cancels that are due, most dangerous first, within the rate budget; those that are sent again come last, and in turns, so that a
 * low rate leaves no order without them. The risk gate does not check cancels.
 */
export function emitCancels(state: KernelState): CancelCommand[] {
  const cancels: CancelCommand[] = [];
  if (state.venueOffsetMs !== undefined) {
    const probe = probeCommand(state);
    if (probe !== undefined) cancels.push(probe);
    prepareTakes(state);
  } else if (state.pastOffsetMs === undefined) return cancels;
  const repeats: { readonly order: TrackedOrder; readonly reason: string }[] = [];
  cancelDue(state, (order, reason) => {
    if (order.cancelIntent > 0) repeats.push({ order, reason });
    else cancel(order, reason);
  });
  sortFew(repeats, (left, right) => left.order.cancelIntent - right.order.cancelIntent);
  for (const { order, reason } of repeats) cancel(order, reason);
  const { foreignCancels } = state.operator;
  for (const [orderId, dueMs] of foreignCancels) {
    if (state.orders.reports.foreign.find(orderId) === undefined) foreignCancels.delete(orderId);
    else if (dueMs <= state.nowMs) {
      const command = cancelCommand(state, "", orderId);
      if (command === undefined) break;
      cancels.push(command);
      foreignCancels.set(orderId, state.nowMs + CANCEL_EFFECT_MS);
    }
  }
  return cancels;

  function cancel(order: TrackedOrder, reason: string): void {
    const command = cancelOrder(state, order, reason);
    if (command !== undefined) cancels.push(command);
  }
}

/** Calls back for each order that is to be canceled now. What is due of a leg depends on the cancels made so far. */
function cancelDue(
  state: KernelState,
  cancel: (order: TrackedOrder, reason: string) => void,
): void {
  for (const slot of state.slots) {
    for (const { order, reason, until } of slot.plan?.cancel ?? []) {
      // The order stays until its replacement is sent: `emitPlaces` cancels it then.
      if (until === undefined || until.quote.placed) cancel(order, reason);
    }
    cancelContingent(state, slot, cancel);
    cancelTakes(state, slot, cancel);
  }
  for (const { inWay } of state.step.takes) {
    for (const order of inWay) cancel(order, "in the way of a take");
  }
  const { cancels } = state.operator;
  for (const order of cancels) {
    if (order.phase === "ended") cancels.delete(order);
    else cancel(order, "canceled by the operator");
  }
  for (const order of state.orders.live()) {
    const orphan = orphanReason(state, order);
    if (orphan !== undefined && endedReason(order) !== undefined) cancel(order, orphan);
  }
}

function probeCommand(state: KernelState): CancelCommand | undefined {
  const { probe, config, nowMs } = state;
  if (probe.phase !== "wanted" || probe.retryAtMs > nowMs) return undefined;
  if (config.probeOrderId === undefined || state.phase !== "starting") return undefined;
  const command = cancelCommand(state, "", config.probeOrderId);
  if (command === undefined) return undefined;
  probe.phase = "open";
  probe.intent = command.intent;
  return command;
}

/** The commands that `emitPlaces` made. The cancels are sent first. */
interface Emitted {
  readonly cancels: CancelCommand[];
  readonly orders: OrderingCommand[];
}

/**
 * Takes, then stop orders and the placements and modifies of the plans, as far as the rate budget goes. Quotes pass the maker guard, and every order
 * passes the risk gate.
 */
export function emitPlaces(state: KernelState): Emitted {
  const emitted: Emitted = { cancels: [], orders: [] };
  const isOpen = state.phase === "running" && state.streamOpen;
  const queues: TurnQueue[] = [];
  if (isOpen) emitTakes(state, emitted.orders);
  for (const slot of state.slots) {
    slot.held.BUY = undefined;
    slot.held.SELL = undefined;
    const hasStops = slot.targets.stops.length > 0 && !slot.pulledNow;
    const waiting = waitingQuotes(slot);
    if (!hasStops && waiting.length === 0) continue;
    const book = isOpen ? bookLessOwn(state, slot.market) : undefined;
    if (book === undefined) {
      for (const placement of waiting) removeExposed(state, placement, emitted);
      continue;
    }
    const round: PlacementRound = { state, slot, book, emitted, context: undefined };
    if (hasStops) queues.push({ round, of: "stops", waiting: waitingStops(state, slot) });
    addQueues(queues, round, waiting);
  }
  emitInTurns(state, queues);
  if (!queues.some(({ round, of }) => of !== "stops" && isShort(round.slot, of))) {
    state.requests.lateSinceMs = undefined;
  }
  return emitted;
}

/** The slot and book that placements of one step are made for, and the commands made so far. */
interface PlacementRound {
  readonly state: KernelState;
  readonly slot: StrategySlot;
  readonly book: BookView;
  readonly emitted: Emitted;
  /** What the newest check has seen; undefined before the first. */
  context: RiskContext | undefined;
}

/** The risk context of the next check. Only a new order changes it: a plan may have hundreds of quotes that are denied in each step. */
function contextOf(round: PlacementRound): RiskContext {
  const { state, slot, book } = round;
  if (round.context?.orders !== state.orders.live()) round.context = undefined;
  round.context ??= riskContext(state, slot, book);
  return round.context;
}

/**
 * The quotes of the plan that are still to be sent. Modifies that make an exposed order less exposed come first: such an order is dangerous,
 * and often in the way of others.
 */
function waitingQuotes({ plan }: StrategySlot): readonly Placement<TargetQuote>[] {
  if (plan === undefined || plan.place.length === 0) return none;
  const waiting = plan.place.filter(({ quote }) => !quote.placed);
  if (waiting.every(({ modifies }) => modifies === undefined)) return waiting;
  return [...waiting.filter(isExposed), ...waiting.filter((placement) => !isExposed(placement))];
}

const none: readonly Placement<TargetQuote>[] = [];

function isExposed({ modifies }: Placement<TargetQuote>): boolean {
  return modifies?.mayWait === false;
}

/** What waits to be sent for one side of a strategy or for its stops, in the order in which it is sent. */
interface TurnQueue {
  readonly round: PlacementRound;
  readonly of: Side | "stops";
  readonly waiting: (Placement<TargetQuote> | WaitingStop)[];
}

/** Adds the queues of both sides, first the one whose first quote comes first. */
function addQueues(
  queues: TurnQueue[],
  round: PlacementRound,
  quotes: readonly Placement<TargetQuote>[],
): void {
  const bySide: Record<Side, Placement<TargetQuote>[]> = { BUY: [], SELL: [] };
  for (const placement of quotes) {
    const waiting = bySide[placement.side];
    if (waiting.length === 0) queues.push({ round, of: placement.side, waiting });
    waiting.push(placement);
  }
  inTurns(round.slot, bySide.BUY);
  inTurns(round.slot, bySide.SELL);
}

/**
 * Sorts the quotes of one side in the order in which they are sent: exposed ones, missing ones, then those that replace an order, the oldest
 * order first, so that under a short budget no level waits for one that moves all the time.
 */
function inTurns(slot: StrategySlot, waiting: Placement<TargetQuote>[]): void {
  if (waiting.length < 2) return;
  const sinceMs = new Map(
    waiting.map((placement) => {
      const order = isExposed(placement) ? undefined : predecessorOf(slot, placement)?.order;
      return [placement, order?.madeAtMs ?? 0];
    }),
  );
  waiting.sort((one, other) => (sinceMs.get(one) ?? 0) - (sinceMs.get(other) ?? 0));
}

/**
 * One order of each queue a turn, over as many steps as the rate budget needs, so that a short budget serves all markets alike. Within a
 * turn a position without its stop and the most exposed quotes come first, then the newest decision.
 */
function emitInTurns(state: KernelState, queues: readonly TurnQueue[]): void {
  const { requests, step } = state;
  let left = queues.filter(isWaiting);
  while (left.length > 0) {
    const next =
      step.blockedUntilMs === undefined
        ? left.filter(({ round, of }) => round.slot.sent[of].turn < requests.turn)
        : left;
    if (next.length > 1)
      next.sort(
        (one, other) =>
          exposureOf(one) - exposureOf(other) ||
          other.round.slot.decidedMs - one.round.slot.decidedMs,
      );
    for (const queue of next) emitTurn(state, queue);
    left = left.filter(isWaiting);
    // The next step goes on with a turn that found no token.
    if (step.blockedUntilMs === undefined) requests.turn += 1;
  }
}

function isWaiting({ waiting }: TurnQueue): boolean {
  return waiting.length > 0;
}

function exposureOf({ waiting: [first] }: TurnQueue): number {
  if (first === undefined) return 1;
  return ("target" in first ? first.misfit === undefined : isExposed(first)) ? 0 : 1;
}

/** Emits the first order of the queue that can be sent; those before it are denied or wait for something else. */
function emitTurn(state: KernelState, { round, of, waiting }: TurnQueue): void {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const isSent = "target" in next ? emitTargetStop(round, next) : emitQuote(round, next);
    if (!isSent) continue;
    round.slot.sent[of] = { turn: state.requests.turn, atMs: state.nowMs };
    return;
  }
}

function emitTargetStop(
  { state, slot, book, emitted }: PlacementRound,
  stop: WaitingStop,
): boolean {
  const command = emitStop(state, slot, book, stop);
  if (command?.type === "stop") emitted.orders.push(command);
  else if (command !== undefined) emitted.cancels.push(command);
  return command !== undefined;
}

/** Sends the order of a quote if it can be sent now. What it replaces is canceled either way, unless the order waits for a token or modifies it. */
function emitQuote(round: PlacementRound, placement: Placement<TargetQuote>): boolean {
  const { state, slot, emitted } = round;
  const { side, quote, modifies } = placement;
  const predecessor = predecessorOf(slot, placement);
  const proposal = sendable(round, placement, predecessor);
  // An order that fits no target never waits for a placement that is denied.
  if (proposal === undefined) {
    remove(state, predecessor, emitted);
    return false;
  }
  // An order that was filled in part may no longer be modified: it is canceled instead.
  const original = modifies !== undefined && mayModify(modifies.order) ? modifies.order : undefined;
  if (modifies !== undefined && original === undefined) remove(state, predecessor, emitted);
  const numbers = takeNumbers(state, "place");
  if (numbers === undefined) {
    slot.held[side] = heldBackReason(state);
    removeExposed(state, placement, emitted);
    return false;
  }
  // Its two legs are orders with intents of their own.
  if (quote.tpsl !== undefined) state.lastIntent += 2;
  quote.placed = true;
  if (original === undefined) {
    const command = placeCommand(numbers, proposal, quote.key);
    const origin = placement.replaces ? "replacement" : "placed";
    state.orders.commands.place(command, state.nowMs, origin);
    emitted.orders.push(command);
    remove(state, predecessor, emitted);
  } else {
    const command = modifyCommand(numbers, proposal, original, quote.key);
    state.orders.commands.modifyMade(command, state.nowMs, modifies?.reason);
    state.modifies.open.add(numbers.intent);
    emitted.orders.push(command);
  }
  return true;
}

/** What is to be sent for a quote, as far as everything but the rate budget goes; undefined when nothing may be sent now, or need be. */
function sendable(
  round: PlacementRound,
  placement: Placement<TargetQuote>,
  predecessor: Predecessor | undefined,
): Proposal | undefined {
  const { state, slot, book } = round;
  const { side, quote } = placement;
  const { market } = slot;
  const touch = newestTouch(market, book, opposite(side));
  const price = guardedPrice(rulesOf(market.market), side, placement.price, touch);
  if (price === undefined) return undefined;
  const wanted = proposalOf(slot, placement, price);
  if (isAhead(state, wanted)) {
    slot.held[side] = "a take goes first";
    return undefined;
  }
  if (slot.cooldown[side].untilMs > state.nowMs) return undefined;
  const proposal = passing(round, placement, wanted, predecessor?.order);
  if (proposal === undefined) return undefined;
  if (isTaken(round, placement, price, predecessor?.order)) {
    quote.placed = true;
    return undefined;
  }
  if (mustCancelFirst(state, placement, predecessor)) {
    slot.held[side] = heldBackReason(state);
    return undefined;
  }
  return proposal;
}

/**
 * During an outage one command tries the connection and the others wait. The replacement must not be that one, since the cancel of its
 * predecessor would follow only later.
 */
function mustCancelFirst(
  { outage }: KernelState,
  { modifies }: Placement<TargetQuote>,
  predecessor: Predecessor | undefined,
): boolean {
  return outage.failures > 0 && modifies === undefined && predecessor !== undefined;
}

/** Whether the touch has moved since the plan was made, and moved this quote to a price where the strategy has another one. */
function isTaken(
  { state, slot }: PlacementRound,
  placement: Placement<TargetQuote>,
  price: number,
  predecessor: TrackedOrder | undefined,
): boolean {
  if (price === placement.price) return false;
  const { side } = placement;
  return (
    quotesOf(state, slot).some(
      (order) =>
        order !== predecessor && order.side === side && order.price === price && !isLeaving(order),
    ) ||
    slot.plan?.place.some(
      (other) => other.side === side && other.price === price && !other.quote.placed,
    ) === true
  );
}

function proposalOf(
  { name, marketId }: StrategySlot,
  { side, size, quote: { tpsl } }: Placement<TargetQuote>,
  price: number,
): Proposal {
  const plain: Proposal = {
    strategy: name,
    marketId,
    side,
    orderType: "LIMIT",
    orderMode: 0,
    price,
    quantity: size,
  };
  return tpsl === undefined ? plain : { ...plain, tpsl };
}

function placeCommand(
  { intent, nonce }: Pick<PlaceCommand, "intent" | "nonce">,
  { strategy, marketId, side, orderType, orderMode, price, quantity, tpsl }: Proposal,
  key: string | undefined,
): PlaceCommand {
  const command: PlaceCommand & { key?: string; tpsl?: Tpsl } = {
    type: "place",
    intent,
    nonce,
    strategy,
    marketId,
    side,
    orderType,
    orderMode,
    price,
    quantity,
  };
  if (key !== undefined) command.key = key;
  if (tpsl !== undefined) command.tpsl = tpsl;
  return command;
}

function modifyCommand(
  { intent, nonce }: Pick<ModifyCommand, "intent" | "nonce">,
  { strategy, marketId, side, price, quantity }: Proposal,
  { orderId }: TrackedOrder,
  key: string | undefined,
): ModifyCommand {
  assert(orderId !== undefined, "a resting order has an id");
  return {
    type: "modify",
    intent,
    nonce,
    strategy,
    orderId,
    marketId,
    side,
    newPrice: price,
    // Nothing of the original has been executed, so the new total is the size.
    newQty: quantity,
    ...(key === undefined ? {} : { key }),
  };
}

/** What the risk gate lets pass of a placement. A denial is noted once, but not while cancels will make room. */
function passing(
  round: PlacementRound,
  placement: Placement<TargetQuote>,
  proposal: Proposal,
  makesWay: TrackedOrder | undefined,
): Proposal | undefined {
  const { state, slot } = round;
  const { side, size, quote } = placement;
  const verdict = state.gate.check(proposal, contextOf(round), makesWay);
  if (verdict.allowed) return proposal;
  const { reason, waits } = verdict;
  const paid = waits || reason.rule !== "balance" ? undefined : paidPart(round, proposal);
  if (paid !== undefined && state.gate.check(paid, contextOf(round)).allowed) return paid;
  slot.held[side] = denialText(verdict);
  if (waits || quote.deniedBy === reason.rule) return undefined;
  quote.deniedBy = reason.rule;
  const { name: strategy, marketId } = slot;
  const { price } = proposal;
  state.notes.push({ type: "denied", strategy, marketId, side, price, quantity: size, reason });
  return undefined;
}

/**
 * The part that the balance pays for, when it is within the size tolerance: other orders may hold as much more than their quotes want. Less
 * a fee, which the bot learns after the execution.
 */
function paidPart(round: PlacementRound, proposal: Proposal): Proposal | undefined {
  const context = contextOf(round);
  const { market } = context;
  const { side, price, quantity } = proposal;
  const left = context.free(side === "BUY" ? market.quoteToken : market.baseToken);
  if (left === undefined || left <= ZERO) return undefined;
  const pays = side === "BUY" ? divDown(left, fixedFromNumber(price), 18) : left;
  const paid = rulesOf(market).roundSize(subFixed(pays, mulFixed(quantity, market.takerFee)));
  const least = 1 - round.slot.targets.sizeTolerance;
  return fixedToNumber(paid) < least * fixedToNumber(quantity)
    ? undefined
    : { ...proposal, quantity: paid };
}

interface Predecessor {
  readonly order: TrackedOrder;
  readonly reason: string;
}

/** The order that this placement replaces, by a modify or by a cancel when it is sent. */
function predecessorOf(
  { plan }: StrategySlot,
  placement: Placement<TargetQuote>,
): Predecessor | undefined {
  return placement.modifies ?? plan?.cancel.find(({ until }) => until === placement);
}

/** Cancels the order that a placement replaces, if there is one. */
function remove(state: KernelState, predecessor: Predecessor | undefined, emitted: Emitted): void {
  if (predecessor === undefined) return;
  const command = cancelOrder(state, predecessor.order, predecessor.reason);
  if (command !== undefined) emitted.cancels.push(command);
}

/** Cancels an order whose modify cannot be sent while it is more exposed than its replacement would be. */
function removeExposed(
  state: KernelState,
  { modifies }: Placement<TargetQuote>,
  emitted: Emitted,
): void {
  if (modifies?.mayWait === false) remove(state, modifies, emitted);
}
