import { ZERO } from "../../domain/fixed.ts";
import type { Market } from "../../domain/market.ts";
import { type Side, sides } from "../../domain/side.ts";
import { WANTS_NONE } from "../../domain/wants-none.ts";
import { nextStaleMs, staleReason } from "../freshness/needs.ts";
import { leftReason } from "../impossible/left-markets.ts";
import { unlistedReason } from "../impossible/market-list.ts";
import { isCanceling, startReason } from "../lifecycle.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { isHaltedByRisk, riskPullReason, unmeasuredReason } from "./risk-state.ts";
import { quotesOf } from "../slots.ts";
import { sourcePullReason } from "../sources/sources.ts";
import { haltReasonOf } from "../operator-state.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { guardReason } from "../standby/standby.ts";
import type { Targets } from "../targets.ts";
import { isObserving } from "../watch-others.ts";

/**
 * Whether all orders of a strategy are canceled, including stop orders and legs: the bot is stopping or halted, or the strategy
 * failed or its positions are being worked off.
 */
export function isEnding(state: KernelState, slot: StrategySlot): boolean {
  if (isCanceling(state) || haltReasonOf(state, slot.runner) !== undefined) return true;
  const { fault, flattening } = slot.runner;
  return fault !== undefined || flattening !== undefined || isHaltedByRisk(state, slot);
}

/**
 * Why a strategy's quotes are pulled and its takes dropped; undefined when it may trade. An old price source pulls its quotes alone
 * (`quoteModeOf`). A book that is briefly unusable (a
 * gap, a reconnect) pulls nothing until its newest copy is too old (`freshness/needs.ts`).
 */
export function quotePullReason(state: KernelState, slot: StrategySlot): string | undefined {
  if (isCanceling(state)) return "the bot is stopping";
  if (slot.runner.fault !== undefined) return `the strategy failed: ${slot.runner.fault.message}`;
  const halted = haltReasonOf(state, slot.runner);
  if (halted !== undefined) return `halted: ${halted}`;
  if (slot.runner.flattening !== undefined) return "its position is being worked off";
  if (state.operator.isPaused || slot.runner.operator.isPaused) return "paused";
  const byRisk = riskPullReason(state, slot);
  if (byRisk !== undefined) return byRisk;
  const left = leftReason(state, slot.marketId);
  if (left !== undefined) return left;
  const unlisted = unlistedReason(slot.market);
  if (unlisted !== undefined) return unlisted;
  const unguarded = guardReason(state);
  if (unguarded !== undefined) return unguarded;
  return staleReason(state, slot.market) ?? unmeasuredReason(state, slot);
}

/** When staleness would pull quotes next, our clock, so that the driver wakes for it; Infinity for never. */
export function nextQuotePullMs(state: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { market } of state.slots) {
    nextMs = Math.min(nextMs, nextStaleMs(state, market), market.touch.leavesMs);
  }
  return nextMs;
}

/** Notes the reason why a side is not quoted, or not in full, whenever that reason changes. An order whose cancel has to be sent again is no quote. */
export function noteQuoteReasons(state: KernelState): void {
  for (const slot of state.slots) {
    const hasFailed = slot.runner.fault !== undefined;
    const pulled =
      (hasFailed ? quotePullReason(state, slot) : slot.pullReason) ?? sourcePullReason(state, slot);
    const quotes = quotesOf(state, slot);
    const { name: strategy, marketId } = slot;
    for (const side of sides) {
      const inPart = pulled === undefined && isQuoted(quotes, side);
      const reason = pulled ?? (inPart ? slot.targets.reason[side] : reasonOf(state, slot, side));
      const last = slot.lastReason[side];
      if (reason === last.reason && (reason === undefined || inPart === last.inPart)) continue;
      slot.lastReason[side] = { reason, inPart };
      state.notes.push({ type: "quoteReason", strategy, marketId, side, reason, inPart });
    }
  }
}

/** Each quote is placed once per decision (docs/decisions/006). */
function withoutOrders({ quotes }: Targets, side: Side): string {
  return quotes.some((quote) => quote.side === side)
    ? "its quotes were filled or have ended; the next decision places new ones"
    : WANTS_NONE;
}

function isQuoted(quotes: readonly TrackedOrder[], side: Side): boolean {
  for (const order of quotes) {
    // A cancel that makes room for another quote is no reason yet.
    if (
      order.side === side &&
      (order.cancel === "none" || order.cancel === "in-flight" || order.cancel === "accepted")
    )
      return true;
  }
  return false;
}

/** Why a side of a strategy whose quotes are not pulled has none. */
function reasonOf(state: KernelState, slot: StrategySlot, side: Side): string {
  if (state.phase === "starting") return startReason(state);
  const market = slot.market;
  if (isObserving(market)) return "watching for another bot on this account";
  if (market.blindSinceMs !== undefined) return "the book is not in sync";
  if (market.touch.isImpossible) return "the venue's book is impossible";
  if (slot.runner.awaitsHistory) return "waiting for the history";
  if (slot.cooldown[side].untilMs > state.nowMs) return "waiting after the venue refused an order";
  if (isEmpty(state, market.market)) {
    return `the account is empty: it holds neither token of ${market.market.ticker}; deposit one of them`;
  }
  return slot.held[side] ?? slot.targets.reason[side] ?? withoutOrders(slot.targets, side);
}

/** Whether the account is known to hold nothing of both tokens. */
function isEmpty({ balances }: KernelState, { baseToken, quoteToken }: Market): boolean {
  return [baseToken, quoteToken].every((token) => {
    const held = balances.of(token);
    return held?.locked === ZERO && held.unlocked === ZERO;
  });
}
