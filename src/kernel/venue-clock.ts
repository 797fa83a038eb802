import { readHistories } from "./history.ts";
import type { KernelState } from "./state.ts";

/** Readings of the venue's clock differ by less. */
const CLOCK_BACK_MS = 1_000;

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
  state.nonceExpiry?.observe(offsetMs, roundTripMs);
  state.ledger?.clockRead(offsetMs);
  // Lists end at the venue's time: until it has caught up, they lack the newest records.
  if (before !== undefined && offsetMs < before - CLOCK_BACK_MS)
    state.ledger?.gap(state.nowMs + before - offsetMs);
  if (before === undefined) readHistories(state);
  const jumped = before === undefined || Math.abs(before - offsetMs) > 1000;
  if (jumped && Math.abs(offsetMs) > 1000) {
    state.notes.push({
      type: "warning",
      code: "CLOCK_OFFSET",
      message: `the venue's clock differs from ours by ${offsetMs} ms (round trip ${roundTripMs} ms); nonces follow the venue's clock`,
    });
  }
  if (before !== undefined) warnOfClockBack(state, before, offsetMs);
}

/** A command was refused as invalid. Its nonce may be the reason: it is a time, and the venue's clock may have been set. */
export function onRefusal({ reads, nowMs }: KernelState): void {
  reads.want({ type: "venueTime" }, nowMs);
}

/** Warns when the venue's clock was set back by more than a second, so that nonces may be refused. */
function warnOfClockBack({ notes }: KernelState, beforeMs: number, offsetMs: number): void {
  if (beforeMs - offsetMs <= CLOCK_BACK_MS) return;
  notes.push({
    type: "warning",
    code: "VENUE_CLOCK_BACK",
    message: `the venue's clock was set back by ${Math.ceil((beforeMs - offsetMs) / 1000)} s: nonces follow it`,
  });
}
