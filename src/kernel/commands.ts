import type { CancelCommand, PlaceCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { opposite } from "../domain/side.ts";
import { makerPrice } from "../execution/maker-guard.ts";
import { isLeaving, type Placement } from "../execution/planner.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal } from "../risk/context.ts";
import type { BookView } from "../strategy/view.ts";
import { riskContext } from "./risk-context.ts";
import { bookLessOwn, marketOfDesk, type Desk, type KernelState } from "./state.ts";
import type { Wish } from "./strategy-runner.ts";

/** The probe and the cancels that are due, most dangerous first, as far as the budget goes. Cancels never ask risk. */
export function emitCancels(state: KernelState): CancelCommand[] {
  const cancels: CancelCommand[] = [];
  if (state.venueOffsetMs === undefined) return cancels;
  const probe = probeCommand(state);
  if (probe !== undefined) cancels.push(probe);
  for (const { runner } of state.desks) {
    for (const { order, why } of runner.plan?.cancel ?? []) {
      const command = cancelOrder(state, order, why);
      if (command !== undefined) cancels.push(command);
    }
  }
  // Orders of an earlier run whose strategy is not in the config any more.
  for (const order of state.orders.live()) {
    if (state.deskByName.has(order.strategy)) continue;
    const command = cancelOrder(state, order, "its strategy is not in the config");
    if (command !== undefined) cancels.push(command);
  }
  return cancels;
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

/** A cancel of an order that is not leaving already; undefined when there is nothing to send, or no token for it. */
function cancelOrder(
  state: KernelState,
  order: TrackedOrder,
  why: string,
): CancelCommand | undefined {
  if (order.orderId === undefined || order.phase === "ended" || isLeaving(order)) return undefined;
  const command = cancelCommand(state, order.strategy, order.orderId);
  if (command === undefined) return undefined;
  state.orders.cancelMade(command);
  state.notes.push({
    type: "cancelSent",
    intent: command.intent,
    strategy: order.strategy,
    orderId: order.orderId,
    why,
  });
  return command;
}

function cancelCommand(
  state: KernelState,
  strategy: string,
  orderId: OrderId,
): CancelCommand | undefined {
  const nonce = takeNonce(state, "cancel");
  if (nonce === undefined) return undefined;
  state.lastIntent += 1;
  return { type: "cancel", intent: state.lastIntent, nonce, strategy, orderId };
}

/** A nonce and a rate token together, or neither. */
function takeNonce(state: KernelState, kind: "cancel" | "place"): number | undefined {
  const { nonces, budget, nowMs, venueOffsetMs } = state;
  if (venueOffsetMs === undefined) return undefined;
  const freeMs = nonces.nextFreeMs(nowMs, venueOffsetMs);
  if (freeMs <= nowMs && budget.tryTake(kind, nowMs)) return nonces.tryNext(nowMs, venueOffsetMs);
  const blockedMs = Math.max(freeMs, budget.nextFreeMs(kind, nowMs));
  state.blockedUntilMs = Math.min(state.blockedUntilMs, blockedMs);
  return undefined;
}

/** Placements of the plans, nearest the touch first, each through the maker guard and the risk gate. */
export function emitPlaces(state: KernelState): PlaceCommand[] {
  const places: PlaceCommand[] = [];
  if (state.phase !== "running" || !state.streamOpen) return places;
  for (const desk of state.desks) {
    const { runner } = desk;
    const { plan } = runner;
    if (plan === undefined || plan.place.every(({ quote }) => quote.served)) continue;
    const book = bookLessOwn(state, marketOfDesk(state, desk));
    if (book === undefined) continue;
    runner.held.BUY = undefined;
    runner.held.SELL = undefined;
    for (const placement of plan.place) {
      if (placement.quote.served) continue;
      const command = placeOrder(state, desk, placement, book);
      if (command !== undefined) places.push(command);
    }
  }
  return places;
}

function placeOrder(
  state: KernelState,
  desk: Desk,
  placement: Placement<Wish>,
  book: BookView,
): PlaceCommand | undefined {
  const { runner } = desk;
  const { side, size, quote, replaces } = placement;
  if (runner.rest[side].untilMs > state.nowMs) return undefined;
  const price = makerPrice(side, placement.price, book.best(opposite(side))?.price);
  if (price === undefined) return undefined;
  const proposal: Proposal = {
    strategy: runner.name,
    marketId: runner.binding.marketId,
    side,
    orderType: "LIMIT",
    orderMode: 0,
    price,
    quantity: size,
  };
  const verdict = state.gate.check(proposal, riskContext(state, desk, book));
  if (!verdict.allowed) {
    const { reason, waits } = verdict;
    runner.held[side] = waits
      ? "waiting for a cancel"
      : `denied by ${reason.rule}: ${reason.actual}, limit ${reason.limit}`;
    if (waits || quote.deniedBy === reason.rule) return undefined;
    quote.deniedBy = reason.rule;
    const { name: strategy } = runner;
    state.notes.push({ type: "denied", strategy, side, price, quantity: size, reason });
    return undefined;
  }
  const nonce = takeNonce(state, "place");
  if (nonce === undefined) {
    runner.held[side] = "waiting for the rate budget";
    return undefined;
  }
  state.lastIntent += 1;
  const command: PlaceCommand = {
    type: "place",
    intent: state.lastIntent,
    nonce,
    ...proposal,
  };
  state.orders.place(command, state.nowMs);
  quote.served = true;
  state.notes.push({
    type: "placed",
    intent: command.intent,
    strategy: runner.name,
    marketId: command.marketId,
    side,
    price,
    quantity: size,
    replaces,
  });
  return command;
}
