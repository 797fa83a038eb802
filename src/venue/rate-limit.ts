import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import type { UnixMs } from "../domain/time.ts";

/** Most buckets kept; a new one beyond that replaces the least recently used. */
const BUCKETS_MAX = 10_000;

/** A token bucket per key that holds `perSecond` tokens when full; 0 disables the limit. */
export class RequestRateLimit {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #oldest = new OldestKeyCursor(this.#buckets);

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes a token of this key. Without one, returns after how many seconds to retry, at least 1. */
  take(
    key: string,
    nowMs: UnixMs,
  ): { readonly ok: true } | { readonly ok: false; readonly retryAfterSec: number } {
    const perSecond = this.#perSecond;
    if (perSecond === 0) return { ok: true };
    const bucket =
      this.#buckets.get(key) ??
      new TokenBucket({ atOnce: Math.max(1, perSecond), perSecond }, nowMs);
    // Moved to the end, so that the first bucket in the map is the least recently used.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_MAX) {
      const oldest = this.#oldest.next();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.take(nowMs)) return { ok: true };
    return { ok: false, retryAfterSec: Math.max(1, Math.ceil(bucket.waitSec)) };
  }
}
