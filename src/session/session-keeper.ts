/**
 * Session wallets: keys that sign for the owner for a limited time.
 *
 * `openSession` finds or makes the session that a start signs with, from the keys of `SessionKeys`; `session-maker.ts` signs and sends what
 * makes, lists and ends sessions. `SessionKeeper` watches the one in use while a bot runs: it warns, renews with overlap, and stops the bot
 * before the end.
 *
 * Imports `gateway`, `platform` and `sdk`; it reaches the bot by callbacks (`signWith`, `warn`, `stop`).
 */

import { errorText } from "../base/error-text.ts";
import { DAY_MS, HOUR_MS } from "../domain/time.ts";
import { distanceText } from "../domain/time-words.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { Signer } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import {
  endSession,
  fetchSessions,
  makeSession,
  type SessionRenewal,
  type SessionVenue,
} from "./session-maker.ts";

export interface SessionKeeperOptions {
  readonly venue: SessionVenue;
  readonly log: Log;
  /** The session wallet that signs now. */
  readonly signer: Signer;
  /** Its end, Unix seconds. */
  readonly expirySec: number;
  /** The venue's clock minus ours by the last reading; default 0. */
  readonly offsetMs?: number;
  /** The session was made just now; default false. */
  readonly isNew?: boolean;
  /** The bot stops this long before the session's end. It must be enough to cancel all orders. */
  readonly stopBeforeMs: number;
  /** Undefined: the session is not renewed. */
  readonly renew: SessionRenewal | undefined;
  /** Default: as for sessions that last days. */
  readonly timing?: SessionTiming | undefined;
  /** Makes the bot sign with this session wallet from now on. Throws when it cannot. */
  signWith(signer: Signer): void;
  /** Shows a warning in the log, the dashboard and the journal. */
  warn(code: string, message: string): void;
  /** Makes the bot cancel its orders and stop; `limitMs` bounds how long it may keep trying. Called once. */
  stop(reason: string, limitMs?: number): void;
}

const MINUTE_MS = 60_000;
/** The keeper warns this long before the end. */
const WARN_MS = [7 * DAY_MS, DAY_MS, HOUR_MS] as const;
const DELETE_TRIES = 5;
/** Least time for canceling the orders, and the safety margin before the session's end. */
const SETTLE_MS = 10_000;

/** Times of the keeper, in ms. */
export interface SessionTiming {
  /** Wait between two checks of the session. */
  readonly checkMs: number;
  /** Wait before the next check when one failed, the venue's list lacked the session, or the venue refused a signature. */
  readonly recheckMs: number;
  /** Wait after a failed renewal. */
  readonly retryMs: number;
  /** The old session is kept this long after the handover. */
  readonly overlapMs: number;
}

const defaultTiming: SessionTiming = {
  checkMs: 5 * MINUTE_MS,
  recheckMs: 5_000,
  retryMs: MINUTE_MS,
  // By then the old session's commands are answered or too old to be accepted (D6).
  overlapMs: 2 * MINUTE_MS,
};

