import type { CommandOutcome } from "../domain/command.ts";
import type { KernelState } from "./state.ts";

/** As many refusals of a modify in a row are no races with fills any more. */
const MODIFY_REFUSALS_MAX = 3;

/** The outcome of a command, should it be a modify. */
export function followModify(state: KernelState, intent: number, outcome: CommandOutcome): void {
  const { modifies } = state;
  if (!modifies.open.delete(intent)) return;
  if (outcome.type === "accepted") modifies.refusals = 0;
  if (outcome.type !== "refused") return;
  if (outcome.reason === "rateLimited" || outcome.reason === "nonceUsed") return;
  modifies.refusals += 1;
  if (modifies.refusals >= MODIFY_REFUSALS_MAX) stopModifies(state, outcome.message);
}

export function stopModifies(state: KernelState, reason: string): void {
  if (!state.modifies.isOn) return;
  state.modifies.isOn = false;
  state.notes.push({
    type: "warning",
    code: "MODIFY_OFF",
    message: `quotes are moved by cancel and placement from here on: ${reason}`,
  });
}
