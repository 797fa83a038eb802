import type { Timer, TimerHandle } from "../ports/clock.ts";

/** Resolves with true once the promise has resolved, and with false when that takes longer. Rejects when it rejects before. */
export async function settlesWithin(
  limitMs: number,
  promise: Promise<unknown>,
  timer: Timer,
): Promise<boolean> {
  let limit: TimerHandle | undefined;
  const late = new Promise<false>((resolve) => {
    limit = timer.after(limitMs, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    limit?.cancel();
  }
}