/**
 * Keeps a running bot's session wallet valid. It warns before the end and renews with overlap: it makes a new session, moves
 * signing to it and ends the old one. When that fails, or the session was ended from outside, it stops the bot while the orders
 * can still be canceled. A local timer enforces the deadline, so it needs no response from the venue or the owner.
 */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  readonly #timing: SessionTiming;
  #signer: Signer;
  #expirySec: number;
  #offsetMs: number;
  #warnedMs = Number.POSITIVE_INFINITY;
  #missing = 0;
  #isChecking = false;
  /** The venue refused a signature, so one list without the session is enough to stop. */
  #isSuspect = false;
  /** Until then a list that lacks the session may be older than the session (docs/decisions/036). */
  #newUntilUs = Number.NEGATIVE_INFINITY;
  /** A new session wallet that is not applied yet. It is tried again before another one is made. */
  #nextSigner: Signer | undefined;
  #name = "touchline";
  #checkTimer: TimerHandle | undefined;
  #stopTimer: TimerHandle | undefined;
  /** One for each session that was replaced and not ended yet. */
  readonly #endOldTimers = new Set<TimerHandle>();
  #isOver = false;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultTiming;
    this.#signer = options.signer;
    this.#expirySec = options.expirySec;
    this.#offsetMs = options.offsetMs ?? 0;
  }

  /** The session wallet that signs now. */
  get signer(): Signer {
    return this.#signer;
  }

  start(): void {
    if (this.#options.isNew === true) this.#noteNew();
    this.#armStop();
    this.#checkIn(0);
  }

  close(): void {
    this.#isOver = true;
    this.#checkTimer?.cancel();
    this.#stopTimer?.cancel();
    for (const timer of this.#endOldTimers) timer.cancel();
  }

  /** Checks the session now, because the venue refused a signature. */
  suspect(): void {
    this.#isSuspect = true;
    if (this.#isOver || this.#isChecking) return;
    this.#checkTimer?.cancel();
    this.#checkIn(0);
  }

  #noteNew(): void {
    const nowUs = this.#options.venue.clock.monotonicUs();
    this.#newUntilUs = nowUs + this.#timing.overlapMs * 1_000;
  }

  #leftMs(): number {
    return this.#expirySec * 1000 - (this.#options.venue.clock.nowMs() + this.#offsetMs);
  }

  /** Sets the timer of the deadline, again whenever the expiry or the clock offset changes. */
  #armStop(): void {
    const { venue, stopBeforeMs } = this.#options;
    this.#stopTimer?.cancel();
    const waitMs = Math.max(0, this.#leftMs() - stopBeforeMs);
    this.#stopTimer = venue.timer.after(waitMs, () => {
      const reason = `the session wallet ${this.#signer.address} ends ${this.#endText()}`;
      // An unreachable venue may come back while the session is still valid.
      this.#stopBot(reason, Math.max(SETTLE_MS, this.#leftMs() - SETTLE_MS));
    });
  }

  #stopBot(reason: string, limitMs?: number): void {
    if (this.#isOver) return;
    const { warn, stop } = this.#options;
    warn("SESSION_STOPS", `stopping: ${reason}`);
    this.close();
    stop(reason, limitMs);
  }

  #checkIn(waitMs: number): void {
    this.#checkTimer = this.#options.venue.timer.after(waitMs, () => void this.#checkAndRepeat());
  }

  async #checkAndRepeat(): Promise<void> {
    this.#isChecking = true;
    const nextMs = await this.#check();
    this.#isChecking = false;
    if (!this.#isOver) this.#checkIn(this.#isSuspect ? this.#timing.recheckMs : nextMs);
  }

  /** Resolves with the wait until the next check; never rejects. */
  async #check(): Promise<number> {
    const { checkMs, recheckMs, retryMs } = this.#timing;
    const isFetched = await this.#fetch();
    if (this.#isOver) return checkMs;
    const { renew, warn } = this.#options;
    let waitMs = !isFetched || this.#missing > 0 ? recheckMs : checkMs;
    if (renew !== undefined && this.#leftMs() <= renew.beforeMs) {
      try {
        await this.#renew(renew);
      } catch (thrown) {
        const reason = errorText(thrown);
        const message = `the session ${this.#signer.address} could not be renewed yet: ${reason}`;
        warn("SESSION_NOT_RENEWED", message);
        waitMs = retryMs;
      }
    }
    this.#warn();
    const untilRenewalMs =
      renew === undefined ? Number.POSITIVE_INFINITY : this.#leftMs() - renew.beforeMs;
    return untilRenewalMs > 0 ? Math.min(waitMs, untilRenewalMs) : waitMs;
  }

  /** Fetches the venue's clock and the session. False when a request fails; then the last known values stay. */
  async #fetch(): Promise<boolean> {
    const { venue, log } = this.#options;
    try {
      this.#offsetMs = (await venue.venueNowMs()) - venue.clock.nowMs();
      const session = (await fetchSessions(venue)).get(this.#signer.address);
      if (session?.applied === true) {
        this.#missing = 0;
        this.#isSuspect = false;
        this.#expirySec = session.expiry;
        if (session.name !== "") this.#name = session.name;
      } else if (venue.clock.monotonicUs() >= this.#newUntilUs) {
        this.#missing += 1;
      }
      if (this.#isOver) return true;
      this.#armStop();
      // A single list may be out of date.
      if (this.#missing >= (this.#isSuspect ? 1 : 2)) {
        this.#stopBot(`the session wallet ${this.#signer.address} is not active any more`);
      }
      return true;
    } catch (thrown) {
      const reason = errorText(thrown);
      log.warn({ reason }, "the session could not be checked");
      return false;
    }
  }

  async #renew(renew: SessionRenewal): Promise<void> {
    const { venue, log, signWith } = this.#options;
    const isFirst = this.#nextSigner === undefined;
    this.#nextSigner ??= await renew.newSigner();
    const signer = this.#nextSigner;
    const expirySec = await makeSession(venue, renew, signer, { name: this.#name, isFirst });
    if (this.#isOver) return;
    signWith(signer);
    const old = { signer: this.#signer, expirySec: this.#expirySec };
    this.#nextSigner = undefined;
    this.#signer = signer;
    this.#expirySec = expirySec;
    this.#missing = 0;
    this.#isSuspect = false;
    this.#noteNew();
    this.#warnedMs = Number.POSITIVE_INFINITY;
    this.#armStop();
    log.info(
      { session: signer.address, before: old.signer.address },
      `the bot now signs with a new session; it ends ${this.#endText()}`,
    );
    this.#endLater(old, renew, 1);
  }

  #endLater(
    old: { readonly signer: Signer; readonly expirySec: number },
    renew: SessionRenewal,
    attempt: number,
  ): void {
    const { venue, log } = this.#options;
    const endTimer = venue.timer.after(this.#timing.overlapMs, () => {
      this.#endOldTimers.delete(endTimer);
      endSession(venue, renew.owner, old.signer, old.expirySec).then(
        () => log.info({ session: old.signer.address }, "the old session was ended"),
        (thrown: unknown) => {
          const reason = errorText(thrown);
          const isLast = attempt >= DELETE_TRIES;
          const next = isLast ? "it will expire" : "trying again soon";
          log.warn(
            { session: old.signer.address, reason },
            `the old session could not be ended: ${next}`,
          );
          if (!isLast && !this.#isOver) this.#endLater(old, renew, attempt + 1);
        },
      );
    });
    this.#endOldTimers.add(endTimer);
  }

  #warn(): void {
    const leftMs = this.#leftMs();
    const { renew, warn } = this.#options;
    // With renewal on, warn only after the renewal was due and has failed.
    if (renew !== undefined && leftMs > renew.beforeMs) return;
    const due = WARN_MS.findLast((warnMs) => leftMs <= warnMs);
    if (due === undefined || due >= this.#warnedMs) return;
    this.#warnedMs = due;
    warn("SESSION_ENDS", `the session wallet ends ${this.#endText()}; before that the bot stops`);
  }

  #endText(): string {
    const { clock } = this.#options.venue;
    const at = new Date(this.#expirySec * 1000).toISOString().slice(0, 19);
    return `${distanceText(this.#expirySec, clock.nowMs() + this.#offsetMs)} (${at}Z)`;
  }
}
