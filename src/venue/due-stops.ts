import type { Exchange } from "../exchange/exchange.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";

/** Has stop orders and legs that found no room in their block follow in blocks of their own, one in a turn of the event loop (D24). */
export class DueStops {
  readonly #exchange: Pick<Exchange, "hasDue" | "fireDue">;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #next: TimerHandle | undefined;

  /** Goes on with those that wait already, since an earlier run. */
  constructor(
    exchange: Pick<Exchange, "hasDue" | "fireDue">,
    ports: { readonly clock: Clock; readonly timer: Timer },
  ) {
    this.#exchange = exchange;
    this.#clock = ports.clock;
    this.#timer = ports.timer;
    this.noteBlock();
  }

  /** Call it after each block. */
  noteBlock(): void {
    if (!this.#exchange.hasDue || this.#next !== undefined) return;
    this.#next = this.#timer.soon(() => {
      this.#next = undefined;
      this.#exchange.fireDue(this.#clock.nowMs());
      this.noteBlock();
    });
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}
