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
  venueNowMs,
} from "./session-maker.ts";

export interface SessionKeeperOptions {
  readonly venue: SessionVenue;
  readonly log: Log;
  /** The session wallet that signs now. */
  readonly signer: Signer;
  /** Its end, Unix seconds. */
  readonly expirySec: number;
  /** The venue's clock less ours, as it was known last; default 0. */
  readonly offsetMs?: number;
  /** So long before the end the bot has to stop: enough to cancel its orders. */
  readonly stopBeforeMs: number;
  /** Undefined: nobody renews it. */
  readonly renew: SessionRenewal | undefined;
  /** Signing moves over to another session wallet. Throws when it cannot. */
  moved(signer: Signer): void;
  /** Something for people: the log, the page, the journal. */
  warn(code: string, message: string): void;
  /** The bot must take its orders down while it still can, at most for so long. Called once. */
  stop(reason: string, limitMs?: number): void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Words of warning so long before the end. */
const WARN_MS = [7 * DAY_MS, DAY_MS, HOUR_MS] as const;
/** The venue is asked for the session so often, after a list without it, and after a failed renewal. */
const LOOK_MS = 5 * MINUTE_MS;
const LOOK_AGAIN_MS = 5_000;
const RETRY_MS = MINUTE_MS;
/** The old session outlives the handover: what it signed is answered, or too old to be taken (D6). */
const OVERLAP_MS = 2 * MINUTE_MS;
const DELETE_TRIES = 5;
/** Own orders get at least so long to be settled, and the last moments of a session are not counted on. */
const SETTLE_MS = 10_000;

/**
 * Watches over the session wallet of a running bot: warns, renews with overlap (a new session made and applied, signing moves
 * over, the old one ended), and has the bot stop while its orders can still be canceled when that fails, or when the session was
 * ended by somebody else. The deadline to stop depends on no answer of anybody.
 */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  #signer: Signer;
  #expirySec: number;
  #offsetMs: number;
  #warnedMs = Number.POSITIVE_INFINITY;
  #missing = 0;
  #isLooking = false;
  /** The venue refused a signature: one list without the session is enough. */
  #isSuspect = false;
  /** Made, but not seen applied yet: tried again before another one is made. */
  #next: Signer | undefined;
  #name = "touchline";
  #look: TimerHandle | undefined;
  #stop: TimerHandle | undefined;
  #old: TimerHandle | undefined;
  #isOver = false;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
    this.#signer = options.signer;
    this.#expirySec = options.expirySec;
    this.#offsetMs = options.offsetMs ?? 0;
  }

  /** The session wallet that signs now. */
  get signer(): Signer {
    return this.#signer;
  }

  start(): void {
    this.#armStop();
    this.#lookIn(0);
  }

  close(): void {
    this.#isOver = true;
    this.#look?.cancel();
    this.#stop?.cancel();
    this.#old?.cancel();
  }

  /** The venue refused a command for its signature: the session is looked at now. */
  suspect(): void {
    this.#isSuspect = true;
    if (this.#isOver || this.#isLooking) return;
    this.#look?.cancel();
    this.#lookIn(0);
  }

  #leftMs(): number {
    return this.#expirySec * 1000 - (this.#options.venue.clock.nowMs() + this.#offsetMs);
  }

  /** One timer for the deadline, set anew whenever the end or the venue's clock is known better. */
  #armStop(): void {
    const { venue, stopBeforeMs } = this.#options;
    this.#stop?.cancel();
    const waitMs = Math.max(0, this.#leftMs() - stopBeforeMs);
    this.#stop = venue.timer.after(waitMs, () => {
      const reason = `the session wallet ${this.#signer.address} ends ${this.#endText()}`;
      // Should the venue be out of reach, it may come back while the session still holds.
      this.#giveUp(reason, Math.max(SETTLE_MS, this.#leftMs() - SETTLE_MS));
    });
  }

  #giveUp(reason: string, limitMs?: number): void {
    if (this.#isOver) return;
    const { warn, stop } = this.#options;
    warn("SESSION_STOPS", `stopping: ${reason}`);
    this.close();
    stop(reason, limitMs);
  }

  #lookIn(waitMs: number): void {
    this.#look = this.#options.venue.timer.after(waitMs, () => void this.#lookAgain());
  }

  async #lookAgain(): Promise<void> {
    this.#isLooking = true;
    const nextMs = await this.#check();
    this.#isLooking = false;
    if (!this.#isOver) this.#lookIn(this.#isSuspect ? LOOK_AGAIN_MS : nextMs);
  }

  /** Resolves with the wait until the next look; never rejects. */
  async #check(): Promise<number> {
    await this.#fetch();
    if (this.#isOver) return LOOK_MS;
    const { renew, warn } = this.#options;
    let waitMs = this.#missing > 0 ? LOOK_AGAIN_MS : LOOK_MS;
    if (renew !== undefined && this.#leftMs() <= renew.beforeMs) {
      try {
        await this.#renew(renew);
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        const said = `the session ${this.#signer.address} could not be renewed yet: ${reason}`;
        warn("SESSION_NOT_RENEWED", said);
        waitMs = RETRY_MS;
      }
    }
    this.#warn();
    const untilRenewalMs =
      renew === undefined ? Number.POSITIVE_INFINITY : this.#leftMs() - renew.beforeMs;
    return untilRenewalMs > 0 ? Math.min(waitMs, untilRenewalMs) : waitMs;
  }

  /** The venue's clock, and the session as it has it. Without an answer what is known goes on counting. */
  async #fetch(): Promise<void> {
    const { venue, log } = this.#options;
    try {
      this.#offsetMs = (await venueNowMs(venue)) - venue.clock.nowMs();
      const session = (await fetchSessions(venue)).get(this.#signer.address);
      if (session?.applied === true) {
        this.#missing = 0;
        this.#isSuspect = false;
        this.#expirySec = session.expiry;
        if (session.name !== "") this.#name = session.name;
      } else {
        this.#missing += 1;
      }
      if (this.#isOver) return;
      this.#armStop();
      // One list alone may be older than the session.
      if (this.#missing >= (this.#isSuspect ? 1 : 2)) {
        this.#giveUp(`the session wallet ${this.#signer.address} is not active any more`);
      }
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      log.warn({ reason }, "the venue does not say how the session stands");
    }
  }

  async #renew(renew: SessionRenewal): Promise<void> {
    const { venue, log, moved } = this.#options;
    const isFirst = this.#next === undefined;
    this.#next ??= await renew.newSigner();
    const signer = this.#next;
    const expirySec = await makeSession(venue, renew, signer, { name: this.#name, isFirst });
    if (this.#isOver) return;
    moved(signer);
    const old = { signer: this.#signer, expirySec: this.#expirySec };
    this.#next = undefined;
    this.#signer = signer;
    this.#expirySec = expirySec;
    this.#missing = 0;
    this.#warnedMs = Number.POSITIVE_INFINITY;
    this.#armStop();
    log.info(
      { session: signer.address, before: old.signer.address },
      `a new session signs from here on; it ends ${this.#endText()}`,
    );
    this.#endLater(old, renew, 1);
  }

  #endLater(
    old: { readonly signer: Signer; readonly expirySec: number },
    renew: SessionRenewal,
    attempt: number,
  ): void {
    const { venue, log } = this.#options;
    this.#old = venue.timer.after(OVERLAP_MS, () => {
      endSession(venue, renew.owner, old.signer, old.expirySec).then(
        () => log.info({ session: old.signer.address }, "the old session is ended"),
        (thrown: unknown) => {
          const reason = thrown instanceof Error ? thrown.message : String(thrown);
          const isLast = attempt >= DELETE_TRIES;
          const then = isLast ? "it ends by itself" : "tried again soon";
          log.warn(
            { session: old.signer.address, reason },
            `the old session could not be ended: ${then}`,
          );
          if (!isLast && !this.#isOver) this.#endLater(old, renew, attempt + 1);
        },
      );
    });
  }

  #warn(): void {
    const leftMs = this.#leftMs();
    const { renew, warn } = this.#options;
    // While somebody renews it, the end is nothing to worry about before that has failed.
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
