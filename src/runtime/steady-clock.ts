import { unixMs } from "../domain/time.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * A clock that never goes back: it follows the machine's forward, and when that is set back it goes on by the monotonic one.
 * Deadlines stay reachable either way; what is left of the difference to the venue is learned from its `/time`.
 */
export function steadyClock(clock: Clock): Clock {
  let lastMs = Number.NEGATIVE_INFINITY;
  let lastUs = 0;
  return {
    nowMs() {
      const nowUs = clock.monotonicUs();
      lastMs = Math.max(clock.nowMs(), lastMs + (nowUs - lastUs) / 1000);
      lastUs = nowUs;
      return unixMs(Math.floor(lastMs));
    },
    monotonicUs: () => clock.monotonicUs(),
  };
}
