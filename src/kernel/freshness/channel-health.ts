import { backOffMs } from "../../base/back-off.ts";
import type { StreamChannel } from "../../domain/stream-channel.ts";
import type { Freshness } from "./freshness.ts";

/** A channel is behind once its fact had to be corrected this often in a row. */
const BEHIND_FROM = 2;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;
/** After this long without an attempt the waits start again. */
const FORGET_MS = 600_000;

/** Whether one channel of the stream delivers, and when to try to get it back. */
export class ChannelHealth {
  readonly channel: StreamChannel;
  /** Of the fact that the channel keeps. */
  readonly fresh: Freshness;
  /** When the first of the present misses came. */
  sinceMs = 0;
  /** Misses in a row that were followed already. */
  #followed = 0;
  #attempts = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(channel: StreamChannel, fresh: Freshness) {
    this.channel = channel;
    this.fresh = fresh;
  }

  get isBehind(): boolean {
    return this.fresh.misses >= BEHIND_FROM;
  }

  /** Follows new misses: whether it fell behind or delivers again, and whether it failed once more while it is behind. */
  follow(nowMs: number): { readonly hasChanged: boolean; readonly hasFailed: boolean } | undefined {
    const { misses } = this.fresh;
    const followed = this.#followed;
    if (misses === followed) return undefined;
    this.#followed = misses;
    if (followed === 0) this.sinceMs = nowMs;
    const hasChanged = this.isBehind !== followed >= BEHIND_FROM;
    return { hasChanged, hasFailed: this.isBehind && misses > followed };
  }

  /** What to do now for a channel that is behind: a new subscription first, then new connections. Undefined while an earlier attempt may still help. */
  attempt(nowMs: number): "resubscribe" | "reconnect" | undefined {
    if (nowMs < this.#nextMs) return undefined;
    if (nowMs - this.#lastMs >= FORGET_MS) this.#attempts = 0;
    this.#nextMs = nowMs + backOffMs(Math.max(1, this.#attempts), FIRST_WAIT_MS, MAX_WAIT_MS);
    this.#attempts += 1;
    this.#lastMs = nowMs;
    return this.#attempts === 1 ? "resubscribe" : "reconnect";
  }
}
