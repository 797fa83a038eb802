import type { VirtualClock } from "../../src/sim/virtual-clock.ts";

/** Runs the clock until a promise is settled, for so long at the most, and gives what it came to. */
export function settleOn(
  clock: VirtualClock,
  withinMs = 120_000,
): <Value>(promise: Promise<Value>) => Promise<Value> {
  return async (promise) => {
    let isDone = false;
    const watched = promise.finally(() => {
      isDone = true;
    });
    watched.catch(() => undefined);
    await clock.runUntil(() => isDone, withinMs);
    return watched;
  };
}
