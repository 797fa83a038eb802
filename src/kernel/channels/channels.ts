import type { StreamChannel } from "../../domain/stream-channel.ts";
import { channelText } from "../../domain/stream-channel.ts";
import type { ChannelHealing } from "./channel-healing.ts";
import type { ChannelState, MarketChannels } from "./channel-state.ts";
import type { Effect } from "../effect.ts";
import type { KernelState, MarketState, StrategySlot } from "../state.ts";
import { nextUntoldMs, readOverdue, readUntold } from "./user-channel.ts";

const NEVER = Number.POSITIVE_INFINITY;
const none: readonly Effect[] = [];
/** A public trade that comes this much later than its user event proves the trade channel dead. No quote depends on it. */
const TRADE_MS = 5_000;
/** One new connection serves all channels that need one at about the same time. */
const RECONNECT_SPACING_MS = 5_000;

/** Judges every channel, once a step. Returns the effects that are to bring dead ones back. */
export function watchChannels(state: KernelState): readonly Effect[] {
  const { channels } = state;
  if (channels === undefined) return none;
  watchTrades(state, channels);
  for (const market of state.markets.values()) {
    if (market.channels !== undefined) watchDepth(state, channels, market, market.channels);
  }
  if (state.streamOpen) {
    if (channels.user.judge(channels.clock, state.nowMs)) wantClock(state);
    readOverdue(state);
    readUntold(state);
  }
  noteChanges(state, channels);
  const mayHeal = state.streamOpen && (state.phase === "starting" || state.phase === "running");
  return mayHeal ? heal(state, channels) : none;
}

/** Why a strategy's quotes are pulled because a channel is behind; undefined when none has been for longer than its limit. */
export function channelPullReason(
  state: KernelState,
  { staleMs }: StrategySlot,
  market: MarketState,
): string | undefined {
  const { channels, nowMs } = state;
  if (channels === undefined || market.channels === undefined) return undefined;
  const { depth } = market.channels;
  if (nowMs - depth.behindSinceMs > staleMs) return `depth channel is behind: ${depth.reason}`;
  const { user } = channels;
  if (nowMs - user.behindSinceMs <= staleMs || mayTry(state, channels)) return undefined;
  return `user channel is behind: ${user.reason}`;
}

/**
 * Only orders can show that a user channel delivers again. After a new subscription they may be placed once all earlier fills are
 * known; the first event that does not come pulls them again.
 */
function mayTry(
  { listQueriedMs = -1, fillsQueriedMs = -1 }: KernelState,
  { user }: ChannelState,
): boolean {
  const { onTrialSinceMs } = user;
  return (
    onTrialSinceMs !== undefined &&
    listQueriedMs >= onTrialSinceMs &&
    fillsQueriedMs >= onTrialSinceMs
  );
}

/** When a channel has to be judged or healed next, our clock; Infinity for never. */
export function nextChannelMs(state: KernelState): number {
  const { channels, nowMs } = state;
  if (channels === undefined) return NEVER;
  const { user, userHealing, ownTrades, listsMs, checkMs } = channels;
  let nextMs = Math.min(
    nextUntoldMs(state),
    later(user.nextMs(nowMs), nowMs),
    later(ownTrades.nextMs(checkMs / 2, TRADE_MS), nowMs),
  );
  if (user.behindSinceMs !== NEVER) {
    nextMs = Math.min(
      nextMs,
      later(listsMs + 2 * checkMs, nowMs),
      later(userHealing.nextMs, nowMs),
    );
  }
  for (const { channels: market, sync } of state.markets.values()) {
    if (market === undefined) continue;
    const { depth, depthHealing } = market;
    if (sync.live !== undefined) nextMs = Math.min(nextMs, later(depth.nextMs(nowMs), nowMs));
    if (depth.behindSinceMs !== NEVER) nextMs = Math.min(nextMs, later(depthHealing.nextMs, nowMs));
  }
  return nextMs;
}

/** When channels that are behind will pull the quotes of a slot, our clock; Infinity for never. */
export function channelPullMs(
  { channels, nowMs }: KernelState,
  { staleMs }: StrategySlot,
  market: MarketState,
): number {
  if (channels === undefined || market.channels === undefined) return NEVER;
  const depthMs = market.channels.depth.behindSinceMs + staleMs + 1;
  const userMs = channels.user.behindSinceMs + staleMs + 1;
  return Math.min(later(depthMs, nowMs), later(userMs, nowMs));
}

function later(atMs: number, nowMs: number): number {
  return atMs > nowMs ? atMs : NEVER;
}

