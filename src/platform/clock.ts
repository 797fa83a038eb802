import type { Clock } from "../ports/clock.ts";
import { unixMs } from "../domain/time.ts";

/** The operating system's clocks. */
export const systemClock: Clock = {
  nowMs: () => unixMs(Date.now()),
  // performance.now() counts from the start of the process, so a double keeps fractions of a microsecond for years.
  monotonicUs: () => performance.now() * 1000,
};
