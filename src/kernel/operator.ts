import { publishPauses } from "./carried.ts";
import { resumeMarkets } from "./impossible/left-markets.ts";
import type { OperatorCommand } from "./input.ts";
import { stop } from "./lifecycle.ts";
import { resumeRisk } from "./risk/risk-watch.ts";
import type { KernelState } from "./state.ts";
import type { StrategyRunner } from "./strategy/strategy-runner.ts";
import { endFlatten, startFlatten } from "./takes/flatten.ts";

export function onOperator(state: KernelState, input: OperatorCommand): void {
  for (const runner of state.runners) runner.needsDecision = true;
  switch (input.command) {
    case "flatten":
      setPaused(state, true, input.strategy);
      publishPauses(state);
      for (const runner of chosen(state, input.strategy)) startFlatten(state, runner, input);
      return;
    case "stop":
      if (flattensFirst(state, input)) return;
      // Of two stops the one that cancels counts.
      if (state.phase !== "stopping") state.ending.keepsOrders = true;
      if (input.keepsOrders !== true) state.ending.keepsOrders = false;
      stop(state, true, "asked to stop");
      return;
    case "halt":
      state.operator.haltReason = input.reason;
      for (const runner of state.runners) endFlatten(state, runner);
      return;
    case "resume":
      if (input.strategy === undefined) resumeMarkets(state);
      resumeRisk(state, input.strategy, input.force === true);
      for (const runner of chosen(state, input.strategy)) endFlatten(state, runner);
      setPaused(state, false, input.strategy);
      publishPauses(state);
      return;
    case "cancel":
      cancelOrders(state, input);
      return;
    case "pause":
      setPaused(state, true, input.strategy);
      publishPauses(state);
      return;
  }
}

function cancelOrders(
  { orders, operator }: KernelState,
  { strategy, orderIds }: Extract<OperatorCommand, { command: "cancel" }>,
): void {
  for (const order of orders.live(strategy)) {
    if (orderIds === undefined || orderIds.includes(order.orderId ?? ""))
      operator.cancels.add(order);
  }
}

function setPaused(state: KernelState, isPaused: boolean, strategy: string | undefined): void {
  if (strategy !== undefined) {
    const runner = state.slotsByName.get(strategy)?.[0]?.runner;
    if (runner !== undefined) runner.isPaused = isPaused;
    return;
  }
  state.operator.isPaused = isPaused;
  if (isPaused) return;
  state.operator.haltReason = undefined;
  for (const runner of state.runners) runner.isPaused = false;
}

function chosen({ runners }: KernelState, strategy: string | undefined): readonly StrategyRunner[] {
  return runners.filter(({ name }) => strategy === undefined || name === strategy);
}

/** Whether a stop waits until positions are worked off; the next one does not. */
function flattensFirst(
  state: KernelState,
  { keepsOrders, flattens }: Extract<OperatorCommand, { command: "stop" }>,
): boolean {
  const isLate = state.phase !== "running" || state.ending.flattens !== undefined;
  if (isLate || keepsOrders === true || flattens === undefined) return false;
  state.ending.flattens = { strategies: flattens.strategies, sinceMs: state.nowMs };
  for (const runner of state.runners) {
    if (flattens.strategies.includes(runner.name)) startFlatten(state, runner, flattens);
  }
  return true;
}
