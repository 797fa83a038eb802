import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import type { UnixMs } from "../domain/time.ts";

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Most buckets kept; a new one beyond that replaces the least recently used. */
const BUCKETS_MAX = 10_000;

/** A token bucket per key that holds `perSecond` tokens when full; 0 disables the limit. */
export class RequestRateLimit {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #oldest = new OldestKeyCursor(this.#buckets);

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes a token of this key. Without one, returns after how many seconds to retry, at least 1. */
  take(
    key: string,
    nowMs: UnixMs,
  ): { readonly ok: true } | { readonly ok: false; readonly retryAfterSec: number } {
    if (this.#perSecond === 0) return { ok: true };
    const burst = Math.max(1, this.#perSecond);
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * this.#perSecond) / 1000);
    bucket.atMs = nowMs;
    // Moved to the end, so that the first bucket in the map is the least recently used.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_MAX) {
      const oldest = this.#oldest.next();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return { ok: true };
    }
    return {
      ok: false,
      retryAfterSec: Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond)),
    };
  }
}
