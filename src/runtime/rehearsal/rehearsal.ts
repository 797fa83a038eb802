import { Histogram } from "../../metrics/histogram.ts";
import type { RehearsalTimes } from "../../metrics/rehearsal-times.ts";
import type { Clock, Timer, TimerHandle } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Push } from "../assemble-bot.ts";
import { FrameRhythm } from "./frame-rhythm.ts";

/** One bounded piece of the order path at a time. */
export interface Rehearsed {
  /** True when another one has to take its place. */
  readonly isWorn: boolean;
  /** Does a piece; returns whether the next one belongs to it. */
  step(): boolean;
}

export interface RehearsalOptions {
  readonly clock: Pick<Clock, "monotonicUs">;
  readonly timer: Timer;
  readonly log: Log;
  /** Highest share of one processor, 0 to 1. */
  readonly share: number;
  /** Nothing waits for the bot, and nothing is due within a millisecond. */
  isIdle(): boolean;
  make(): Rehearsed;
}

/** Time between two goes while a frame is expected, while none is, and while none has come for a long time. */
const EXPECTED_US = 1_000;
const UNEXPECTED_US = 10_000;
const QUIET_US = 50_000;
const QUIET_AFTER_US = 5_000_000;
/** What a bot that rehearsed less for a while may catch up on: the goes before one frame. */
const CREDIT_MAX_US = 3_000;
/** A start rehearses until this many pieces are done, or for this long: by then most of the path is compiled. */
const WARM_PIECES = 1_500;
const WARM_US = 300_000;

/**
 * Keeps the order path's code and data in the processor's caches while nothing happens (docs/decisions/041). A go is one frame on the
 * rehearsed path, in pieces between which the event loop turns. A piece begins after the loop has read its sockets and only when
 * nothing waits. A real frame takes the place of a go.
 */
export class Rehearsal {
  readonly #options: RehearsalOptions;
  readonly #times = new Histogram();
  readonly #rhythm = new FrameRhythm();
  #rehearsed: Rehearsed | undefined;
  #startUs = 0;
  #spentUs = 0;
  /** What may be spent at `#creditAtUs`; negative after a go that took longer. */
  #creditUs = 0;
  #creditAtUs = 0;
  /** Monotonic time of the newest frame, or of the end of the newest go. */
  #warmUs = 0;
  #handle: TimerHandle | undefined;
  #isStopped = false;

  constructor(options: RehearsalOptions) {
    this.#options = options;
  }

  /** Compiles the path before the bot has its first frame. The event loop turns between any two pieces. */
  async warmUp(): Promise<void> {
    const { clock, timer } = this.#options;
    const endUs = clock.monotonicUs() + WARM_US;
    for (let piece = 0; piece < WARM_PIECES && !this.#isStopped; piece += 1) {
      this.#step();
      if (clock.monotonicUs() >= endUs) return;
      await new Promise<void>((resolve) => timer.soon(resolve));
    }
  }

  /** Rehearses from now on, at most `share` of the time. */
  start(): void {
    const nowUs = this.#options.clock.monotonicUs();
    this.#startUs = nowUs;
    this.#creditAtUs = nowUs;
    this.#rhythm.frame(nowUs);
    this.#wait(EXPECTED_US);
  }

  stop(): void {
    this.#isStopped = true;
    this.#handle?.cancel();
    this.#rehearsed = undefined;
  }

  /** `push`, which also counts real frames: each warms the path as a rehearsal would. */
  countingFrames(push: Push): Push {
    return (input, receivedUs) => {
      if (receivedUs !== undefined) {
        this.#warmUs = receivedUs;
        this.#rhythm.frame(receivedUs);
      }
      push(input, receivedUs);
    };
  }

  /** Since `start`; undefined before the first go. */
  get times(): RehearsalTimes | undefined {
    const { count, max: maxUs } = this.#times;
    const p50Us = this.#times.percentile(0.5);
    const p99Us = this.#times.percentile(0.99);
    if (p50Us === undefined || p99Us === undefined) return undefined;
    const spanUs = this.#options.clock.monotonicUs() - this.#startUs;
    const share = spanUs > 0 ? this.#spentUs / spanUs : 0;
    return { count, p50Us, p99Us, maxUs, spentMs: this.#spentUs / 1000, share };
  }

  #wait(us: number): void {
    if (this.#isStopped) return;
    const delayMs = Math.max(1, Math.round(us / 1000));
    this.#handle = this.#options.timer.after(delayMs, () => this.#look());
  }

  #look(): void {
    const nowUs = this.#options.clock.monotonicUs();
    const leftUs = Math.max(
      this.#warmUs + this.#gapUs(nowUs) - nowUs,
      this.#shortOfCreditUs(nowUs),
    );
    // A timer is a millisecond exact.
    if (leftUs < EXPECTED_US / 2) this.#soon();
    // No longer than until the rhythm may want more.
    else this.#wait(Math.min(leftUs, EXPECTED_US));
  }

  #gapUs(nowUs: number): number {
    if (nowUs - this.#rhythm.lastUs > QUIET_AFTER_US) return QUIET_US;
    return this.#rhythm.isExpected(nowUs) ? EXPECTED_US : UNEXPECTED_US;
  }

  /** Time until there is credit again. */
  #shortOfCreditUs(nowUs: number): number {
    const { share } = this.#options;
    const earnedUs = (nowUs - this.#creditAtUs) * share;
    this.#creditUs = Math.min(CREDIT_MAX_US, this.#creditUs + earnedUs);
    this.#creditAtUs = nowUs;
    return Math.max(0, -this.#creditUs) / share;
  }

  /** After the loop has read its sockets, so that a frame that is there goes first. */
  #soon(): void {
    const { timer, isIdle } = this.#options;
    this.#handle = timer.soon(() => {
      if (isIdle() && this.#timedStep() && !this.#isStopped) this.#soon();
      else this.#wait(EXPECTED_US);
    });
  }

  #timedStep(): boolean {
    const { clock } = this.#options;
    const startUs = clock.monotonicUs();
    const hasMore = this.#step();
    this.#warmUs = clock.monotonicUs();
    const tookUs = this.#warmUs - startUs;
    this.#times.add(tookUs);
    this.#spentUs += tookUs;
    this.#creditUs -= tookUs;
    return hasMore;
  }

  /** A failure ends the rehearsals, not the bot. Returns whether the next piece belongs to this one. */
  #step(): boolean {
    try {
      if (this.#rehearsed !== undefined && !this.#rehearsed.isWorn) return this.#rehearsed.step();
      this.#rehearsed = this.#options.make();
    } catch (thrown) {
      this.#options.log.warn({ err: thrown }, "rehearsals ended: the order path runs cold");
      this.stop();
    }
    return false;
  }
}
