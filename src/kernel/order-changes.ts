import { isQuote, roleOf } from "../orders/bracket.ts";
import type { OrderChange } from "../orders/order-change.ts";
import { remainingOf } from "../orders/tracked-order.ts";
import { wantFills } from "./list-span.ts";
import { stopModifies } from "./modifies.ts";
import type { StrategySlot, KernelState } from "./state.ts";

/** Turns what the tracker says into notes, fills into positions, refusals into rest. */
export function followOrders(state: KernelState, changes: readonly OrderChange[]): void {
  for (const change of changes) {
    const { order } = change;
    const slot = state.slotByName.get(order.strategy);
    if (slot !== undefined) slot.runner.needsDecision = true;
    switch (change.type) {
      case "order":
        noteOrder(state, slot, change);
        break;
      case "fill":
        state.lastFillMs = Math.max(state.lastFillMs, change.fill.timeMs);
        slot?.position.apply(change.fill);
        slot?.runner.noteFill(change.fill, order);
        state.notes.push({ type: "fill", strategy: order.strategy, fill: change.fill });
        break;
      case "triggered": {
        const { strategy, intent, orderId } = order;
        state.notes.push({ type: "triggered", strategy, intent, orderId, role: roleOf(order) });
        break;
      }
      case "missingFills":
        wantFills(state);
        break;
      case "warning":
        state.notes.push({ type: "warning", code: change.code, message: change.message });
        if (change.code === "MODIFY_DIFFERS") stopModifies(state, "the venue reads it otherwise");
        break;
    }
  }
}

function noteOrder(
  state: KernelState,
  slot: StrategySlot | undefined,
  change: Extract<OrderChange, { type: "order" }>,
): void {
  const { order, status, report, message } = change;
  const isNo = report === "refused" && order.phase === "ended";
  // A modify may be refused because its original was filled first: no order of ours was.
  const refused = isNo && order.replaced === undefined;
  state.notes.push({
    type: "orderChanged",
    strategy: order.strategy,
    marketId: order.marketId,
    side: order.side,
    intent: order.intent,
    orderId: order.orderId,
    role: roleOf(order),
    price: order.price,
    stopPrice: order.trigger?.stopPrice,
    remaining: remainingOf(order),
    status,
    refused,
    message,
  });
  if (slot === undefined) return;
  slot.runner.stops.follow(change, state.nowMs, state.config.timing);
  // A side rests for its quotes alone.
  if (!isQuote(order)) return;
  const cooldown = slot.runner.cooldown[order.side];
  if (refused || status === "REJECTED") {
    const { refusalCooldownMs, refusalCooldownMaxMs } = state.config.timing;
    cooldown.untilMs =
      state.nowMs + Math.min(refusalCooldownMs * 2 ** cooldown.refusals, refusalCooldownMaxMs);
    cooldown.refusals = Math.min(cooldown.refusals + 1, 30);
  } else if (status === "NEW" && report === "open") {
    // Its event or a report: an answer of 200 alone says nothing, the order may be rejected (D12).
    cooldown.refusals = 0;
  }
}
