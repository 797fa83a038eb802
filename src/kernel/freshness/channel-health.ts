import type { StreamChannel } from "../../domain/stream-channel.ts";
import { ChannelHealing } from "./channel-healing.ts";
import type { Freshness } from "./freshness.ts";

/** A channel is behind once its fact had to be corrected this often in a row. */
export const BEHIND_FROM = 2;

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
    return this.fresh.misses >= BEHIND_FROM;
  }
}
