import type { Facts } from "./facts.ts";

/** Whether something that came now is older, by the venue's clock, than half of what its fact may be. Before the first reading nothing is. */
export function isLate(
  { clockDoubtMs }: Facts,
  venueOffsetMs: number | undefined,
  nowMs: number,
  timeMs: number,
  limitMs: number,
): boolean {
  if (venueOffsetMs === undefined) return false;
  return nowMs + venueOffsetMs - clockDoubtMs - timeMs > limitMs / 2;
}

/** A clock that was set looks the same as a late channel. */
export function suspectClock({ clock }: Facts, nowMs: number): void {
  clock.fresh.suspect(nowMs, "events are late by it");
}
