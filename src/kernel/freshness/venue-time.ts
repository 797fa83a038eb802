import type { KernelState } from "../state.ts";

/**
 * Whether something that came now is older, by the venue's clock, than half of what its fact may be. Before the first reading nothing is. A
 * clock that was set looks the same as a late channel, so the clock becomes suspect as well.
 */
export function comesLate(
  { facts, venueOffsetMs, nowMs }: KernelState,
  timeMs: number,
  limitMs: number,
): boolean {
  if (facts === undefined || venueOffsetMs === undefined) return false;
  if (nowMs + venueOffsetMs - facts.clockDoubtMs - timeMs <= limitMs / 2) return false;
  facts.clock.fresh.suspect(nowMs, "events are late by it");
  return true;
}
