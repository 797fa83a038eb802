import type { CommandOutcome } from "../domain/command.ts";
import { stop } from "./lifecycle.ts";
import type { KernelState } from "./state.ts";

/** Unreadable answers before the bot goes on with a warning instead of a proof. */
const MAX_TRIES = 3;
const RETRY_MS = 2_000;

/**
 * Answer to the signed cancel of a random order id. "No such order" (404) proves that the venue reads our transactions:
 * chain id and signer are accepted. A readable no of another kind stops the bot before its first quote.
 */
export function onProbeAnswer(state: KernelState, outcome: CommandOutcome): void {
  const { probe } = state;
  probe.tries += 1;
  if (outcome.type === "accepted" || (outcome.type === "refused" && outcome.code === 404)) {
    probe.phase = "done";
    return;
  }
  if (outcome.type === "refused" && [400, 401, 403].includes(outcome.code)) {
    probe.phase = "done";
    stop(state, false, `the venue does not take our signed commands: ${outcome.message}`);
    return;
  }
  if (probe.tries < MAX_TRIES) {
    const asked = outcome.type === "refused" ? (outcome.retryAfterMs ?? 0) : 0;
    probe.phase = "wanted";
    probe.retryAtMs = state.nowMs + Math.max(RETRY_MS, asked);
    return;
  }
  probe.phase = "done";
  state.notes.push({
    type: "warning",
    code: "PROBE_UNREADABLE",
    message: `chain id and signer are not proven: the venue's answer to a harmless cancel was not readable (${outcome.message})`,
  });
}
