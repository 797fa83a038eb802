const NEVER = Number.POSITIVE_INFINITY;

/**
 * How old the copy of one fact of the venue is: a market's book, own open orders and fills, the venue's clock, its list of markets, the
 * balances. All times are ours.
 *
 * A hint (`suspect`) only has the fact read again soon. Nothing withdraws a hint but a proof that is as new: whatever shows that the copy
 * was right at a time (`proven`) settles every hint that arose up to it. `needs.ts` says which facts a quote needs and how old each may be,
 * `rereads.ts` what is read when, and `heal-channels.ts` what follows from misses in a row.
 */
export class Freshness {
  /** The newest time for which the copy is known to be right. */
  provenMs = Number.NEGATIVE_INFINITY;
  /** Since when something hints that the copy is wrong; Infinity while nothing does. */
  suspectMs = NEVER;
  /** How many times in a row its channel failed to keep it: a read had to correct it, or an awaited event did not come. */
  misses = 0;
  /** What the hint of `suspectMs` was. */
  reason = "";

  /** A hint. The earliest one that is not settled stays; an earlier `sinceMs` makes the read due sooner. */
  suspect(sinceMs: number, reason: string): void {
    if (sinceMs >= this.suspectMs) return;
    this.suspectMs = sinceMs;
    this.reason = reason;
  }

  /** The copy was right at this time. */
  proven(atMs: number): void {
    if (atMs > this.provenMs) this.provenMs = atMs;
    if (this.suspectMs <= atMs) this.suspectMs = NEVER;
  }

  /** The channel that keeps the copy failed once more. */
  missed(): void {
    this.misses += 1;
  }

  /** A read had to correct the copy, which is right as of this time now. */
  corrected(atMs: number): void {
    this.missed();
    this.proven(atMs);
  }

  /** The channel that keeps the copy has proven it. */
  delivered(): void {
    this.misses = 0;
  }
}
