/** Long work in pieces: each yielded value is the share done so far, from 0 to 1. */
export type Steps<Result> = Generator<number, Result>;

/** Number of events in one step. */
export const EVENTS_PER_STEP = 4096;

/** Runs all steps at once. */
export function runAll<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
