import type { Timer, TimerHandle } from "../ports/clock.ts";

/** setTimeout takes at most this many milliseconds and fires at once when given more. */
const LONGEST_MS = 2 ** 31 - 1;

/** Node's event loop. */
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
