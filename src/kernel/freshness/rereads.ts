import type { KernelState } from "../state.ts";
import { hasOrders, readLists } from "./account.ts";
import type { Fact, Facts } from "./facts.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** A fact that stays suspect is read again after this many checks, or three times within its limit where that is shorter. */
const CHECKS_BETWEEN_READS = 2;
const READS_WITHIN_LIMIT = 3;

/**
 * Reads over REST what is suspect, what nothing has proven for half of its limit, and what had to be corrected. A market whose streams
 * deliver causes no read.
 */
export function reread(state: KernelState, facts: Facts): void {
  const { nowMs } = state;
  for (const fact of facts.all) {
    const { fresh } = fact;
    if (rereadMs(fact, facts.checkMs) > nowMs || !isReadable(state, fact)) continue;
    if (fresh.misses === 0) fresh.suspect(nowMs, "nothing has shown it");
    fact.requestedMs = nowMs;
    read(state, fact);
  }
}

/** When the next fact is to be read, our clock; Infinity for never. */
export function nextRereadMs(state: KernelState, facts: Facts): number {
  let nextMs = NEVER;
  for (const fact of facts.all) {
    const dueMs = rereadMs(fact, facts.checkMs);
    if (dueMs < nextMs && dueMs > state.nowMs && isReadable(state, fact)) nextMs = dueMs;
  }
  return nextMs;
}

/** When a fact is to be read if nothing proves it before; Infinity for never. */
export function rereadMs(
  { fresh, limitMs, requestedMs }: Pick<Fact, "fresh" | "limitMs" | "requestedMs">,
  checkMs: number,
): number {
  const againMs =
    requestedMs + Math.min(CHECKS_BETWEEN_READS * checkMs, limitMs / READS_WITHIN_LIMIT);
  if (fresh.misses > 0) return againMs;
  const checkedMs = fresh.suspectMs + Math.min(checkMs, limitMs / READS_WITHIN_LIMIT);
  return Math.max(againMs, Math.min(checkedMs, fresh.provenMs + limitMs / 2));
}

/** A book that is not in sync is read for that, and without own orders there is nothing to list. */
function isReadable(state: KernelState, { kind, marketId }: Fact): boolean {
  if (!state.streamOpen) return false;
  if (kind === "account") return hasOrders(state);
  return marketId === undefined || state.markets.get(marketId)?.sync.live !== undefined;
}

function read(state: KernelState, { kind, marketId }: Fact): void {
  const { reads, nowMs } = state;
  if (kind === "account") readLists(state);
  else if (kind === "clock") reads.want({ type: "venueTime" }, nowMs);
  else if (kind !== "book") reads.want({ type: kind }, nowMs);
  else if (marketId !== undefined) reads.want({ type: "book", marketId }, nowMs);
}
