import { TokenBucket } from "../base/token-bucket.ts";
import type { OpenedChannel } from "../config/alerts-config.ts";
import { DAY_MS } from "../domain/time.ts";
import { Backoff } from "../gateway/backoff.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import { type AlertGroup, type AlertMessage, grouped, messageOf } from "./alert-message.ts";
import { keyOf } from "./alert.ts";
import { sendMessage } from "./channel-request.ts";
import type { Outbox } from "./outbox.ts";
import { quietForMs } from "./quiet-hours.ts";

export interface SenderPorts {
  readonly http: Pick<Http, "request">;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/** Waits after failures. */
const timing = { backoffMs: 1_000, backoffMaxMs: 300_000 };
/** An alert that could not be sent for so long is given up. */
const MAX_AGE_MS = DAY_MS;

/**
 * Sends what waits in the outbox for one channel, one message at a time. A message that failed is sent again as it was, so that its id
 * tells. What waits meanwhile, for the rate or for the end of quiet hours, shares the next one.
 */
export class ChannelSender {
  readonly channel: OpenedChannel;
  readonly #bot: string;
  readonly #outbox: Outbox;
  readonly #ports: SenderPorts;
  readonly #backoff = new Backoff(timing);
  readonly #rate: TokenBucket;
  /** The message that failed. */
  #failed: AlertMessage | undefined;
  #nextMs = 0;
  #isFailing = false;
  #isSending = false;
  #sent = Promise.resolve();
  #timer: TimerHandle | undefined;

  constructor(bot: string, channel: OpenedChannel, outbox: Outbox, ports: SenderPorts) {
    this.channel = channel;
    this.#bot = bot;
    this.#outbox = outbox;
    this.#ports = ports;
    const { perMinute } = channel;
    this.#rate = new TokenBucket({ atOnce: perMinute, perSecond: perMinute / 60 }, this.#nowMs);
  }

  get #nowMs(): number {
    return this.#ports.clock.monotonicUs() / 1000;
  }

  /** Sends what may be sent now. Resolves when that is done, or has failed. */
  wake(): Promise<void> {
    this.#timer?.cancel();
    if (!this.#isSending) this.#sent = this.#sendAll();
    return this.#sent;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let message = this.#next(); message !== undefined; message = this.#next()) {
      await this.#send(message);
    }
    this.#isSending = false;
  }

  close(): void {
    this.#timer?.cancel();
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  /** The message that is due; undefined when none is, and then the timer is set. */
  #next(): AlertMessage | undefined {
    const waitMs = this.#nextMs - this.#nowMs;
    if (waitMs > 0) return this.#wakeIn(waitMs);
    this.#giveUpOld();
    const [first, ...more] = this.#due();
    if (this.#failed === undefined && first === undefined) return undefined;
    if (!this.#rate.take(this.#nowMs)) return this.#wakeIn(this.#rate.waitSec * 1000);
    if (this.#failed !== undefined || first === undefined) return this.#failed;
    return messageOf(this.#bot, [first, ...more]);
  }

  /** Groups that may be sent now. Sets the timer for the others. */
  #due(): readonly AlertGroup[] {
    const { quietHours, group, name } = this.channel;
    const nowMs = this.#ports.clock.nowMs();
    const quietMs = quietForMs(quietHours, nowMs);
    const due: AlertGroup[] = [];
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const one of grouped(this.#outbox.waiting(name))) {
      // A clock that went back makes nothing wait longer.
      const sentMs = Math.min(this.#outbox.sentMs(name, keyOf(one[0])), nowMs);
      const isCritical = one[0].severity === "critical";
      const waitMs = Math.max(sentMs + group - nowMs, isCritical ? 0 : quietMs);
      if (waitMs <= 0) due.push(one);
      else soonestMs = Math.min(soonestMs, waitMs);
    }
    if (due.length === 0 && soonestMs < Number.POSITIVE_INFINITY) this.#wakeIn(soonestMs);
    return due;
  }

  #wakeIn(ms: number): undefined {
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#timer?.cancel();
    this.#timer = this.#ports.timer.after(Math.ceil(ms), () => void this.wake());
  }

  async #send(message: AlertMessage): Promise<void> {
    const { http, log, clock } = this.#ports;
    const { name: channel } = this.channel;
    const outcome = await sendMessage(http, this.channel, message);
    if (outcome.type === "failed") {
      const { reason, retryAfterMs } = outcome;
      this.#failed = message;
      // A bot that ends tries no more.
      if (this.#nextMs < Number.POSITIVE_INFINITY)
        this.#nextMs = this.#nowMs + Math.max(this.#backoff.failed(), retryAfterMs);
      const fields = { code: "ALERTS_NOT_SENT", channel, reason };
      if (!this.#isFailing) log.warn(fields, "alerts wait, since a channel does not take them");
      this.#isFailing = true;
      return;
    }
    if (outcome.type === "refused") {
      const fields = { code: "ALERTS_REFUSED", channel, reason: outcome.reason };
      log.warn(fields, "a channel refused a message, which is given up");
    } else {
      if (this.#isFailing) log.info({ channel }, "a channel takes alerts again");
      this.#isFailing = false;
      this.#backoff.succeeded();
    }
    this.#failed = undefined;
    for (const [first] of message.groups) this.#outbox.sent(channel, keyOf(first), clock.nowMs());
    this.#outbox.done(
      channel,
      message.groups.flat().map(({ id }) => id),
    );
  }

  #giveUpOld(): void {
    const { name: channel } = this.channel;
    const since = this.#ports.clock.nowMs() - MAX_AGE_MS;
    const old = this.#outbox.waiting(channel).filter(({ timeMs }) => timeMs < since);
    if (old.length === 0) return;
    this.#outbox.done(
      channel,
      old.map(({ id }) => id),
    );
    if (this.#failed?.groups.flat().some(({ timeMs }) => timeMs < since)) this.#failed = undefined;
    const fields = { code: "ALERTS_REFUSED", channel, alerts: old.length };
    this.#ports.log.warn(fields, "alerts that could not be sent for a day are given up");
  }
}
