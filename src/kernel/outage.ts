import type { KernelState } from "./state.ts";

/** After commands that nobody could carry: one is tried at once, then one each time after twice as long. */
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;

/** A command that never left: nobody can connect. Others of the same round change nothing. */
export function commandNotSent({ outage, nowMs }: KernelState): void {
  if (outage.failures > 0) return;
  outage.failures = 1;
  outage.retryAtMs = nowMs;
}

/** A request reached the venue, or a connection was made: everything may leave again. */
export function venueReached({ outage }: KernelState): void {
  outage.failures = 0;
  outage.retryAtMs = 0;
}

/** When the next command may leave; the present while they do. */
export function openAgainMs({ outage, nowMs }: KernelState): number {
  return outage.failures === 0 ? nowMs : Math.max(nowMs, outage.retryAtMs);
}

/** A command leaves: while nobody can connect it is the one that tries, and the others wait. */
export function commandLeaves({ outage, nowMs }: KernelState): void {
  if (outage.failures === 0) return;
  outage.retryAtMs = nowMs + Math.min(FIRST_WAIT_MS * 2 ** (outage.failures - 1), MAX_WAIT_MS);
  outage.failures = Math.min(outage.failures + 1, 30);
}
