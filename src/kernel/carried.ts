import { restoreLeftMarket } from "./impossible/left-markets.ts";
import type { CarriedItem } from "./input.ts";
import { restoreLimit } from "./risk/derive-limits.ts";
import { noteStandings, restoreRisk } from "./risk/risk-watch.ts";
import { bookLessOwn } from "./market-state.ts";
import type { OperatorState } from "./operator-state.ts";
import { runnerOf, slotOf } from "./slots.ts";
import { type KernelState, venueNowMs } from "./state.ts";

/** Positions are valued for the drawdown this often. */
export const MARK_MS = 1_000;

/** Continues with what earlier runs left besides their orders. */
export function restoreCarried(state: KernelState, items: readonly CarriedItem[]): void {
  // Steps of the ladder need the triggers that these add.
  for (const item of items) if (item.type === "limit") restoreLimit(state, item);
  for (const item of items) {
    switch (item.type) {
      case "position":
        state.positions.restore(item);
        break;
      case "limit":
      case "imports":
      case "risk":
        break;
      case "booked":
        state.operator.booked = item.tradeIds;
        break;
      case "left":
        restoreLeftMarket(state, item);
        break;
      case "pause":
        restorePause(state, item);
        break;
      case "takes":
        slotOf(state, item)?.takes.restore(item.takes);
        break;
      case "state": {
        const { strategy, marketId } = item;
        const runner = runnerOf(state, strategy);
        if (runner?.binding.marketId !== marketId) break;
        const refusal = runner.restoreState(item);
        if (refusal !== undefined) {
          const message = `${strategy} in ${marketId} starts without its earlier state, which ${refusal}`;
          state.notes.push({ type: "warning", code: "STATE_NOT_USED", message });
        }
        break;
      }
    }
  }
  // Where losses are counted from depends on the positions.
  for (const item of items) if (item.type === "risk") restoreRisk(state, item);
  noteStandings(state);
}

function restorePause(
  state: KernelState,
  { strategy, isPaused, isReduceOnly, haltReason }: Extract<CarriedItem, { type: "pause" }>,
): void {
  // The bot's own halt is a file.
  const of = strategy === undefined ? state : runnerOf(state, strategy);
  if (of !== undefined)
    Object.assign(of.operator, { isPaused, isReduceOnly: isReduceOnly === true, haltReason });
}

/** The operator has paused or resumed: the next run begins as this one ends. */
export function publishPauses({ operator, runners, step }: KernelState): void {
  step.carried.push({ type: "pause", ...restrictions(operator) });
  for (const { name: strategy, operator: own } of runners) {
    const { haltReason } = own;
    const halt = haltReason === undefined ? {} : { haltReason };
    step.carried.push({ type: "pause", strategy, ...restrictions(own), ...halt });
  }
}

function restrictions({ isPaused, isReduceOnly }: OperatorState) {
  return isReduceOnly ? ({ isPaused, isReduceOnly } as const) : { isPaused };
}

/** What the next run needs to know and has changed since the last call. */
export function takeCarried(state: KernelState): readonly CarriedItem[] {
  markPositions(state);
  if (!state.config.carriesPositions) state.positions.forgetChanged();
  else for (const item of state.positions.takeChanged()) state.step.carried.push(item);
  saveTakes(state);
  saveStates(state);
  return state.step.carried;
}

/** Values the positions for their drawdown and their day once a second, and a position of an earlier run before its first order. */
function markPositions(state: KernelState): void {
  const { positions, slots, nowMs, phase } = state;
  if (nowMs < state.markedMs + MARK_MS) return;
  state.markedMs = nowMs;
  for (const slot of slots) {
    const { mid } = bookLessOwn(state, slot.market) ?? {};
    const { name, marketId } = slot;
    if (mid !== undefined) positions.mark(name, marketId, mid);
    // Only a bot that has started knows the venue's clock.
    const isMarked =
      phase === "starting" || positions.markDay(name, marketId, mid, venueNowMs(state));
    if (!isMarked) state.markedMs = Number.NEGATIVE_INFINITY;
  }
}

/** Names of takes are saved with the step that sends their orders. */
function saveTakes({ slots, step }: KernelState): void {
  for (const { name: strategy, marketId, takes: own } of slots) {
    const takes = own.takeChanged();
    if (takes !== undefined) step.carried.push({ type: "takes", strategy, marketId, takes });
  }
}

/** Saves the states that are due. A strategy whose state cannot be saved has failed. */
function saveStates({ runners, nowMs, phase, step, notes }: KernelState): void {
  const isLast = phase === "stopping" || phase === "finished";
  for (const runner of runners) {
    const wasWell = runner.fault === undefined;
    const saved = runner.takeState(nowMs, isLast);
    if (saved !== undefined) step.carried.push(saved);
    if (wasWell && runner.fault !== undefined) {
      notes.push({ type: "strategyFault", strategy: runner.name, ...runner.fault });
    }
  }
}