function watchDepth(
  state: KernelState,
  { clock }: ChannelState,
  { sync, market, audit }: MarketState,
  { depth }: MarketChannels,
): void {
  if (sync.live === undefined) return;
  const check = depth.judge(clock, state.nowMs);
  if (check === "clock") wantClock(state);
  else if (check === "book") {
    audit.isForCheck = true;
    state.reads.want({ type: "book", marketId: market.marketId }, state.nowMs);
  }
}

function watchTrades(state: KernelState, { ownTrades }: ChannelState): void {
  const { nowMs } = state;
  for (
    let marketId = ownTrades.overdueMarket(TRADE_MS, nowMs);
    marketId !== undefined;
    marketId = ownTrades.overdueMarket(TRADE_MS, nowMs)
  ) {
    const market = state.markets.get(marketId)?.channels;
    if (market?.hasOrderIds !== true) continue;
    // The whole market's data may have stopped.
    if (market.tradeBehindSinceMs === NEVER) market.depth.doubt();
    market.tradeBehindSinceMs = Math.min(market.tradeBehindSinceMs, nowMs - TRADE_MS);
  }
}

function wantClock({ reads, nowMs }: KernelState): void {
  reads.want({ type: "venueTime" }, nowMs);
}

/** Keeps what a reading of the venue's clock, requested at `queriedMs`, says about the age of events. */
export function noteClock(
  { channels }: KernelState,
  { offsetMs, roundTripMs }: { readonly offsetMs: number; readonly roundTripMs: number },
  queriedMs: number,
): void {
  if (channels === undefined) return;
  channels.clock.offsetMs = offsetMs;
  channels.clock.doubtMs = roundTripMs / 2;
  channels.clock.queriedMs = queriedMs;
}

function noteChanges(state: KernelState, channels: ChannelState): void {
  const { user } = channels;
  if ((user.behindSinceMs !== NEVER) !== channels.isUserNoted) {
    channels.isUserNoted = !channels.isUserNoted;
    note(state, { kind: "userEvent" }, user.behindSinceMs, user.reason);
  }
  for (const { market, channels: own } of state.markets.values()) {
    if (own === undefined) continue;
    const { depth, tradeBehindSinceMs } = own;
    const { marketId } = market;
    if ((depth.behindSinceMs !== NEVER) !== own.isDepthNoted) {
      own.isDepthNoted = !own.isDepthNoted;
      note(state, { kind: "depth", marketId }, depth.behindSinceMs, depth.reason);
    }
    if ((tradeBehindSinceMs !== NEVER) !== own.isTradeNoted) {
      own.isTradeNoted = !own.isTradeNoted;
      note(state, { kind: "trade", marketId }, tradeBehindSinceMs, "an own trade did not come");
    }
  }
}

function note(
  { notes, nowMs }: KernelState,
  channel: StreamChannel,
  behindSinceMs: number,
  reason: string,
): void {
  const isBehind = behindSinceMs !== NEVER;
  const sinceMs = isBehind ? behindSinceMs : nowMs;
  notes.push({
    type: "channel",
    channel,
    state: isBehind ? "behind" : "live",
    sinceMs,
    reason: isBehind ? reason : "",
  });
}

/** Most steps find no channel behind, so that they make no list either. */
function heal(state: KernelState, channels: ChannelState): readonly Effect[] {
  const { user } = channels;
  let effects: Effect[] | undefined;
  if (user.behindSinceMs !== NEVER && user.onTrialSinceMs === undefined) {
    effects = healOne(state, { kind: "userEvent" }, channels.userHealing, effects);
  }
  for (const { market, channels: own } of state.markets.values()) {
    if (own === undefined) continue;
    const { marketId } = market;
    if (own.depth.isProven) {
      effects = healOne(state, { kind: "depth", marketId }, own.depthHealing, effects);
    }
    if (own.tradeBehindSinceMs !== NEVER) {
      effects = healOne(state, { kind: "trade", marketId }, own.tradeHealing, effects);
    }
  }
  return effects ?? none;
}

/** Adds the attempt that is due for a channel, if there is one. */
function healOne(
  { channels, nowMs }: KernelState,
  channel: StreamChannel,
  healing: ChannelHealing,
  effects: Effect[] | undefined,
): Effect[] | undefined {
  const attempt = healing.attempt(nowMs);
  if (attempt === undefined || channels === undefined) return effects;
  if (attempt === "resubscribe" || channel.kind === "trade") {
    return [...(effects ?? []), { type: "resubscribe", channel }];
  }
  if (nowMs - channels.reconnectMs < RECONNECT_SPACING_MS) return effects;
  channels.reconnectMs = nowMs;
  const reason = `the ${channelText(channel)} is behind`;
  return [...(effects ?? []), { type: "reconnect", reason }];
}
