const tracks = ["bid", "ask", "obligation"] as const;

/** Shares of the time, 0 to 1, or these times themselves; null for a side in which no quote was ever wanted. */
export interface UptimeShares {
  readonly bid: number | null;
  readonly ask: number | null;
  /** Within the strategy's obligation; null without one. */
  readonly obligation: number | null;
}

/** Adds up how long the quotes of one strategy rested in one market. */
export class UptimeSum {
  readonly #upMs = { bid: 0, ask: 0, obligation: 0 };
  #last: UptimeShares = { bid: null, ask: null, obligation: null };

  add(upMs: UptimeShares): void {
    this.#last = upMs;
    for (const track of tracks) this.#upMs[track] += upMs[track] ?? 0;
  }

  /** Of a time of this length. */
  sharesOf(lengthMs: number): UptimeShares {
    const share = (track: keyof UptimeShares): number | null =>
      this.#last[track] === null && this.#upMs[track] === 0
        ? null
        : uptimeShare(this.#upMs[track], lengthMs);
    return { bid: share("bid"), ask: share("ask"), obligation: share("obligation") };
  }
}

/** 0 to 1; 0 of no time. */
export function uptimeShare(upMs: number, lengthMs: number): number {
  return lengthMs <= 0 ? 0 : Math.min(1, Math.max(0, upMs / lengthMs));
}
