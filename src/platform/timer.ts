import type { Timer, TimerHandle } from "../ports/clock.ts";

/** setTimeout's maximum in ms; it fires at once for longer delays. */
const LONGEST_MS = 2 ** 31 - 1;

/** Timers of Node's event loop. */
export const systemTimer: Timer = {
  after(delayMs, run) {
    const due = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (waitMs: number): void => {
      handle = setTimeout(
        () => {
          const leftMs = due - performance.now();
          if (waitMs > LONGEST_MS && leftMs > 0) arm(leftMs);
          else run();
        },
        Math.max(0, Math.min(waitMs, LONGEST_MS)),
      );
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },

  soon(run): TimerHandle {
    const handle = setImmediate(run);
    return { cancel: () => clearImmediate(handle) };
  },
};
