import type { TrackedOrder } from "./tracked-order.ts";

/** At least so many questions by id, whatever time has passed. */
const MIN_ABSENCES = 10;

/** The venue, queried by id at `queriedAtMs`, has no such order. True when that is new. */
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
 * Whether an order that was acknowledged counts no more. One answer, or one node that lags behind, is never enough: for `lostMs`
 * all of the venue's ways to tell of it have to know nothing, and the one that matches orders has to have said so, too, by
 * refusing a signed cancel as one of no such order.
 */
export function isLost({ disappearance, cancelFoundNone }: TrackedOrder, lostMs: number): boolean {
  if (disappearance === undefined || !cancelFoundNone) return false;
  const { sinceMs, absences, absentMs, unlistedMs, noFillMs } = disappearance;
  const provenMs = Math.min(absentMs, unlistedMs, noFillMs);
  return absences >= MIN_ABSENCES && provenMs - sinceMs >= lostMs;
}
