/** Readings of the venue's clock that differ by more than this say that it or the machine's clock was set. */
const CLOCK_SET_MS = 1_000;

/**
 * Whether a later reading of the venue's clock shows that it or the machine's was set since a lost tail began (docs/decisions/225). `offsetMs`: the venue's clock
 * minus ours; left out by older journals.
 */
export function showsSetClock(
  tail: { readonly sinceMs: number; readonly offsetMs?: number },
  reading: { readonly offsetMs: number; readonly venueMs: number },
): boolean {
  if (tail.offsetMs === undefined) return false;
  // Both clocks may have gone back by the same time, which leaves the difference as it was.
  const isBefore = reading.venueMs < tail.sinceMs;
  return Math.abs(reading.offsetMs - tail.offsetMs) > CLOCK_SET_MS || isBefore;
}
