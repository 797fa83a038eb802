import { fixedText, fixedToNumber, ZERO } from "../../domain/fixed.ts";
import type { OrderReport } from "../../domain/order.ts";
import { isPlain } from "../../orders/foreign-orders.ts";
import type { RestoredOrder } from "../input.ts";
import { slotOf } from "../slots.ts";
import type { KernelState } from "../state.ts";

/** The strategy of adopted orders. No configured strategy can have this name. */
export const ADOPTED = "(adopted)";

/**
 * Takes the reported orders that a power cut removed from the journal as our own, so that they count in every limit and are canceled. An order
 * is taken for one of those by its market and the time of its creation: since the journal's last durable entry, and no later than bytes
 * that were on their way may become an order.
 */
export function adoptLost(state: KernelState, reports: readonly OrderReport[]): void {
  if (state.lost === undefined) return;
  const adopted = reports
    .filter((report) => isLost(state, report))
    .map((report) => restoredFrom(report, ADOPTED));
  if (adopted.length === 0) return;
  state.step.adopted.push(...adopted);
  state.orders.restore(adopted, state.nowMs);
  const list = adopted.map(
    ({ orderId, side, quantity, price, marketId }) =>
      `${orderId} (${marketId} ${side} ${quantity} at ${price})`,
  );
  state.notes.push({
    type: "warning",
    code: "ORDERS_ADOPTED",
    message: `orders that the journal does not know were placed while its end was lost, so they are taken as this bot's own and canceled: ${list.join(", ")}`,
  });
}

/** Strategies that can take a foreign order over. */
export function takersOf({ slots }: KernelState, report: OrderReport): readonly string[] {
  if (!isPlain(report)) return [];
  return slots.filter(({ marketId }) => marketId === report.marketId).map(({ name }) => name);
}

/** Makes a foreign order a strategy's own, all of its fills included. */
export function takeOver(state: KernelState, strategy: string, orderId: string): void {
  const report = state.orders.reports.foreign.find(orderId);
  if (report === undefined || !takersOf(state, report).includes(strategy)) return;
  const taken = restoredFrom(report, strategy);
  state.step.adopted.push(taken);
  for (const order of state.orders.restore([taken], state.nowMs)) {
    const slot = slotOf(state, order);
    if (slot !== undefined) slot.needsPlan = true;
  }
}

/** For how long an order that the journal lost may still be placed, milliseconds; 0 when none can. */
export function lostLandForMs(state: KernelState): number {
  if (state.lost === undefined) return 0;
  return Math.max(0, landUntilMs(state) - state.nowMs);
}

/** Until when bytes that were on their way before this run may become an order, our clock. */
function landUntilMs({ beganMs, config }: KernelState): number {
  return beganMs + (config.nonceWindowMs ?? config.timing.inFlightMs);
}

function isLost(state: KernelState, report: OrderReport): boolean {
  const { lost, orders, venueOffsetMs = 0 } = state;
  const { orderId, marketId, createdAtMs, origQty } = report;
  // Our own orders always state their size in base token.
  if (lost === undefined || origQty === ZERO || orders.byId(orderId) !== undefined) return false;
  const isInSpan = createdAtMs >= lost.sinceMs && createdAtMs <= landUntilMs(state) + venueOffsetMs;
  return isInSpan && lost.marketIds.includes(marketId);
}

/** Its fills are unknown, so it starts without any: the report and the list of fills add them. */
function restoredFrom(
  { orderId, marketId, side, price, origQty, createdAtMs }: OrderReport,
  strategy: string,
): RestoredOrder {
  return {
    orderId,
    // The list does not tell the nonce. Ours are the venue's time at the signing, so this is close.
    nonce: createdAtMs,
    strategy,
    marketId,
    side,
    price: fixedToNumber(price),
    quantity: fixedText(origQty),
    executed: fixedText(ZERO),
    tradeIds: [],
  };
}
