import type { Input } from "./input.ts";
import { MARK_MS } from "./carried.ts";
import { isObserving } from "./watch-others.ts";
import { nextRiskMs } from "./risk/risk-watch.ts";
import { contingentOf, quotesOf } from "./slots.ts";
import type { MarketState } from "./market-state.ts";
import type { KernelState } from "./state.ts";
import type { StrategySlot } from "./strategy/strategy-slot.ts";

const NOW = Number.NEGATIVE_INFINITY;

/** Public market data. */
export type MarketData = Extract<Input, { readonly type: "depth" | "trade" }>;

/**
 * Until when a step with nothing but market data would do nothing but apply it; -Infinity when it may do more. It holds until the next
 * step. `deadlineMs` is the kernel's next deadline.
 */
export function quietUntilMs(state: KernelState, deadlineMs: number | undefined): number {
  const { phase, facts, derived, standby, risk, probe, outage, sources } = state;
  const isSimple =
    phase === "running" &&
    state.streamOpen &&
    facts === undefined &&
    derived === undefined &&
    standby === undefined &&
    // A doubt may end with any price, and the book of a market that is a source is judged at each change.
    sources.doubted.size === 0 &&
    sources.byMarket.size === 0 &&
    risk?.isDue !== true &&
    probe.phase === "done" &&
    outage.failures === 0 &&
    state.requests.tokensWanted === 0 &&
    state.step.blockedUntilMs === undefined;
  if (!isSimple || state.orders.missing().length > 0) {
    return NOW;
  }
  let untilMs = Math.min(
    deadlineMs ?? Number.POSITIVE_INFINITY,
    state.markedMs + MARK_MS,
    nextRiskMs(state),
  );
  for (const slot of state.slots) {
    if (!isSettled(state, slot)) return NOW;
    untilMs = Math.min(untilMs, slot.runner.sleepsUntilMs);
  }
  return untilMs;
}

/** Whether the slot's orders are as its plan wants them, and nothing that depends on prices waits. */
function isSettled(state: KernelState, slot: StrategySlot): boolean {
  const { runner, plan, targets } = slot;
  return (
    !runner.isDue(state.nowMs) &&
    !slot.pulledNow &&
    runner.fault === undefined &&
    targets.stops.length === 0 &&
    slot.takes.isIdle &&
    contingentOf(state, slot).length === 0 &&
    slot.market.sync.live !== undefined &&
    !isObserving(slot.market) &&
    !slot.market.touch.isImpossible &&
    (plan === undefined ||
      (plan.place.every(({ quote }) => quote.placed) &&
        plan.cancel.every(({ order }) => order.cancel !== "none" || order.phase === "ended"))) &&
    quotesOf(state, slot).every(({ phase }) => phase !== "unknown")
  );
}

/** Whether the book of this market takes the data without anything else to do. */
export function isOrdinary(market: MarketState, input: MarketData): boolean {
  return input.type === "trade" || market.sync.takes(input.event);
}
