import type { CarriedItem } from "./input.ts";
import { bookLessOwn, marketOfSlot, type KernelState } from "./state.ts";

/** Positions are valued for the drawdown this often. */
const MARK_MS = 1_000;

/** Continues with what earlier runs left besides their orders. */
export function restoreCarried(state: KernelState, items: readonly CarriedItem[]): void {
  for (const item of items) {
    switch (item.type) {
      case "position":
        state.positions.restore(item);
        break;
      case "pause":
        state.paused = item.isPaused;
        break;
      case "halt":
        state.haltReason = item.reason;
        break;
      case "state": {
        const { strategy, marketId } = item;
        const runner = state.slotByName.get(strategy)?.runner;
        if (runner?.binding.marketId !== marketId) break;
        const refusal = runner.restoreState(item);
        if (refusal !== undefined) {
          const message = `${strategy} in ${marketId} starts without its earlier state, which ${refusal}`;
          state.notes.push({ type: "warning", code: "STATE_NOT_USED", message });
        }
        if (runner.fault !== undefined) {
          state.notes.push({ type: "strategyFault", strategy, message: runner.fault });
        }
        break;
      }
    }
  }
}

/** The operator pauses or resumes the bot; the next run begins as this one ends. */
export function setPause(state: KernelState, isPaused: boolean): void {
  state.paused = isPaused;
  state.carried.push({ type: "pause", isPaused });
}

/** What the next run needs to know and has changed in this step. */
export function takeCarried(state: KernelState): readonly CarriedItem[] {
  const { positions, slots, nowMs, phase } = state;
  if (nowMs >= state.markedMs + MARK_MS) {
    state.markedMs = nowMs;
    for (const slot of slots) {
      const { mid } = bookLessOwn(state, marketOfSlot(state, slot)) ?? {};
      const { name, marketId } = slot.runner.binding;
      if (mid !== undefined) positions.mark(name, marketId, mid);
    }
  }
  const items: CarriedItem[] = [...state.carried, ...positions.takeChanged()];
  const isLast = phase === "stopping" || phase === "finished";
  for (const { runner } of slots) {
    const wasWell = runner.fault === undefined;
    const saved = runner.takeState(nowMs, isLast);
    if (saved !== undefined) items.push(saved);
    if (wasWell && runner.fault !== undefined) {
      const { name: strategy, fault: message } = runner;
      state.notes.push({ type: "strategyFault", strategy, message });
    }
  }
  return items;
}
