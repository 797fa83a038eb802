import { Histogram } from "../../metrics/histogram.ts";
import type { RehearsalTimes } from "../../metrics/rehearsal-times.ts";
import type { Clock, Timer, TimerHandle } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Push } from "../assemble-bot.ts";

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

/** Shortest time between two goes: more often gains little more and costs as much each time. */
const EVERY_US = 2_000;
/** While no frame has come for this long, goes are this many times as rare. */
const QUIET_US = 5_000_000;
const QUIET_FACTOR = 10;
/** A start rehearses until this many pieces are done, or for this long: by then the path is compiled. */
const WARM_STEPS = 1_500;
const WARM_US = 500_000;

/**
 * Keeps the order path's code and data in the processor's caches while nothing happens (docs/decisions/058). A go is one piece of the
 * path. It begins after the event loop has read what is there, and only when nothing waits. A real frame takes the place of a go.
 */
export class Rehearsal {
  readonly #options: RehearsalOptions;
  readonly #times = new Histogram();
  #rehearsed: Rehearsed | undefined;
  #startUs: number;
  #spentUs = 0;
  /** Monotonic time of the newest frame, or of the newest go. */
  #warmUs = Number.NEGATIVE_INFINITY;
  #heardUs = Number.NEGATIVE_INFINITY;
  #handle: TimerHandle | undefined;
  #isStopped = false;

  constructor(options: RehearsalOptions) {
    this.#options = options;
    this.#startUs = options.clock.monotonicUs();
  }

  /** Resolves when the path is compiled, before the bot has its first frame. Other work goes between any two pieces. */
  async warmUp(): Promise<void> {
    const { clock, timer } = this.#options;
    const endUs = clock.monotonicUs() + WARM_US;
    for (let step = 0; step < WARM_STEPS && !this.#isStopped; step += 1) {
      this.#go();
      if (clock.monotonicUs() >= endUs) return;
      await new Promise<void>((resolve) => timer.soon(resolve));
    }
  }

  /** Rehearses from now on. */
  start(): void {
    this.#startUs = this.#options.clock.monotonicUs();
    this.#heardUs = this.#startUs;
    this.#spentUs = 0;
    this.#wait(EVERY_US);
  }

  stop(): void {
    this.#isStopped = true;
    this.#handle?.cancel();
    this.#rehearsed = undefined;
  }

  /** The same `push`; a real frame does what a go would have done. */
  heardBy(push: Push): Push {
    return (input, receivedUs) => {
      if (receivedUs !== undefined) {
        this.#warmUs = receivedUs;
        this.#heardUs = receivedUs;
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
    this.#handle = this.#options.timer.after(Math.max(1, us / 1000), () => this.#look());
  }

  #look(): void {
    const { clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const gapUs = this.#gapUs(nowUs);
    const leftUs = this.#warmUs + gapUs - nowUs;
    if (leftUs > 500) {
      this.#wait(leftUs);
      return;
    }
    this.#soon(gapUs, 0);
  }

  /** After the loop has read its sockets, so that a frame that is there goes first. */
  #soon(gapUs: number, spentUs: number): void {
    const { timer, isIdle, share } = this.#options;
    this.#handle = timer.soon(() => {
      if (!isIdle()) {
        this.#wait(gapUs);
        return;
      }
      const startUs = this.#spentUs;
      const hasMore = this.#timedGo();
      const tookUs = spentUs + this.#spentUs - startUs;
      if (hasMore && !this.#isStopped) this.#soon(gapUs, tookUs);
      else this.#wait(Math.max(gapUs, tookUs / share));
    });
  }

  #gapUs(nowUs: number): number {
    return nowUs - this.#heardUs > QUIET_US ? EVERY_US * QUIET_FACTOR : EVERY_US;
  }

  #timedGo(): boolean {
    const { clock } = this.#options;
    const startUs = clock.monotonicUs();
    const hasMore = this.#go();
    const endUs = clock.monotonicUs();
    const tookUs = endUs - startUs;
    this.#warmUs = endUs;
    this.#times.add(tookUs);
    this.#spentUs += tookUs;
    return hasMore;
  }

  /** A failure ends the rehearsals, not the bot. Returns whether the next piece belongs to this one. */
  #go(): boolean {
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
