import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { unlistedSinceMs, wantFills } from "../orders/list-span.ts";
import type { KernelState } from "../state.ts";

/** Requests own fills, since what this order has executed was doubted. A list that is requested from now on decides about it. */
export function awaitFills(state: KernelState, order: TrackedOrder): void {
  const { doubts } = state;
  if (doubts !== undefined) {
    const earlierMs = doubts.awaitedFills?.sinceMs ?? Number.POSITIVE_INFINITY;
    const sinceMs = Math.min(earlierMs, unlistedSinceMs(state, order));
    doubts.awaitedFills = { sinceMs, isRequested: false };
  }
  wantFills(state);
}

/** A list of own fills is requested. */
export function fillsRequested({ doubts }: KernelState): void {
  if (doubts?.awaitedFills !== undefined) doubts.awaitedFills.isRequested = true;
}

/** A list of own fills has come, all pages. */
export function fillsListed({ doubts }: KernelState): void {
  if (doubts?.awaitedFills?.isRequested === true) doubts.awaitedFills = undefined;
}
