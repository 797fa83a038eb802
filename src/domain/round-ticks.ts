/**
 * Tolerance for a double that stands for a whole number of ticks but carries arithmetic noise: a few hundred ulps, and
 * never more than a quarter of a tick. A mid that a strategy moved by a share of itself has about ten digits and may
 * truly lie 10^-10 off the tick, so more tolerance would now and then round a bid up.
 */
const NOISE = 1e-13;
const MAX_NOISE = 0.25;

/** A price in ticks, rounded down unless only noise separates it from a whole number. */
export function ticksDown(ticks: number): number {
  const nearest = Math.round(ticks);
  return isNoise(ticks, nearest) ? nearest : Math.floor(ticks);
}

/** A price in ticks, rounded up unless only noise separates it from a whole number. */
export function ticksUp(ticks: number): number {
  const nearest = Math.round(ticks);
  return isNoise(ticks, nearest) ? nearest : Math.ceil(ticks);
}

function isNoise(ticks: number, nearest: number): boolean {
  const off = Math.abs(ticks - nearest);
  return off <= Math.abs(ticks) * NOISE && off <= MAX_NOISE;
}
