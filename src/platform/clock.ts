import type { Clock } from "../ports/clock.ts";
import { unixMs } from "../domain/time.ts";

/** The machine's clocks. */
export const systemClock: Clock = {
  nowMs: () => unixMs(Date.now()),
  // performance.now() counts from the process's start, so a double keeps fractions of a microsecond for years.
  monotonicUs: () => performance.now() * 1000,
};
