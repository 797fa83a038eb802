import type { TrackedOrder } from "./tracked-order.ts";

/** An order is lost only after this many queries by id did not find it. */
const MIN_ABSENCES = 10;

/** Records that a query by id, sent at `queriedAtMs`, did not find the order. Returns true when that is new. */
export function noteAbsence(order: TrackedOrder, queriedAtMs: number): boolean {
  const known = order.disappearance;
  if (known === undefined) {
    order.disappearance = {
      sinceMs: queriedAtMs,
      absences: 1,
      absentMs: queriedAtMs,
      unlistedMs: Number.NEGATIVE_INFINITY,
      noFillMs: Number.NEGATIVE_INFINITY,
    };
    return true;
  }
  known.absences += 1;
  known.absentMs = Math.max(known.absentMs, queriedAtMs);
  return false;
}

/**
 * Whether an acknowledged order is lost. One response, or one lagging node, is never enough: for `lostMs` no query by id, no list of
 * open orders and no list of fills may show the order, and the venue must have refused a signed cancel with "no such order".
 */
export function isLost({ disappearance, cancelFoundNone }: TrackedOrder, lostMs: number): boolean {
  if (disappearance === undefined || !cancelFoundNone) return false;
  const { sinceMs, absences, absentMs, unlistedMs, noFillMs } = disappearance;
  const provenMs = Math.min(absentMs, unlistedMs, noFillMs);
  return absences >= MIN_ABSENCES && provenMs - sinceMs >= lostMs;
}
