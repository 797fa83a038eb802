import { backOffMs } from "../base/back-off.ts";
import type { KernelState } from "./state.ts";

/** While commands cannot be sent, one is tried at once, then one at a time after a wait that doubles. */
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;

/** A command was not sent because no connection could be made. Further ones of the same round change nothing. */
export function commandNotSent({ outage, nowMs }: KernelState): void {
  if (outage.failures > 0) return;
  outage.failures = 1;
  outage.retryAtMs = nowMs;
}

/** A request reached the venue, or a connection was made: every command may be sent again. */
export function venueReached({ outage }: KernelState): void {
  outage.failures = 0;
  outage.retryAtMs = 0;
}

/** When the next command may be sent; now, unless there is an outage. */
export function openAgainMs({ outage, nowMs }: KernelState): number {
  return outage.failures === 0 ? nowMs : Math.max(nowMs, outage.retryAtMs);
}

/** Counts a command that is about to be sent. During an outage it is the one that tries, and the others wait. */
export function countAttempt({ outage, nowMs }: KernelState): void {
  if (outage.failures === 0) return;
  outage.retryAtMs = nowMs + backOffMs(outage.failures, FIRST_WAIT_MS, MAX_WAIT_MS);
  outage.failures += 1;
}
