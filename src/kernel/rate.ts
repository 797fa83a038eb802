import type { CommandOutcome } from "../domain/command.ts";
import type { RequestKind } from "../execution/rate-budget.ts";
import type { Side } from "../domain/side.ts";
import { WAITS_FOR_BUDGET } from "./orders/cancel-order.ts";
import type { KernelState } from "./state.ts";
import type { StrategySlot } from "./strategy/strategy-slot.ts";

/** The bot warns when quotes have waited longer than a refresh for this long, since its first orders may take as long. */
const LATE_MS = 10_000;
const WARN_AGAIN_MS = 3_600_000;
/** Decisions that follow each other faster count as one a second: what waits is the same quotes. */
const DECISION_MS = 1_000;

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
    message: `the venue answered 429: at most ${rounded(budget.perSecond)} requests a second for now`,
  });
}

/** The rate budget learns from the response to a command. */
export function followRate(state: KernelState, outcome: CommandOutcome): void {
  if (outcome.type === "not-sent" || outcome.type === "accepted") return;
  const isLimited =
    outcome.type === "refused" ? outcome.reason === "rateLimited" : outcome.isRateLimited === true;
  if (isLimited) rateLimited(state, outcome.retryAfterMs);
}

/** Whether quotes of this side wait for the rate budget. */
export function isShort({ held }: StrategySlot, side: Side): boolean {
  return held[side] === WAITS_FOR_BUDGET;
}

/** A strategy has set new targets, and the plan is still the one of its decision before: warns when it waited all the time since. */
export function watchWaits(state: KernelState, slot: StrategySlot): void {
  const { requests, nowMs } = state;
  const isLate = slot.plan?.place.some(
    ({ side, quote }) =>
      !quote.placed && isShort(slot, side) && slot.sent[side].atMs < slot.lastDecidedMs,
  );
  if (isLate !== true) return;
  requests.lateSinceMs ??= nowMs;
  if (nowMs < requests.lateSinceMs + LATE_MS) return;
  if (nowMs < requests.lateWarnedMs + WARN_AGAIN_MS) return;
  requests.lateWarnedMs = nowMs;
  const demand = state.slots.reduce((sum, slot) => sum + slot.demand, 0);
  const { budget, config } = state;
  const of = `${rounded(budget.perSecond)} a second, ${config.rate.concurrency} at a time`;
  state.notes.push({
    type: "warning",
    code: "RATE_SHORT",
    message: `quotes wait longer than their refresh: they take about ${rounded(demand)} requests a second, and the rate budget is ${of}; raise rateLimit, or set a longer refresh, a wider tolerance or fewer levels`,
  });
}

/** Takes note of what the newest plan asks of the rate budget. */
export function followDemand({ nowMs }: KernelState, slot: StrategySlot): void {
  const { place = [], cancel = [] } = slot.plan ?? {};
  const spanMs = Math.max(DECISION_MS, nowMs - slot.lastDecidedMs);
  slot.demand = ((place.length + cancel.length) * 1_000) / spanMs;
}

const rounded = (perSecond: number): number => Math.round(perSecond * 10) / 10;
