const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;
/** After this long without an attempt the waits start again. */
const FORGET_MS = 600_000;

/** When to try to get a dead channel back: a new subscription first, then new connections after waits that double. */
export class ChannelHealing {
  #attempts = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #nextMs = Number.NEGATIVE_INFINITY;

  /** What to do now for a channel that is dead; undefined while an earlier attempt may still help. */
  attempt(nowMs: number): "resubscribe" | "reconnect" | undefined {
    if (nowMs < this.#nextMs) return undefined;
    if (nowMs - this.#lastMs >= FORGET_MS) this.#attempts = 0;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, this.#attempts - 1), MAX_WAIT_MS);
    this.#attempts = Math.min(this.#attempts + 1, 30);
    this.#lastMs = nowMs;
    this.#nextMs = nowMs + waitMs;
    return this.#attempts === 1 ? "resubscribe" : "reconnect";
  }
}
