import { fixedText, fixedToNumber, ZERO } from "../../domain/fixed.ts";
import type { OrderReport } from "../../domain/order.ts";
import { showsSetClock } from "../../orders/shows-set-clock.ts";
import type { LostTail, RestoredOrder } from "../input.ts";
import type { KernelState } from "../state.ts";

/** The strategy of adopted orders. No configured strategy can have this name. */
export const ADOPTED = "(adopted)";
/** While a lost order may still reach the venue, open orders are listed this often. */
const LIST_AGAIN_MS = 2_000;

/** Adopts the lost orders of a list that was requested at `queriedMs`, and requests the next list while more may arrive. */
export function adoptListed(
  state: KernelState,
  reports: readonly OrderReport[],
  queriedMs: number,
): void {
  if (canJudge(state)) state.judgedListMs = queriedMs;
  const { venueOffsetMs = 0, lostTails, reads, nowMs } = state;
  const isStopping = state.phase === "stopping";
  const isWanted = ({ untilMs, landsUntilMs = untilMs }: LostTail): boolean =>
    (isStopping ? landsUntilMs : untilMs) >= queriedMs + venueOffsetMs;
  if (lostTails.some(isWanted)) {
    reads.want({ type: "openOrders" }, nowMs + LIST_AGAIN_MS, { again: true });
  }
  adoptLost(state, reports);
}

/**
 * Whether a list of open orders tells which lost orders are open and that no other can appear. Before the first reading of the venue's clock
 * it does not: neither the time at which it was requested nor the span of the lost orders is known by that clock.
 */
function canJudge({ lostTails, venueOffsetMs }: KernelState): boolean {
  return lostTails.length === 0 || venueOffsetMs !== undefined;
}

/** The venue's clock was read for the first time. A list of open orders that came before is repeated, since its orders may be lost ones. */
export function judgeListAgain({ lostTails, listQueriedMs, reads, nowMs }: KernelState): void {
  if (lostTails.length === 0) return;
  if (listQueriedMs !== undefined) reads.want({ type: "openOrders" }, nowMs);
}

/**
 * Takes the reported orders that a power cut removed from the journal as our own, so that they count in every limit and are canceled
 * (docs/decisions/019). An order is taken for one of those by its market and the time of its creation.
 */
export function adoptLost(state: KernelState, reports: readonly OrderReport[]): void {
  if (state.lostTails.length === 0) return;
  const adopted = reports.filter((report) => isLost(state, report)).map(restoredFrom);
  if (adopted.length === 0) return;
  state.adopted = [...state.adopted, ...adopted];
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

/** No list of open orders was requested after all orders that the journal lost had reached the venue. */
export function mayMissOrders({
  lostTails,
  judgedListMs = Number.NEGATIVE_INFINITY,
  venueOffsetMs = 0,
}: KernelState): boolean {
  return lostTails.some(({ untilMs }) => untilMs >= judgedListMs + venueOffsetMs);
}

/** Until when, venue time, an order that the journal lost may land unseen by the newest list; undefined when none can. */
export function lostLandUntilMs({
  lostTails,
  judgedListMs = Number.NEGATIVE_INFINITY,
  venueOffsetMs = 0,
}: KernelState): number | undefined {
  const times = lostTails.flatMap(({ landsUntilMs = Number.NEGATIVE_INFINITY }) =>
    landsUntilMs >= judgedListMs + venueOffsetMs ? landsUntilMs : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

function isLost(state: KernelState, report: OrderReport): boolean {
  const { orderId, marketId, createdAtMs, origQty } = report;
  // Our own orders always state their size in base token.
  if (origQty === ZERO || state.orders.byId(orderId) !== undefined) return false;
  return state.lostTails.some((tail) => {
    const { sinceMs, untilMs, landsUntilMs = untilMs, marketIds, foreignIds } = tail;
    return (
      createdAtMs >= sinceMs - wentBackMs(state, tail) &&
      createdAtMs <= landsUntilMs &&
      marketIds.includes(marketId) &&
      foreignIds?.includes(orderId) !== true
    );
  });
}

/**
 * How far the venue's clock may have gone back before it dated a lost order. It takes no order whose nonce is further ahead of it than
 * its window (D6), so one that was signed before the step is no older than that.
 */
function wentBackMs(
  { firstOffsetMs, lowestOffsetMs, lowestVenueMs, config }: KernelState,
  tail: LostTail,
): number {
  const { nonceWindowMs = 0 } = config;
  const { offsetMs, wasClockSet = false } = tail;
  if (wasClockSet) return nonceWindowMs;
  if (offsetMs === undefined || firstOffsetMs === undefined) return 0;
  // The machine's clock may have been set as well: then the difference does not tell how far the venue's went back.
  const wasSet = showsSetClock(tail, { offsetMs: firstOffsetMs, venueMs: lowestVenueMs });
  if (wasSet) return nonceWindowMs;
  return Math.max(0, Math.min(offsetMs - lowestOffsetMs, nonceWindowMs));
}

/** Its fills are unknown, so it starts without any: the report and the list of fills add them. */
function restoredFrom({
  orderId,
  marketId,
  side,
  price,
  origQty,
  createdAtMs,
}: OrderReport): RestoredOrder {
  return {
    orderId,
    // The list does not tell the nonce. Ours are the venue's time at the signing, so this is close.
    nonce: createdAtMs,
    strategy: ADOPTED,
    marketId,
    side,
    price: fixedToNumber(price),
    quantity: fixedText(origQty),
    isAcknowledged: true,
    executed: fixedText(ZERO),
    tradeIds: [],
  };
}
