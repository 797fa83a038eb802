import { unixMs } from "../domain/time.ts";
import type { Clock } from "../ports/clock.ts";

/** Less than this between the machine's clock and time itself is drift, or a correction not worth a word. */
const STEP_MS = 1_000;

/**
 * A clock that starts as the machine's and then passes as time itself does (the monotonic clock): it never goes back and never
 * jumps, so deadlines stay where they are. When the machine's clock was set, or time stood still (the machine slept),
 * `stepped` is told by how much; what that means for the venue's clock is learned from its `/time`.
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
