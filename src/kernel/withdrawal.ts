import type { Side } from "../domain/side.ts";
import { startReason } from "./lifecycle.ts";
import { marketOfDesk, type Desk, type KernelState } from "./state.ts";

/** Everything of a strategy's goes, stop orders and legs too: the bot ends, or the strategy failed. */
export function isEnding({ phase }: KernelState, { runner }: Desk): boolean {
  return phase === "stopping" || phase === "finished" || runner.fault !== undefined;
}

/**
 * Why a strategy's quotes have to come down whatever it wants; undefined when they may stay. A book that is unusable for
 * a moment (a gap, a reconnect) takes nothing down yet, but after the limit of the rule `stale-book` it does.
 */
export function withdrawal(state: KernelState, desk: Desk): string | undefined {
  if (state.phase === "stopping" || state.phase === "finished") return "the bot is stopping";
  if (desk.runner.fault !== undefined) return `the strategy failed: ${desk.runner.fault}`;
  if (state.paused) return "paused";
  const { staleMs } = desk;
  const { blindSinceMs } = marketOfDesk(state, desk);
  if (blindSinceMs !== undefined && state.nowMs - blindSinceMs > staleMs) {
    return "the book is not in sync";
  }
  if (state.nowMs - state.lastHeardMs > staleMs) return "nothing heard from the venue";
  return undefined;
}

/** When the next withdrawal for staleness would come, so that the driver wakes for it. */
export function nextWithdrawalMs(state: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const desk of state.desks) {
    const { blindSinceMs = state.lastHeardMs } = marketOfDesk(state, desk);
    const sinceMs = Math.min(state.lastHeardMs, blindSinceMs);
    const atMs = sinceMs + desk.staleMs + 1;
    if (atMs > state.nowMs) nextMs = Math.min(nextMs, atMs);
  }
  return nextMs;
}

const sides: readonly Side[] = ["BUY", "SELL"];

/** Notes for each side why it is not quoted, whenever that changes. */
export function noteWhy(state: KernelState): void {
  for (const desk of state.desks) {
    const { runner } = desk;
    const quoted = { BUY: false, SELL: false };
    for (const order of state.orders.quotes(runner.name)) {
      if (order.cancel === "none") quoted[order.side] = true;
    }
    for (const side of sides) {
      const why = quoted[side] ? undefined : whyOf(state, desk, side);
      if (why === runner.lastWhy[side]) continue;
      runner.lastWhy[side] = why;
      state.notes.push({ type: "why", strategy: runner.name, side, why });
    }
  }
}

function whyOf(state: KernelState, desk: Desk, side: Side): string {
  const { runner } = desk;
  const reason = withdrawal(state, desk);
  if (reason !== undefined) return reason;
  if (state.phase === "starting") return startReason(state);
  if (marketOfDesk(state, desk).blindSinceMs !== undefined) return "the book is not in sync";
  if (runner.rest[side].untilMs > state.nowMs) return "resting after a refusal of the venue";
  return runner.held[side] ?? runner.wishes.why[side] ?? "the strategy wants none";
}
