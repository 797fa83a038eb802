import type { VirtualClock } from "../../src/sim/virtual-clock.ts";

/** Returns a function that runs the clock until a promise settles, or `withinMs` has passed, and resolves like it. */
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
