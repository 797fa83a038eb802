import type { OrderRole } from "./order-snapshot.ts";
import { type TrackedBracket, pairOf, type TrackedOrder } from "./tracked-order.ts";

/** The legs that have not ended. */
export function liveLegs(bracket: TrackedBracket): TrackedOrder[] {
  const legs: TrackedOrder[] = [];
  for (const leg of [bracket.takeProfit, bracket.stopLoss]) {
    if (leg !== undefined && leg.phase !== "ended") legs.push(leg);
  }
  return legs;
}

/**
 * The orders whose state is in doubt after this one ended or was placed. The venue places the legs of a filled order, cancels those
 * of a canceled one, and ends a leg's pair with it. It sends the events for all of that in the same block (D25).
 */
export function relativesInDoubt(order: TrackedOrder): TrackedOrder[] {
  const { bracket, leg, phase } = order;
  if (bracket === undefined) return [];
  if (leg === undefined) return phase === "ended" ? liveLegs(bracket) : [];
  const doubted: TrackedOrder[] = [];
  const { working } = bracket;
  if (phase !== "pending" && phase !== "ended" && working !== undefined) doubted.push(working);
  const pair = pairOf(order);
  if (phase === "ended" && pair !== undefined) doubted.push(pair);
  return doubted.filter((one) => one.phase !== "ended");
}

export function roleOf({
  leg,
  stopName,
  take,
}: Pick<TrackedOrder, "leg" | "stopName" | "take">): OrderRole {
  if (leg !== undefined) return leg;
  if (stopName !== undefined) return "stop";
  return take === undefined ? "quote" : "take";
}

/** Whether the planner compares the order with target quotes: it is no leg, stop order or take. */
export function isQuote(order: TrackedOrder): boolean {
  return roleOf(order) === "quote";
}
