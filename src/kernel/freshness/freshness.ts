const NEVER = Number.POSITIVE_INFINITY;

/**
 * How old the copy of one fact of the venue is: a market's book, own open orders and fills, the venue's clock, its list of markets, the
 * balances. All times are ours.
 *
 * A hint (`suspect`) only has the fact read again soon. Nothing withdraws a hint but a proof that is as new: whatever shows that the copy
 * was right at a time (`proven`) settles every hint that arose up to it. Which facts a quote needs and how old each may be says
 * `needs.ts`; what is read when says `rereads.ts`; what follows from corrections in a row says `heal-channels.ts`.
 */
export class Freshness {
  /** The newest time for which the copy is known to be right. */
  provenMs = Number.NEGATIVE_INFINITY;
  /** Since when something hints that the copy is wrong; Infinity while nothing does. */
  suspectMs = NEVER;
  /** How many times in a row it had to be corrected although its channel should have told, without an event that proved the channel. */
  corrections = 0;
  /** What the newest hint was. */
  reason = "";

  suspect(nowMs: number, reason: string): void {
    if (nowMs >= this.suspectMs) return;
    this.suspectMs = nowMs;
    this.reason = reason;
  }

  /** The copy was right at this time. */
  proven(atMs: number): void {
    if (atMs > this.provenMs) this.provenMs = atMs;
    if (this.suspectMs <= atMs) this.suspectMs = NEVER;
  }

  /** A read had to correct the copy, which is right as of this time now. */
  corrected(atMs: number): void {
    this.corrections += 1;
    this.proven(atMs);
  }

  /** The channel that keeps the copy has proven it. */
  delivered(): void {
    this.corrections = 0;
  }
}
