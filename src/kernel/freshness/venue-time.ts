import type { KernelState } from "../state.ts";
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

/** A reading of the venue's clock, which was requested at `queriedMs`. */
export function noteClock(
  { facts }: KernelState,
  { roundTripMs }: { readonly offsetMs: number; readonly roundTripMs: number },
  queriedMs: number,
): void {
  if (facts === undefined) return;
  facts.clockDoubtMs = roundTripMs / 2;
  facts.clock.fresh.proven(queriedMs);
}
