import type { Effect } from "./effect.ts";
import { lostLandForMs } from "./orders/adoption.ts";
import { leftText } from "./takes/flatten-left.ts";
import { fillsToList, LIST_AGAIN_MS } from "./list-span.ts";
import { isDormant, isLeaving, type TrackedOrder } from "../orders/tracked-order.ts";
import type { KernelState } from "./state.ts";

/** Ends quoting. From here on own orders are canceled and queried until all have ended, for `limitMs` at most. */
export function stop(
  state: KernelState,
  isNormal: boolean,
  text: string,
  limitMs: number = state.config.timing.stopMs,
): void {
  const known = state.ending.reason;
  // A failure while stopping makes the run a failed one, and it stays failed.
  if (known === undefined || (known.ok && !isNormal)) state.ending.reason = { ok: isNormal, text };
  state.ending.sinceMs ??= state.nowMs;
  // A later deadline can only shorten the wait.
  state.ending.byMs = Math.min(
    state.ending.byMs ?? Number.POSITIVE_INFINITY,
    state.nowMs + limitMs,
  );
  if (state.phase !== "finished") state.phase = "stopping";
}

/** Starts the clocks of the first step: the venue's silence, missing books and the age of every fact count from now. */
export function begin(state: KernelState): void {
  state.beganMs = state.nowMs;
  state.lastMessageMs = state.nowMs;
  for (const market of state.markets.values()) market.blindSinceMs = state.nowMs;
  const { facts, reads, config } = state;
  const { marketsMs: periodMs } = config.timing;
  if (facts === undefined) return;
  for (const { fresh } of facts.all) fresh.proven(state.nowMs);
  reads.want({ type: "markets" }, state.nowMs + periodMs, { periodMs });
}

/** Moves to the next phase when its conditions are met. Returns the last effect of a run. */
export function advance(state: KernelState): Effect[] {
  if (state.phase === "starting" && isReady(state)) {
    state.phase = "running";
    state.markedMs = Number.NEGATIVE_INFINITY;
    for (const runner of state.runners) runner.needsDecision = true;
  }
  if (state.phase === "running" && state.runners.every(({ fault }) => fault !== undefined)) {
    stop(state, false, "every strategy failed");
  }
  stopOnceFlat(state);
  if (state.phase !== "stopping") return [];
  if (state.nowMs >= (state.ending.byMs ?? Number.POSITIVE_INFINITY)) return giveUp(state);
  const { lists } = state;
  const isLive = state.orders.live().some((order) => !isKept(state, order));
  // A list that was requested before an order was adopted does not prove its end.
  if (isLive || state.step.adopted.length > 0) state.ending.finalList = undefined;
  if (isLive) return [];
  // Executed quantity still has to be booked.
  if (fillsToList(state).length > 0) return [];
  // Every order of ours has ended or is kept. One more list of open orders proves it.
  const mayHaveOrders = state.lastIntent > 0 || state.lost !== undefined;
  if (mayHaveOrders && state.ending.finalList === undefined) {
    state.ending.finalList = lists.requested + 1;
    state.reads.want({ type: "openOrders" }, state.nowMs, { again: true });
    return [];
  }
  if (state.ending.finalList !== undefined && lists.answered < state.ending.finalList) return [];
  if (lostLandForMs(state) > 0) {
    state.reads.want({ type: "openOrders" }, state.nowMs + LIST_AGAIN_MS);
    return [];
  }
  state.phase = "finished";
  const reason = state.ending.reason ?? { ok: true, text: "" };
  return [finished(state, reason.ok, reason.text)];
}

/** A stop that works positions off first goes on once that has ended. What could still be traded makes the run a failed one. */
function stopOnceFlat(state: KernelState): void {
  const { flattens } = state.ending;
  if (state.phase !== "running" || flattens === undefined) return;
  const runners = state.runners.filter(({ name }) => flattens.strategies.includes(name));
  if (runners.some(({ flattening }) => flattening !== undefined)) return;
  const left = runners.flatMap((runner) => runner.left ?? []).filter(({ isDust }) => !isDust);
  const text = left.length === 0 ? "asked to stop" : `positions are left: ${leftText(left)}`;
  const spentMs = state.nowMs - flattens.sinceMs;
  stop(state, left.length === 0, text, Math.max(1_000, state.config.timing.stopMs - spentMs));
}

/** Whether the end of the run, or what comes before it, cancels own orders. */
export function isCanceling({ phase, ending, operator }: KernelState): boolean {
  if (ending.quotesOver) return true;
  if (phase !== "stopping" && phase !== "finished") return false;
  return !ending.keepsOrders || ending.reason?.ok !== true || operator.haltReason !== undefined;
}

/** An order that the end of the run leaves open: the venue is known to have it, and nothing is canceling it. */
function isKept(state: KernelState, order: TrackedOrder): boolean {
  const isKnown = order.phase === "working" || isDormant(order);
  return isKnown && !isLeaving(order) && !isCanceling(state);
}

function giveUp(state: KernelState): Effect[] {
  state.phase = "finished";
  const prefix = state.ending.reason === undefined ? "" : `${state.ending.reason.text}; `;
  const limit = `${Math.round((state.nowMs - (state.ending.sinceMs ?? state.nowMs)) / 1000)} s`;
  const reason = `${prefix}own orders could not be settled within ${limit}${lateLandings(state)}${lostLandings(state)}`;
  return [finished(state, false, reason)];
}

function finished({ ending }: KernelState, ok: boolean, reason: string): Effect {
  const effect: Effect = { type: "finished", ok, reason };
  return ending.code === undefined ? effect : { ...effect, code: ending.code };
}

/** How many placements without a response the venue may still take, and for how long (D37); empty when there are none. */
function lateLandings({ orders, nowMs }: KernelState): string {
  let count = 0;
  let latestMs = 0;
  for (const order of orders.live()) {
    const untilMs = orders.absence.mayBePlacedUntilMs(order, nowMs);
    // A leg comes with its quote, which counts here itself unless the venue has acknowledged it.
    if (untilMs === undefined || order.leg !== undefined) continue;
    count += 1;
    latestMs = Math.max(latestMs, untilMs);
  }
  if (count === 0) return "";
  const placements = count === 1 ? "1 order" : `${count} orders`;
  const span =
    latestMs === Number.POSITIVE_INFINITY
      ? "; the venue's clock is not known"
      : ` for ${Math.ceil((latestMs - nowMs) / 1000)} s`;
  return `; ${placements} without a response may still be placed${span}`;
}

/** For how long the venue may still take orders that the journal lost; empty when it takes none. */
function lostLandings(state: KernelState): string {
  const leftMs = lostLandForMs(state);
  if (state.lost !== undefined && state.lists.openQueriedMs === undefined) {
    return "; orders that the journal lost may be open";
  }
  if (leftMs === 0) return "";
  return `; orders that the journal lost may still be placed for ${Math.ceil(leftMs / 1000)} s`;
}

function isReady(state: KernelState): boolean {
  return (
    state.streamOpen &&
    state.venueOffsetMs !== undefined &&
    state.balances.blockNumber !== undefined &&
    state.lists.openQueriedMs !== undefined &&
    state.probe.phase === "done"
  );
}

/** Why the bot does not quote yet, as text for people. */
export function startReason(state: KernelState): string {
  if (!state.streamOpen) return "waiting for the venue's streams";
  if (state.venueOffsetMs === undefined) return "waiting for the venue's clock";
  if (state.balances.blockNumber === undefined) return "waiting for the balances";
  if (state.lists.openQueriedMs === undefined) return "waiting for the open orders";
  return "proving chain id and signer";
}
