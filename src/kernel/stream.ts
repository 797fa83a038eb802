import type { StreamChannel } from "../domain/stream-channel.ts";
import { readLists, userChannelChanged } from "./freshness/account.ts";
import { readHistories } from "./history.ts";
import type { Input } from "./input.ts";
import { followBook } from "./market-data.ts";
import { wantFills } from "./list-span.ts";
import { venueReached } from "./outage.ts";
import type { KernelState } from "./state.ts";

/** Any message from the venue, over REST or the stream. */
export function noteMessage(state: KernelState): void {
  state.lastMessageMs = state.nowMs;
  state.reads.received(state.nowMs);
}

/** One channel was subscribed to anew. */
export function onResubscribed(state: KernelState, channel: StreamChannel): void {
  noteMessage(state);
  if (channel.kind === "userEvent") {
    userChannelChanged(state, true);
    readLists(state);
    return;
  }
  const market = state.markets.get(channel.marketId);
  if (market === undefined) return;
  if (channel.kind === "depth") followBook(state, market, market.sync.onStream("opened"));
  else {
    state.facts?.sources.trades.forgetUserShown(channel.marketId);
    readHistories(state);
  }
}

/** The stream's connection opened, closed, stalled, or answered a ping. */
export function onStream(
  state: KernelState,
  change: Extract<Input, { type: "stream" }>["state"],
  reason: string,
): void {
  if (change === "alive") {
    noteMessage(state);
    return;
  }
  if (change === "stalled") {
    state.reads.want({ type: "openOrders" }, state.nowMs, { again: true });
    return;
  }
  state.streamOpen = change === "opened";
  userChannelChanged(state, state.streamOpen);
  if (change === "opened") {
    noteMessage(state);
    venueReached(state);
    // Orders, fills and balances may have changed while the stream was closed.
    state.reads.want({ type: "openOrders" }, state.nowMs, {
      again: true,
      periodMs: state.config.timing.reconcileMs,
    });
    state.reads.want({ type: "balances" }, state.nowMs, {
      again: true,
      periodMs: state.config.timing.balancesMs,
    });
    readHistories(state);
    if (state.lastIntent > 0 || state.orders.live().length > 0) wantFills(state);
  } else {
    state.notes.push({ type: "warning", code: "STREAM_CLOSED", message: reason });
  }
  for (const market of state.markets.values()) {
    followBook(state, market, market.sync.onStream(change));
  }
}
