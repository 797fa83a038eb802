import type { KernelState } from "./state.ts";

/** A burst of commands may wait a moment for its nonces; for longer only when the venue's clock was set back. */
export const CLOCK_BACK_MS = 1_000;

/** The machine may have slept: then no message arrived for that time, and the venue's clock has gone on. */
export function onClockStep(state: KernelState, byMs: number): void {
  state.lastMessageMs = Math.min(state.lastMessageMs, state.nowMs - byMs);
  state.reads.want({ type: "venueTime" }, state.nowMs, { again: true });
  state.notes.push({
    type: "warning",
    code: "CLOCK_STEPPED",
    message: `the machine's clock was set by ${byMs} ms, or the machine slept; the venue's clock is asked for anew`,
  });
}

export function onVenueTime(state: KernelState, offsetMs: number, roundTripMs: number): void {
  const before = state.venueOffsetMs;
  state.venueOffsetMs = offsetMs;
  const jumped = before === undefined || Math.abs(before - offsetMs) > 1000;
  if (jumped && Math.abs(offsetMs) > 1000) {
    state.notes.push({
      type: "warning",
      code: "CLOCK_OFFSET",
      message: `the venue's clock is ${offsetMs} ms from ours (round trip ${roundTripMs} ms); nonces follow the venue`,
    });
  }
  warnOfClockBack(state, offsetMs);
}

/** A command was refused, perhaps for its nonce: the next cancel takes one of the other kind, should the clock be set back. */
export function onRefusal(state: KernelState, intent: number): void {
  const { nonces, nowMs, venueOffsetMs } = state;
  state.reads.want({ type: "venueTime" }, nowMs);
  if (venueOffsetMs === undefined || nonces.nextFreeMs(nowMs, venueOffsetMs) <= nowMs) return;
  // Others that left beside one that has turned it were made by the same lesson.
  if (intent <= state.cancelNoncesTurnedAt) return;
  state.cancelNoncesTurnedAt = state.lastIntent;
  state.cancelNonces = state.cancelNonces === "free" ? "ahead" : "free";
}

/** Again once a period, as long as it stands too far behind what we signed. */
function warnOfClockBack(state: KernelState, offsetMs: number): void {
  const { nonces, nowMs } = state;
  const waitMs = nonces.nextFreeMs(nowMs, offsetMs) - nowMs;
  if (waitMs <= CLOCK_BACK_MS || nowMs < state.clockBackWarnAgainMs) return;
  state.clockBackWarnAgainMs = nowMs + state.config.timing.venueTimeMs;
  const cancelsMs = nonces.nextFreeMs(nowMs, offsetMs, "free") - nowMs;
  const cancels =
    cancelsMs > 0
      ? `cancels perhaps not for ${spanText(cancelsMs)}`
      : "cancels go on with unused nonces";
  state.notes.push({
    type: "warning",
    code: "VENUE_CLOCK_BACK",
    message: `the venue's clock stands behind the nonces that were used: no new order for ${spanText(waitMs)}, ${cancels}`,
  });
}

function spanText(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
