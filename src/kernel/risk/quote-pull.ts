import type { Side } from "../../domain/side.ts";
import { channelPullMs, channelPullReason } from "../channels/channels.ts";
import { unlistedReason } from "../doubts/doubt-markets.ts";
import { leftReason } from "../doubts/doubts.ts";
import { startReason } from "../lifecycle.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { unsureReason } from "./agreed-readings.ts";
import { isHaltedByRisk, riskPullReason, unmeasuredReason } from "./risk-state.ts";
import { marketOfSlot, quotesOf } from "../slots.ts";
import type { StrategySlot, KernelState } from "../state.ts";
import { guardReason } from "../standby/standby.ts";
import type { Targets } from "../strategy/targets.ts";

/** The reason shown while quotes are down because the venue is silent. */
export const NO_MESSAGE = "no message from the venue";

const CROSSED = "the venue's book is crossed";

/**
 * Whether all orders of a strategy are canceled, including stop orders and legs: the bot is stopping or halted, or the strategy
 * failed.
 */
export function isEnding(state: KernelState, slot: StrategySlot): boolean {
  const { phase, haltReason } = state;
  if (phase === "stopping" || phase === "finished" || haltReason !== undefined) return true;
  return slot.runner.fault !== undefined || isHaltedByRisk(state, slot);
}

/**
 * Why a strategy's quotes are pulled regardless of its targets; undefined when they may stay. A book that is briefly unusable (a
 * gap, a reconnect) pulls nothing until the limit of the rule `stale-book` has passed.
 */
export function quotePullReason(state: KernelState, slot: StrategySlot): string | undefined {
  if (state.phase === "stopping" || state.phase === "finished") return "the bot is stopping";
  if (slot.runner.fault !== undefined) return `the strategy failed: ${slot.runner.fault}`;
  if (state.haltReason !== undefined) return `halted: ${state.haltReason}`;
  if (state.paused || slot.runner.isPaused) return "paused";
  const byRisk = riskPullReason(state, slot);
  if (byRisk !== undefined) return byRisk;
  const left = leftReason(state, slot.runner.binding.marketId);
  if (left !== undefined) return left;
  const unlisted = unlistedReason(marketOfSlot(state, slot));
  if (unlisted !== undefined) return unlisted;
  const unguarded = guardReason(state);
  if (unguarded !== undefined) return unguarded;
  const { staleMs } = slot;
  const market = marketOfSlot(state, slot);
  const { blindSinceMs } = market;
  if (blindSinceMs !== undefined && state.nowMs - blindSinceMs > staleMs) {
    return "the book is not in sync";
  }
  if (state.nowMs - state.lastMessageMs > staleMs) return NO_MESSAGE;
  const { crossedSinceMs } = market.touch;
  if (crossedSinceMs !== undefined && state.nowMs - crossedSinceMs > staleMs) return CROSSED;
  return unmeasuredReason(state) ?? channelPullReason(state, slot, market);
}

/** When staleness would pull quotes next, our clock, so that the driver wakes for it; Infinity for never. */
export function nextQuotePullMs(state: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const slot of state.slots) {
    const market = marketOfSlot(state, slot);
    const { blindSinceMs = state.lastMessageMs, touch } = market;
    const { crossedSinceMs = state.lastMessageMs } = touch;
    const sinceMs = Math.min(state.lastMessageMs, blindSinceMs, crossedSinceMs);
    const atMs = sinceMs + slot.staleMs + 1;
    if (atMs > state.nowMs) nextMs = Math.min(nextMs, atMs);
    nextMs = Math.min(nextMs, channelPullMs(state, slot, market));
  }
  return nextMs;
}

const sides: readonly Side[] = ["BUY", "SELL"];

/** Notes the reason why a side is not quoted whenever that reason changes. An order whose cancel has to be sent again is no quote. */
export function noteQuoteReasons(state: KernelState): void {
  for (const slot of state.slots) {
    const { runner } = slot;
    const pulled = quotePullReason(state, slot);
    const quotes = quotesOf(state, slot);
    for (const side of sides) {
      const reason = pulled ?? (isQuoted(quotes, side) ? undefined : reasonOf(state, slot, side));
      if (reason === runner.lastReason[side]) continue;
      runner.lastReason[side] = reason;
      state.notes.push({ type: "quoteReason", strategy: runner.name, side, reason });
    }
  }
}

/** Each quote is placed once per decision (docs/decisions/006). */
function withoutOrders({ quotes }: Targets, side: Side): string {
  return quotes.some((quote) => quote.side === side)
    ? "its quotes were filled or have ended; the next decision places new ones"
    : "the strategy wants none";
}

function isQuoted(quotes: readonly TrackedOrder[], side: Side): boolean {
  for (const order of quotes) if (order.side === side && order.cancel === "none") return true;
  return false;
}

/** Why a side of a strategy whose quotes are not pulled has none. */
function reasonOf(state: KernelState, slot: StrategySlot, side: Side): string {
  const { runner } = slot;
  if (state.phase === "starting") return startReason(state);
  const market = marketOfSlot(state, slot);
  if (market.blindSinceMs !== undefined) return "the book is not in sync";
  if (market.touch.crossedSinceMs !== undefined) return CROSSED;
  const unsure = unsureReason(state, market.market.marketId);
  if (unsure !== undefined) return unsure;
  if (runner.cooldown[side].untilMs > state.nowMs)
    return "waiting after the venue refused an order";
  return runner.held[side] ?? runner.targets.reason[side] ?? withoutOrders(runner.targets, side);
}
