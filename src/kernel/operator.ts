import { publishPauses } from "./carried.ts";
import { resumeMarkets } from "./impossible/left-markets.ts";
import type { OperatorCommand } from "./input.ts";
import { stop } from "./lifecycle.ts";
import { resumeRisk } from "./risk/risk-watch.ts";
import type { KernelState } from "./state.ts";

export function onOperator(state: KernelState, input: OperatorCommand): void {
  for (const runner of state.runners) runner.needsDecision = true;
  switch (input.command) {
    case "stop":
      // Of two stops the one that cancels counts.
      if (state.phase !== "stopping") state.ending.keepsOrders = true;
      if (input.keepsOrders !== true) state.ending.keepsOrders = false;
      stop(state, true, "asked to stop");
      return;
    case "halt":
      state.operator.haltReason = input.reason;
      return;
    case "resume":
      if (input.strategy === undefined) resumeMarkets(state);
      resumeRisk(state, input.strategy, input.force === true);
      setPaused(state, false, input.strategy);
      publishPauses(state);
      return;
    case "pause":
      setPaused(state, true, input.strategy);
      publishPauses(state);
      return;
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
