import type { StreamChannel } from "../../domain/stream-channel.ts";
import { channelText } from "../../domain/stream-channel.ts";
import type { Effect } from "../effect.ts";
import type { KernelState } from "../state.ts";
import { ChannelHealing } from "./channel-healing.ts";
import type { Facts } from "./facts.ts";
import type { Freshness } from "./freshness.ts";

/** A channel is behind once its fact had to be corrected this often in a row. */
const BEHIND_FROM = 2;
/** One new connection serves all channels that need one at about the same time. */
const RECONNECT_SPACING_MS = 5_000;
const none: readonly Effect[] = [];

/** Whether one channel of the stream delivers. */
export class ChannelHealth {
  readonly channel: StreamChannel;
  /** Of the fact that the channel keeps. */
  readonly fresh: Freshness;
  readonly healing = new ChannelHealing();
  /** Corrections in a row that were followed already, and when the first of them came. */
  followed = 0;
  sinceMs = 0;

  constructor(channel: StreamChannel, fresh: Freshness) {
    this.channel = channel;
    this.fresh = fresh;
  }

  get isBehind(): boolean {
    return this.fresh.corrections >= BEHIND_FROM;
  }
}

/**
 * Follows new corrections: notes channels that fall behind or deliver again, and brings back those that are behind, by a new subscription
 * first and new connections after growing waits. The trade channel is only subscribed to anew.
 */
export function healChannels(state: KernelState, facts: Facts): readonly Effect[] {
  let effects: Effect[] | undefined;
  for (const health of facts.channels) {
    const { followed, fresh } = health;
    if (fresh.corrections === followed) continue;
    health.followed = fresh.corrections;
    if (followed === 0) health.sinceMs = state.nowMs;
    if (health.isBehind !== followed >= BEHIND_FROM) note(state, health);
    if (!health.isBehind || fresh.corrections < followed) continue;
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
  { channel, healing }: ChannelHealth,
): Effect | undefined {
  if (!streamOpen || (phase !== "starting" && phase !== "running")) return undefined;
  const attempt = healing.attempt(nowMs);
  if (attempt === undefined) return undefined;
  if (attempt === "resubscribe" || channel.kind === "trade")
    return { type: "resubscribe", channel };
  if (nowMs - facts.reconnectMs < RECONNECT_SPACING_MS) return undefined;
  facts.reconnectMs = nowMs;
  return { type: "reconnect", reason: `the ${channelText(channel)} is behind` };
}
