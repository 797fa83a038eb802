import { RateBudget, type RateLeft } from "../execution/rate-budget.ts";
import type { Clock, Timer } from "../ports/clock.ts";

/**
 * The rate budget of a process while no kernel runs: before its first step and after its last. One bucket passes from the start to the
 * kernel and on, so the limit holds over the whole life of the process.
 */
export class RequestPace {
  readonly #budget: RateBudget;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #last: Promise<void> = Promise.resolve();

  constructor(
    limit: Pick<RateLeft, "perSecond" | "burst"> & Partial<RateLeft>,
    { clock, timer }: { readonly clock: Clock; readonly timer: Timer },
  ) {
    // The caller may have many requests open: only their rate counts here.
    this.#budget = new RateBudget({ ...limit, concurrency: 1 });
    this.#clock = clock;
    this.#timer = timer;
  }

  /**
   * Resolves when one more request may leave, or at its turn once `isOver`, which takes nothing: the request is not sent any more. Callers wait in
   * turn.
   */
  readonly waitForToken = (isOver = (): boolean => false): Promise<void> => {
    this.#last = this.#last.then(() => this.#take(isOver));
    return this.#last;
  };

  /** Resolves when the budget is full again. Nothing may take a token meanwhile. */
  async refilled(): Promise<void> {
    const { spent, perSecond } = this.left;
    if (spent <= 0) return;
    await new Promise<void>((resolve) => {
      this.#timer.after(Math.ceil((spent * 1_000) / perSecond), resolve);
    });
  }

  /** What is left now, for the budget that follows. */
  get left(): RateLeft {
    return this.#budget.left(this.#clock.nowMs());
  }

  async #take(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const nowMs = this.#clock.nowMs();
      // As a cancel: the start and the end have no less urgent traffic to hold back.
      if (this.#budget.tryTake("cancel", nowMs)) {
        this.#budget.release("cancel");
        return;
      }
      const waitMs = this.#budget.nextFreeMs("cancel", nowMs) - nowMs;
      await new Promise<void>((resolve) => {
        this.#timer.after(Math.max(1, waitMs), resolve);
      });
    }
  }
}
