import type { Timer, TimerHandle } from "../../ports/clock.ts";

const never: TimerHandle = { cancel: () => undefined };

/** The event loop by hand: callbacks of `soon` run in `turn`, the newest one of `after` in `fire`. */
export class TurnTimer implements Timer {
  #waiting: (() => void)[] = [];
  #delayed: (() => void) | undefined;

  soon(run: () => void): TimerHandle {
    this.#waiting.push(run);
    return never;
  }

  after(_delayMs: number, run: () => void): TimerHandle {
    this.#delayed = run;
    return never;
  }

  fire(): void {
    const run = this.#delayed;
    this.#delayed = undefined;
    run?.();
  }

  turn(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const run of waiting) run();
  }
}
