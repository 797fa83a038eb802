import type { CommandOutcome } from "../../domain/command.ts";
import { stop } from "../lifecycle.ts";
import type { KernelState } from "../state.ts";

/** This many refusals in a row over this time cannot come from a node that lags behind a new session wallet. */
const REFUSALS_MAX = 3;
const REFUSED_MS = 5_000;

/**
 * Follows whether the venue accepts our signature (D7). "unauthorized" means that the signer may not act, for example because its
 * session wallet was ended. No signed command can help then, so the bot stops and names the orders that it could not cancel.
 */
export function followSignature(state: KernelState, intent: number, outcome: CommandOutcome): void {
  // What the venue says of the session wallet before says nothing about this one.
  if (intent <= state.signature.earlierTo) return;
  if (outcome.type === "accepted") state.signature.refused = undefined;
  if (outcome.type !== "refused" || outcome.reason !== "unauthorized") return;
  const { nowMs } = state;
  if (state.signature.refused === undefined) {
    state.signature.refused = { sinceMs: nowMs, count: 0 };
    const message = `the venue does not take our signature: ${outcome.message}`;
    state.notes.push({ type: "warning", code: "SIGNATURE_REFUSED", message });
    state.step.signerRefused = true;
  }
  const refused = state.signature.refused;
  refused.count += 1;
  if (refused.count < REFUSALS_MAX || nowMs - refused.sinceMs < REFUSED_MS) return;
  stop(state, false, `the venue does not take our signature any more: ${outcome.message}`);
}

/** Another session wallet signs from this step on: refusals of the earlier one no longer count. */
export function signerChanged(state: KernelState): void {
  state.signature.earlierTo = state.lastIntent;
  state.signature.refused = undefined;
}
