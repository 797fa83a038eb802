import { lostLandUntilMs, mayMissOrders } from "./orders/adoption.ts";
import type { Effect } from "./effect.ts";
import { fillsToList } from "./orders/list-span.ts";
import type { KernelState } from "./state.ts";

/** Ends quoting. From here on own orders are canceled and queried until all have ended, for `limitMs` at most. */
export function stop(
  state: KernelState,
  isNormal: boolean,
  text: string,
  limitMs: number = state.config.timing.stopMs,
): void {
  const known = state.stopReason;
  // A failure while stopping makes the run a failed one, and it stays failed.
  if (known === undefined || (known.ok && !isNormal)) state.stopReason = { ok: isNormal, text };
  state.stoppingSinceMs ??= state.nowMs;
  // A later deadline can only shorten the wait.
  state.stopByMs = Math.min(state.stopByMs ?? Number.POSITIVE_INFINITY, state.nowMs + limitMs);
  if (state.phase !== "finished") state.phase = "stopping";
}

/** Starts the clocks of the first step: the venue's silence and missing books count from now, and so does the age of its markets. */
export function begin(state: KernelState): void {
  state.lastMessageMs = state.nowMs;
  for (const market of state.markets.values()) market.blindSinceMs = state.nowMs;
  const { doubts, reads, config } = state;
  const { marketsMs: periodMs } = config.timing;
  if (doubts === undefined) return;
  reads.want({ type: "markets" }, state.nowMs + periodMs, { periodMs });
}

/** Moves to the next phase when its conditions are met. Returns the last effect of a run. */
export function advance(state: KernelState): Effect[] {
  if (state.phase === "starting" && isReady(state)) {
    state.phase = "running";
    for (const { runner } of state.slots) runner.needsDecision = true;
  }
  if (state.phase === "running" && state.slots.every(({ runner }) => runner.fault !== undefined)) {
    stop(state, false, "every strategy failed");
  }
  if (state.phase !== "stopping") return [];
  if (state.nowMs >= (state.stopByMs ?? Number.POSITIVE_INFINITY)) return giveUp(state);
  const { lists } = state;
  const isLive = state.orders.live().length > 0;
  // A list that was requested before an order was adopted does not prove its end.
  if (isLive || state.adopted.length > 0) state.finalList = undefined;
  if (isLive) return [];
  // Executed quantity still has to be booked.
  if (fillsToList(state).length > 0) return [];
  if (state.doubts?.awaitedFills !== undefined) return [];
  // An end that is in doubt is queried first.
  if (state.doubts !== undefined && state.orders.nextQueryMs() !== undefined) return [];
  // Every order of ours has ended. One more list of open orders proves it.
  const mayHaveOrders = state.lastIntent > 0 || state.lostTails.length > 0;
  if (mayHaveOrders && state.finalList === undefined) {
    state.finalList = lists.requested + 1;
    state.reads.want({ type: "openOrders" }, state.nowMs, { again: true });
    return [];
  }
  if (state.finalList !== undefined && lists.answered < state.finalList) return [];
  if (mayMissOrders(state) || lostLandUntilMs(state) !== undefined) return [];
  state.phase = "finished";
  const reason = state.stopReason ?? { ok: true, text: "" };
  return [finished(state, reason.ok, reason.text)];
}

function giveUp(state: KernelState): Effect[] {
  state.phase = "finished";
  const prefix = state.stopReason === undefined ? "" : `${state.stopReason.text}; `;
  const limit = `${Math.round((state.nowMs - (state.stoppingSinceMs ?? state.nowMs)) / 1000)} s`;
  const reason = `${prefix}own orders could not be settled within ${limit}${lateLandings(state)}${lostLandings(state)}`;
  return [finished(state, false, reason)];
}

function finished({ stopCode }: KernelState, ok: boolean, reason: string): Effect {
  const effect: Effect = { type: "finished", ok, reason };
  return stopCode === undefined ? effect : { ...effect, code: stopCode };
}

/** How many placements without a response the venue may still take, and for how long (D37); empty when there are none. */
function lateLandings({ orders, nonceExpiry, nowMs }: KernelState): string {
  let count = 0;
  let latestMs = nowMs as number;
  for (const order of orders.live()) {
    if (!orders.mayBePlaced(order, nowMs)) continue;
    // A leg comes with its quote, which counts here itself unless the venue has acknowledged it.
    if (order.leg !== undefined) continue;
    count += 1;
    latestMs = Math.max(latestMs, nonceExpiry?.expiresMs(order.nonce) ?? 0);
  }
  if (count === 0) return "";
  const placements = count === 1 ? "1 order" : `${count} orders`;
  const span =
    latestMs === Number.POSITIVE_INFINITY
      ? "; the venue's clock is not known"
      : latestMs > nowMs
        ? ` for ${Math.ceil((latestMs - nowMs) / 1000)} s`
        : " if the venue's clock was set back";
  return `; ${placements} without a response may still be placed${span}`;
}

/** For how long the venue may still take orders that the journal lost (docs/decisions/019); empty when it takes none. */
function lostLandings(state: KernelState): string {
  if (state.venueOffsetMs === undefined) {
    return mayMissOrders(state)
      ? "; orders that the journal lost may be open; the venue's clock is not known"
      : "";
  }
  const untilMs = lostLandUntilMs(state);
  const { nowMs, venueOffsetMs } = state;
  if (untilMs === undefined) return "";
  const leftMs = Math.max(0, untilMs - nowMs - venueOffsetMs);
  return `; orders that the journal lost may still be placed for ${Math.ceil(leftMs / 1000)} s`;
}

function isReady(state: KernelState): boolean {
  return (
    state.streamOpen &&
    state.venueOffsetMs !== undefined &&
    state.balances.blockNumber !== undefined &&
    state.listQueriedMs !== undefined &&
    (state.others.phase === "watching" || state.others.phase === "over") &&
    !mayMissOrders(state) &&
    state.probe.phase === "done"
  );
}

/** Why the bot does not quote yet, as text for people. */
export function startReason(state: KernelState): string {
  if (!state.streamOpen) return "waiting for the venue's streams";
  if (state.venueOffsetMs === undefined) return "waiting for the venue's clock";
  if (state.balances.blockNumber === undefined) return "waiting for the balances";
  if (state.listQueriedMs === undefined) return "waiting for the open orders";
  if (state.others.phase === "observing") return "watching for another bot on this account";
  if (mayMissOrders(state)) return "waiting for orders that the journal may have lost";
  return "proving chain id and signer";
}
