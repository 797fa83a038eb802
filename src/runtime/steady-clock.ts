import { unixMs } from "../domain/time.ts";
import type { Clock } from "../ports/clock.ts";

/** A smaller difference between the machine's clock and the monotonic clock is drift or a small correction, and is ignored. */
const STEP_MS = 1_000;

/**
 * A clock that starts at the machine's time and then follows the monotonic clock. It never goes back and never jumps, so
 * deadlines keep their distance. Calls `stepped` with the difference in milliseconds when the machine's clock was set or the
 * machine slept; the offset to the venue's clock is measured again from `/time`.
 */
export function steadyClock(
  clock: Clock,
  stepped: (byMs: number) => void = () => undefined,
): Clock {
  const startUs = clock.monotonicUs();
  const startMs = clock.nowMs();
  let knownStepMs = 0;
  return {
    nowMs() {
      const nowMs = startMs + (clock.monotonicUs() - startUs) / 1000;
      const byMs = clock.nowMs() - nowMs - knownStepMs;
      if (Math.abs(byMs) >= STEP_MS) {
        knownStepMs += byMs;
        stepped(Math.round(byMs));
      }
      return unixMs(Math.floor(nowMs));
    },
    monotonicUs: () => clock.monotonicUs(),
  };
}
