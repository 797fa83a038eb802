import { channelText } from "../../domain/stream-channel.ts";
import type { Effect } from "../effect.ts";
import type { KernelState } from "../state.ts";
import type { ChannelHealth } from "./channel-health.ts";
import type { Facts } from "./facts.ts";

/** One new connection serves all channels that need one at about the same time. */
const RECONNECT_SPACING_MS = 5_000;
const none: readonly Effect[] = [];

/**
 * Follows new misses: notes channels that fall behind or deliver again, and brings back those that are behind, by a new subscription
 * first and new connections after growing waits. The trade channel is only subscribed to anew.
 */
export function healChannels(state: KernelState, facts: Facts): readonly Effect[] {
  let effects: Effect[] | undefined;
  for (const health of facts.channels) {
    const news = health.follow(state.nowMs);
    if (news?.hasChanged === true) note(state, health);
    if (news?.hasFailed !== true) continue;
    const effect = heal(state, facts, health);
    if (effect !== undefined) (effects ??= []).push(effect);
  }
  return effects ?? none;
}

function note({ notes, nowMs }: KernelState, health: ChannelHealth): void {
  const { channel, isBehind, sinceMs, fresh } = health;
  notes.push({
    type: "channel",
    channel,
    state: isBehind ? "behind" : "live",
    sinceMs: isBehind ? sinceMs : nowMs,
    reason: isBehind ? fresh.reason : "",
  });
}

function heal(
  { nowMs, streamOpen, phase }: KernelState,
  facts: Facts,
  health: ChannelHealth,
): Effect | undefined {
  if (!streamOpen || (phase !== "starting" && phase !== "running")) return undefined;
  const { channel } = health;
  const attempt = health.attempt(nowMs);
  if (attempt === undefined) return undefined;
  if (attempt === "resubscribe" || channel.kind === "trade")
    return { type: "resubscribe", channel };
  if (nowMs - facts.reconnectMs < RECONNECT_SPACING_MS) return undefined;
  facts.reconnectMs = nowMs;
  return { type: "reconnect", reason: `the ${channelText(channel)} is behind` };
}
