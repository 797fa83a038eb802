import { isTimeNonce } from "../domain/time-nonce.ts";
import type { Restored } from "./input.ts";
import { judgeListAgain } from "./orders/adoption.ts";
import type { KernelState } from "./state.ts";

/** Commands of a burst wait a moment for their nonces. A longer wait means that the venue's clock was set back. */
export const CLOCK_BACK_MS = 1_000;

/** Handles a step of our clock. If the machine slept, no message arrived meanwhile and the venue's clock moved on. */
export function onClockStep(state: KernelState, byMs: number): void {
  state.lastMessageMs = Math.min(state.lastMessageMs, state.nowMs - byMs);
  state.reads.want({ type: "venueTime" }, state.nowMs, { again: true });
  state.notes.push({
    type: "warning",
    code: "CLOCK_STEPPED",
    message: `the machine's clock was set by ${byMs} ms, or the machine slept; the venue's clock will be read again`,
  });
}

export function onVenueTime(state: KernelState, offsetMs: number, roundTripMs: number): void {
  const before = state.venueOffsetMs;
  state.venueOffsetMs = offsetMs;
  state.firstOffsetMs ??= offsetMs;
  state.lowestOffsetMs = Math.min(state.lowestOffsetMs, offsetMs);
  state.lowestVenueMs = Math.min(state.lowestVenueMs, state.nowMs + offsetMs);
  state.nonceExpiry?.observe(offsetMs, roundTripMs, state.nowMs);
  state.orders.clockRead(state.nowMs);
  state.ledger?.clockRead(offsetMs);
  // Lists end at the venue's time: until it has caught up, they lack the newest records.
  if (before !== undefined && offsetMs < before - CLOCK_BACK_MS)
    state.ledger?.gap(state.nowMs + before - offsetMs);
  const jumped = before === undefined || Math.abs(before - offsetMs) > 1000;
  if (jumped && Math.abs(offsetMs) > 1000) {
    state.notes.push({
      type: "warning",
      code: "CLOCK_OFFSET",
      message: `the venue's clock differs from ours by ${offsetMs} ms (round trip ${roundTripMs} ms); nonces follow the venue's clock`,
    });
  }
  if (before === undefined) judgeListAgain(state);
  warnOfClockBack(state, offsetMs);
}

/**
 * What the venue's clock minus ours may be at a start with orders of an earlier run: what its journal says, or nothing. A machine's clock
 * may have been set in between, so the one nearest to the highest nonce comes first.
 */
export function likelyOffsets(
  { nowMs }: KernelState,
  { orders, venueOffsetMs, nonceHighWater }: Restored,
): readonly number[] {
  if (venueOffsetMs === undefined || orders.length === 0) return [];
  const distance = (offsetMs: number): number => Math.abs(nowMs + offsetMs - nonceHighWater);
  return [venueOffsetMs, 0]
    .filter((offsetMs) => isTimeNonce(Math.floor(nowMs + offsetMs)))
    .sort((left, right) => distance(left) - distance(right));
}

/** The venue's clock minus ours for the nonce of a cancel: as read, or before the first reading as it probably is. */
export function cancelOffsetMs({
  venueOffsetMs,
  likelyOffsetsMs,
}: KernelState): number | undefined {
  return venueOffsetMs ?? likelyOffsetsMs[0];
}

/** A command was refused, perhaps for its nonce. If the venue's clock was set back, the next cancels take the other kind of nonce. */
export function onRefusal(state: KernelState, intent: number): void {
  const { nonces, nowMs, venueOffsetMs } = state;
  state.reads.want({ type: "venueTime" }, nowMs);
  // Commands sent together had the same kind of nonce: only the first refusal among them switches it.
  if (intent <= state.cancelNoncesSwitchedAt) return;
  if (venueOffsetMs === undefined) {
    state.cancelNoncesSwitchedAt = state.lastIntent;
    state.cancelNonces = "unused";
    const [wrong, ...others] = state.likelyOffsetsMs;
    if (wrong !== undefined) state.likelyOffsetsMs = [...others, wrong];
    return;
  }
  if (nonces.nextFreeMs(nowMs, venueOffsetMs) <= nowMs) return;
  state.cancelNoncesSwitchedAt = state.lastIntent;
  state.cancelNonces = state.cancelNonces === "unused" ? "ahead" : "unused";
}

/** Warns while the venue's clock is too far behind the nonces that we signed, once every `venueTimeMs`. */
function warnOfClockBack(state: KernelState, offsetMs: number): void {
  const { nonces, nowMs, config } = state;
  const behindMs = nonces.nextFreeMs(nowMs, offsetMs) - nowMs;
  if (behindMs <= CLOCK_BACK_MS || nowMs < state.clockBackWarnAgainMs) return;
  state.clockBackWarnAgainMs = nowMs + config.timing.venueTimeMs;
  const waitMs = nonces.nextFreeMs(nowMs, offsetMs, "unused") - nowMs;
  const effect =
    waitMs > 0 ? `commands may have to wait ${spanText(waitMs)}` : "unused ones are taken";
  state.notes.push({
    type: "warning",
    code: "VENUE_CLOCK_BACK",
    message: `the venue's clock stands behind the nonces already used by ${spanText(behindMs)}: ${effect}`,
  });
}

function spanText(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
