import type { Side } from "../domain/side.ts";
import { uptimeShare } from "../journal/uptime-sum.ts";

/** Uptime counts from this long after the start. */
const UPTIME_GRACE_MS = 3_000;

/** What uptime is measured of: each side, and what a market-making agreement asks. */
export type UptimeTrack = Side | "obligation";

const tracks = ["BUY", "SELL", "obligation"] as const satisfies readonly UptimeTrack[];

/**
 * Share of the time in which at least one order is known to rest, for each side, and in which the quotes keep an obligation. An order rests from its acknowledgement until the
 * bot learns of its end or pulls the quotes of its side, or for a second after a cancel without a response; while a channel that would tell of it is behind or closed, or
 * the bot waits for a disk that hangs, nothing is known to rest. The time runs from 3 s after the start to the stop signal.
 */
export class Uptime {
  readonly #fromMs: number;
  #untilMs = Number.POSITIVE_INFINITY;
  #nowMs: number;
  readonly #isUp: Record<UptimeTrack, boolean> = { BUY: false, SELL: false, obligation: false };
  readonly #upMs: Record<UptimeTrack, number> = { BUY: 0, SELL: 0, obligation: 0 };
  /** Since when each is up without a break. */
  readonly #upSinceMs: Record<UptimeTrack, number> = { BUY: 0, SELL: 0, obligation: 0 };
  #isStale = false;
  #staleMs = 0;
  /** The last time in which the bot learned nothing. */
  #skipped = { fromMs: 0, untilMs: 0 };
  /** When a channel was behind last. */
  #freshSinceMs = Number.NEGATIVE_INFINITY;

  /** What the last `take` returned the end of. */
  #taken: { readonly untilMs: number; readonly upMs: Readonly<Record<UptimeTrack, number>> };

  constructor(startMs: number) {
    this.#fromMs = startMs + UPTIME_GRACE_MS;
    this.#taken = { untilMs: this.#fromMs, upMs: { ...this.#upMs } };
    this.#nowMs = startMs;
  }

  /** Ends the measured time at `atMs`; a later call cannot extend it. */
  stop(atMs: number): void {
    this.#untilMs = Math.min(this.#untilMs, atMs);
  }

  /** Moves the time to `nowMs` while the orders stay as they are. A clock that goes back adds nothing. */
  advance(nowMs: number): void {
    const from = Math.max(this.#nowMs, this.#fromMs);
    const passedMs = Math.min(nowMs, this.#untilMs) - from;
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    if (passedMs <= 0) return;
    if (this.#isStale) {
      this.#staleMs += passedMs;
      return;
    }
    for (const track of tracks) {
      if (this.#isUp[track]) this.#upMs[track] += passedMs;
    }
  }

  /** Moves the time to `untilMs`; nothing is known to rest meanwhile. */
  skip(untilMs: number): void {
    if (untilMs <= this.#nowMs) return;
    if (this.#isStale) this.advance(untilMs);
    else this.#skipped = { fromMs: this.#nowMs, untilMs };
    this.#nowMs = untilMs;
  }

  /** Sets whether an order rests on this side or the obligation is kept, from the time of the last `advance`. */
  set(track: UptimeTrack, isUp: boolean): void {
    if (isUp && !this.#isUp[track]) this.#upSinceMs[track] = this.#nowMs;
    this.#isUp[track] = isUp;
  }

  /**
   * Sets since when a channel is behind; undefined when none is. Time since then that was already counted as uptime is taken back,
   * as far as the order rested without a break.
   */
  setStale(sinceMs: number | undefined): void {
    if (sinceMs !== undefined && !this.#isStale) {
      const untilMs = Math.min(this.#nowMs, this.#untilMs);
      const fromMs = Math.max(sinceMs, this.#fromMs, this.#freshSinceMs);
      this.#staleMs += Math.max(0, untilMs - fromMs);
      for (const track of tracks) {
        if (!this.#isUp[track]) continue;
        const countedFromMs = Math.max(fromMs, this.#upSinceMs[track]);
        const skippedMs =
          Math.min(untilMs, this.#skipped.untilMs) - Math.max(countedFromMs, this.#skipped.fromMs);
        this.#upMs[track] -= Math.max(0, untilMs - countedFromMs - Math.max(0, skippedMs));
      }
    } else if (sinceMs === undefined && this.#isStale) this.#freshSinceMs = this.#nowMs;
    this.#isStale = sinceMs !== undefined;
  }

  /** How long a channel was behind, in milliseconds, within the measured time. */
  get staleMs(): number {
    return this.#staleMs;
  }

  /** The measured time since the previous call, and for how long of it each track was up: below 0 where earlier time was taken back. */
  take(): { fromMs: number; untilMs: number; upMs: Readonly<Record<UptimeTrack, number>> } {
    const { untilMs: fromMs, upMs: before } = this.#taken;
    const untilMs = Math.max(fromMs, Math.min(this.#nowMs, this.#untilMs));
    const upMs = { ...this.#upMs };
    this.#taken = { untilMs, upMs: { ...this.#upMs } };
    for (const track of tracks) upMs[track] -= before[track];
    return { fromMs, untilMs, upMs };
  }

  /** 0 to 1, up to the last `advance`; 0 for a run of less than 3 s. */
  share(track: UptimeTrack): number {
    return uptimeShare(this.#upMs[track], Math.min(this.#nowMs, this.#untilMs) - this.#fromMs);
  }
}
