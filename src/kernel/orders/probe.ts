import type { CommandOutcome, RefusalReason } from "../../domain/command.ts";
import { stop } from "../lifecycle.ts";
import type { KernelState } from "../state.ts";

/** After this many responses that prove nothing the bot starts without the proof, with a warning. */
const MAX_TRIES = 3;
const RETRY_MS = 2_000;

/** Refusals of the transaction itself. */
const mayNotAct: ReadonlySet<RefusalReason> = new Set(["invalid", "unauthorized", "forbidden"]);

/** What the response to the signed cancel of a random order id says about chain id and signer. */
type ProbeVerdict = "proven" | "refused" | "unreadable";

/**
 * "No such order" proves that the venue accepts our chain id and signer. A refusal of the transaction itself proves the opposite;
 * any other outcome proves nothing.
 */
export function probeVerdict(outcome: CommandOutcome): ProbeVerdict {
  if (outcome.type === "accepted") return "proven";
  if (outcome.type !== "refused") return "unreadable";
  if (outcome.reason === "notFound") return "proven";
  return mayNotAct.has(outcome.reason) ? "refused" : "unreadable";
}

/** Handles the response to the probe. A refusal stops the bot before its first quote. */
export function onProbeResponse(state: KernelState, outcome: CommandOutcome): void {
  const { probe } = state;
  probe.tries += 1;
  const verdict = probeVerdict(outcome);
  const detail = outcome.type === "accepted" ? "" : outcome.message;
  if (verdict !== "unreadable") {
    probe.phase = "done";
    if (verdict === "refused") {
      stop(state, false, `the venue does not take our signed commands: ${detail}`);
    }
    return;
  }
  if (probe.tries < MAX_TRIES) {
    const waitMs = outcome.type === "refused" ? (outcome.retryAfterMs ?? 0) : 0;
    probe.phase = "wanted";
    probe.retryAtMs = state.nowMs + Math.max(RETRY_MS, waitMs);
    return;
  }
  probe.phase = "done";
  state.notes.push({
    type: "warning",
    code: "PROBE_UNREADABLE",
    message: `chain id and signer are not proven: the venue's response to a harmless cancel was not readable (${detail})`,
  });
}
