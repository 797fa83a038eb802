import { backOffMs } from "../../base/back-off.ts";
import { bookLessOwn } from "../market-state.ts";
import { isQuote, roleOf } from "../../orders/bracket.ts";
import type { OrderChange } from "../../orders/order-change.ts";
import { isRejected, type TrackedOrder } from "../../orders/tracked-order.ts";
import { wantFills } from "../list-span.ts";
import { warnOfOrphanedFill } from "./orphans.ts";
import { judgeModifies, stopModifies } from "./modifies.ts";
import { noteFarFill, orderReturned } from "../impossible/impossible-orders.ts";
import { orderReopened } from "./returned-orders.ts";
import { riskFill, riskReject } from "../risk/risk-watch.ts";
import { slotOf, slotsOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/** Passes the tracker's changes on to the strategies: fills into positions, refusals into cool-downs. */
export function followOrders(state: KernelState, changes: readonly OrderChange[]): void {
  for (const change of changes) {
    const { order } = change;
    const slot = slotOf(state, order);
    if (slot !== undefined) slot.runner.news.orders = true;
    switch (change.type) {
      case "order":
        if (order.phase === "ended") state.requests.awaited.delete(order.cancelIntent);
        followOrder(state, slot, change);
        break;
      case "fill":
        state.lists.lastFillMs = Math.max(state.lists.lastFillMs, change.fill.timeMs);
        state.step.booked.push(change.fill);
        noteFarFill(state, order, change.fill);
        state.positions.apply(order.strategy, change.fill);
        riskFill(state, slot, order, change.fill);
        if (slot === undefined) warnOfOrphanedFill(state, order, change.fill);
        slot?.noteFill(change.fill, order);
        state.notes.push({
          type: "fill",
          strategy: order.strategy,
          intent: order.intent,
          role: roleOf(order),
          fill: change.fill,
          paramsVersion: slot?.runner.paramsVersion ?? 0,
          position: state.positions.of(order.strategy, change.fill.marketId).position.base,
          ...otherMids(state, order),
        });
        break;
      case "triggered":
        break;
      case "cancelFailed":
        if (slot !== undefined) slot.needsPlan = true;
        break;
      case "reopened":
        orderReopened(state, order, change.tradeIds);
        break;
      case "missingFills":
        wantFills(state);
        break;
      case "warning":
        if (change.code === "ORDER_RETURNED") orderReturned(state, order, change.message);
        else state.notes.push({ type: "warning", code: change.code, message: change.message });
        if (change.code === "MODIFY_DIFFERS")
          stopModifies(state, "the venue made a different order than requested");
        // Its quote may have another order by now.
        if (change.code === "ORDER_APPEARED" && slot !== undefined) slot.needsPlan = true;
        break;
    }
  }
  judgeModifies(state);
}

/** Notes a full snapshot of every order that has changed. */
export function publishOrders({ orders, notes }: KernelState): void {
  for (const { order, before } of orders.takeUpdates()) {
    notes.push({ type: "order", strategy: order.strategy, order, before });
  }
}

/** Open orders are listed this long after a refusal. */
const REFUSED_LIST_MS = 3_000;

function followOrder(
  state: KernelState,
  slot: StrategySlot | undefined,
  change: Extract<OrderChange, { type: "order" }>,
): void {
  const { order, status, report } = change;
  const isRefused = report === "refused" && order.phase === "ended";
  // The network may have doubled the request, and the venue taken another copy.
  if (isRefused) state.reads.want({ type: "openOrders" }, state.nowMs + REFUSED_LIST_MS);
  if (isRejected(order) && !order.isCountedReject) {
    order.isCountedReject = true;
    riskReject(state, slot);
  }
  if (slot === undefined) return;
  // It serves no quote any more.
  if (order.phase === "unknown") slot.needsPlan = true;
  slot.stops.follow(change, state.nowMs, state.config.timing);
  slot.takes.follow(change, state.nowMs, state.config.timing);
  // Only quotes cause a cool-down of their side.
  if (!isQuote(order)) return;
  const cooldown = slot.cooldown[order.side];
  // A refused modify is no refused order: its original may have been filled first.
  if ((isRefused && order.origin !== "modify") || status === "REJECTED") {
    const { refusalCooldownMs, refusalCooldownMaxMs } = state.config.timing;
    cooldown.refusals += 1;
    cooldown.untilMs =
      state.nowMs + backOffMs(cooldown.refusals, refusalCooldownMs, refusalCooldownMaxMs);
  } else if (status === "NEW" && report === "open") {
    // An event or a report shows it. A response of 200 alone proves nothing: the order may still be rejected (D12).
    cooldown.refusals = 0;
  }
}

/** The mids of the strategy's other markets, for the figures of hedges. */
function otherMids(
  state: KernelState,
  { strategy, marketId: own }: TrackedOrder,
): { readonly mids?: Readonly<Record<string, number>> } {
  const slots = slotsOf(state, strategy);
  if (slots.length < 2) return {};
  const mids = slots.flatMap(({ marketId, market }) => {
    const mid = marketId === own ? undefined : bookLessOwn(state, market)?.mid;
    return mid === undefined ? [] : [[marketId, mid] as const];
  });
  return { mids: Object.fromEntries(mids) };
}
