import { bookedWith } from "../orders/carried.ts";
import { publishPauses } from "./carried.ts";
import { resumeMarkets } from "./impossible/left-markets.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import type { OperatorCommand } from "./input.ts";
import { stop } from "./lifecycle.ts";
import { takeOver } from "./orders/adoption.ts";
import { noteStandings, resumeRisk } from "./risk/risk-watch.ts";
import { newOperatorState, type OperatorState } from "./operator-state.ts";
import { resumeReport } from "./resume-report.ts";
import { runnerOf, runnersOf } from "./slots.ts";
import type { KernelState } from "./state.ts";
import { endFlatten, startFlatten } from "./takes/flatten.ts";

export function onOperator(
  state: KernelState,
  input: OperatorCommand & { readonly by?: CommandOrigin },
): void {
  for (const runner of state.runners) runner.needsDecision = true;
  switch (input.command) {
    case "flatten":
      if (input.isAlone === true) state.ending.quotesOver = true;
      standOf(state, input.strategy).isPaused = true;
      publishPauses(state);
      for (const runner of runnersOf(state, input.strategy)) startFlatten(state, runner, input);
      return;
    case "stop":
      if (flattensFirst(state, input)) return;
      // Of two stops the one that cancels counts.
      if (state.phase !== "stopping") state.ending.keepsOrders = true;
      if (input.keepsOrders !== true) state.ending.keepsOrders = false;
      stop(state, true, "asked to stop");
      return;
    case "halt":
      standOf(state, input.strategy).haltReason = input.reason;
      for (const runner of runnersOf(state, input.strategy)) endFlatten(state, runner);
      publishPauses(state);
      return;
    case "resume": {
      const { strategy, force = false } = input;
      // Only a person may end what is guarded. A halt may have come after the agent's request was looked at.
      const isAgent = input.by?.isAgent === true;
      if (isAgent && resumeReport(state, strategy, force).guarded.length > 0) return;
      if (strategy === undefined) resumeMarkets(state);
      resumeRisk(state, strategy, force);
      for (const runner of runnersOf(state, strategy)) endFlatten(state, runner);
      Object.assign(standOf(state, strategy), newOperatorState());
      publishPauses(state);
      noteStandings(state);
      return;
    }
    case "cancel":
      cancelOrders(state, input);
      return;
    case "takeOver":
      takeOver(state, input.strategy, input.orderId);
      return;
    case "book":
      bookByHand(state, input);
      return;
    case "reduceOnly":
      standOf(state, input.strategy).isReduceOnly = true;
      publishPauses(state);
      noteStandings(state);
      return;
    case "pause":
      standOf(state, input.strategy).isPaused = true;
      publishPauses(state);
      return;
  }
}

function cancelOrders(
  { orders, operator, nowMs }: KernelState,
  { strategy, orderIds }: Extract<OperatorCommand, { command: "cancel" }>,
): void {
  for (const order of orders.live(strategy)) {
    if (orderIds === undefined || orderIds.includes(order.orderId ?? ""))
      operator.cancels.add(order);
  }
  if (strategy !== undefined) return;
  for (const orderId of orderIds ?? []) {
    const foreign = orders.reports.foreign.find(orderId);
    if (foreign !== undefined) operator.foreignCancels.set(foreign.orderId, nowMs);
  }
}

/** What the operator told the bot, or the strategy. */
function standOf(state: KernelState, strategy: string | undefined): OperatorState {
  if (strategy === undefined) return state.operator;
  // Of a strategy that the bot does not have nothing is remembered.
  return runnerOf(state, strategy)?.operator ?? newOperatorState();
}

function bookByHand(
  { positions, risk, notes, operator, step }: KernelState,
  { strategy, fill }: Extract<OperatorCommand, { command: "book" }>,
): void {
  positions.apply(strategy, fill);
  for (const booked of bookedWith(operator.booked, fill.tradeId)) {
    operator.booked = booked.tradeIds;
    step.carried.push(booked);
  }
  if (risk !== undefined) risk.isDue = true;
  const { base } = positions.of(strategy, fill.marketId).position;
  notes.push({ type: "bookedByHand", strategy, fill, position: base });
}

/** Whether a stop waits until positions are worked off; the next one does not. */
function flattensFirst(
  state: KernelState,
  { keepsOrders, flattens }: Extract<OperatorCommand, { command: "stop" }>,
): boolean {
  const isLate = state.phase !== "running" || state.ending.flattens !== undefined;
  if (isLate || keepsOrders === true || flattens === undefined) return false;
  state.ending.quotesOver = true;
  state.ending.flattens = { strategies: flattens.strategies, sinceMs: state.nowMs };
  for (const runner of state.runners) {
    if (flattens.strategies.includes(runner.name)) startFlatten(state, runner, flattens);
  }
  return true;
}
