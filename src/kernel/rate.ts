import type { CommandOutcome } from "../domain/command.ts";
import type { RequestKind } from "../execution/rate-budget.ts";
import type { KernelState } from "./state.ts";

/** A bot that stops must prove within seconds that its orders are over, so its reads do not wait for a 429 to pass. */
export function readKind({ phase }: KernelState): RequestKind {
  return phase === "stopping" ? "settlingRead" : "read";
}

/** The venue answered 429, so it means the caller and not one request: everything but cancels waits (D11). */
export function rateLimited(state: KernelState, retryAfterMs: number | undefined): void {
  const { budget, nowMs } = state;
  if (!budget.limited(retryAfterMs, nowMs)) return;
  state.notes.push({
    type: "warning",
    code: "RATE_LIMITED",
    message: `the venue answered 429: at most ${Math.round(budget.perSecond * 10) / 10} requests a second for now`,
  });
}

/** The rate budget learns from the response to a command. */
export function followRate(state: KernelState, outcome: CommandOutcome): void {
  if (outcome.type === "not-sent" || outcome.type === "accepted") return;
  const isLimited =
    outcome.type === "refused" ? outcome.reason === "rateLimited" : outcome.isRateLimited === true;
  if (isLimited) rateLimited(state, outcome.retryAfterMs);
}
