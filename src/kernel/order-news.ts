import { isQuote, roleOf } from "../orders/bracket.ts";
import type { OrderChange } from "../orders/order-change.ts";
import { remainingOf } from "../orders/tracked-order.ts";
import { wantFills } from "./list-span.ts";
import { stopModifies } from "./modifies.ts";
import type { Desk, KernelState } from "./state.ts";

/** Turns what the tracker says into notes, fills into positions, refusals into rest. */
export function followOrders(state: KernelState, changes: readonly OrderChange[]): void {
  for (const change of changes) {
    const { order } = change;
    const desk = state.deskByName.get(order.strategy);
    if (desk !== undefined) desk.runner.hasNews = true;
    switch (change.type) {
      case "order":
        noteOrder(state, desk, change);
        break;
      case "fill":
        state.lastFillMs = Math.max(state.lastFillMs, change.fill.timeMs);
        desk?.position.apply(change.fill);
        desk?.runner.noteFill(change.fill, order);
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
  desk: Desk | undefined,
  change: Extract<OrderChange, { type: "order" }>,
): void {
  const { order, status, word, message } = change;
  const isNo = word === "refused" && order.phase === "ended";
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
  if (desk === undefined) return;
  desk.runner.stops.follow(change, state.nowMs, state.config.timing);
  // A side rests for its quotes alone.
  if (!isQuote(order)) return;
  const rest = desk.runner.rest[order.side];
  if (refused || status === "REJECTED") {
    const { refusalRestMs, refusalRestMaxMs } = state.config.timing;
    rest.untilMs = state.nowMs + Math.min(refusalRestMs * 2 ** rest.refusals, refusalRestMaxMs);
    rest.refusals = Math.min(rest.refusals + 1, 30);
  } else if (status === "NEW" && word === "open") {
    // Its event or a report: an answer of 200 alone says nothing, the order may be rejected (D12).
    rest.refusals = 0;
  }
}
