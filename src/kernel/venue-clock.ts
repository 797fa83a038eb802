import { readHistories } from "./history.ts";
import type { Input } from "./input.ts";
import { riskClock } from "./risk/risk-watch.ts";
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

/** A reading of the venue's clock, which was requested at `queriedMs`. */
export function onVenueTime(
  state: KernelState,
  { offsetMs, roundTripMs }: Extract<Input, { type: "venueTime" }>,
  queriedMs: number,
): void {
  const { venueOffsetMs: before, facts } = state;
  if (facts !== undefined) {
    facts.clockDoubtMs = roundTripMs / 2;
    facts.clock.fresh.proven(queriedMs);
  }
  riskClock(state, offsetMs);
  state.venueOffsetMs = offsetMs;
  state.nonceExpiry?.observe(offsetMs, roundTripMs);
  state.ledger?.clockRead(offsetMs);
  const jumped = before === undefined || Math.abs(before - offsetMs) > 1000;
  if (jumped && Math.abs(offsetMs) > 1000) {
    state.notes.push({
      type: "warning",
      code: "CLOCK_OFFSET",
      message: `the venue's clock differs from ours by ${offsetMs} ms (round trip ${roundTripMs} ms); nonces follow the venue's clock`,
    });
  }
  if (before === undefined) readHistories(state);
  else if (before - offsetMs > CLOCK_BACK_MS) clockWentBack(state, before - offsetMs);
}

/** The venue's clock was set back, so that nonces may be refused. Lists end at its time: until it has caught up, they lack the newest records. */
function clockWentBack({ ledger, notes, nowMs }: KernelState, byMs: number): void {
  ledger?.gap(nowMs + byMs);
  notes.push({
    type: "warning",
    code: "VENUE_CLOCK_BACK",
    message: `the venue's clock was set back by ${Math.ceil(byMs / 1000)} s: nonces follow it`,
  });
}
