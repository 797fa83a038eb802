import type { Timer } from "../ports/clock.ts";

/** `setTimeout`, for programs outside Node. */
export const webTimer: Timer = {
  after(delayMs, run) {
    const handle = setTimeout(run, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
  soon(run) {
    const handle = setTimeout(run, 0);
    return { cancel: () => clearTimeout(handle) };
  },
};
