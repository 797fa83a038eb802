/** Long work in pieces: each step says how much is done, from 0 to 1; the result comes at the end. */
export type Steps<Result> = Generator<number, Result>;

/** So many events are one step. */
export const EVENTS_PER_STEP = 4096;

/** Does all of the work at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
