import type { Timer } from "../ports/clock.ts";

/** When a starting process ends: `afterMs` after it has sent this many requests. */
export interface StartMoment {
  readonly requests: number;
  readonly afterMs: number;
}

/** What ends processes before their first order. */
interface EarlyEnd {
  /** Drawn for each process. */
  moment(): StartMoment;
  end(): void;
}

interface StartedProcess {
  requests: number;
  hasOrdered: boolean;
}

/** Ends processes of the bot between their start and their first order. */
export class EarlyEnds {
  readonly #timer: Timer;
  readonly #armed = new Set<EarlyEnd>();
  #newest: StartedProcess = { requests: 0, hasOrdered: false };
  /** What happens when the newest process has sent so many requests. */
  #due: { readonly requests: number; begin(): void }[] = [];

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Calls `end` in each process, also in one that has not ordered yet. Returns how to cease. */
  arm(moment: EarlyEnd["moment"], end: EarlyEnd["end"]): () => void {
    const early = { moment, end };
    this.#armed.add(early);
    this.#plan(early);
    return () => {
      this.#armed.delete(early);
    };
  }

  processStarts(): void {
    this.#newest = { requests: 0, hasOrdered: false };
    this.#due = [];
    for (const early of this.#armed) this.#plan(early);
  }

  /** The newest process sends a request. */
  requested(isOrder: boolean): void {
    this.#newest.requests += 1;
    this.#newest.hasOrdered ||= isOrder;
    this.#beginDue();
  }

  /** Whether the newest process has sent an order. */
  get hasOrdered(): boolean {
    return this.#newest.hasOrdered;
  }

  #plan(early: EarlyEnd): void {
    const process = this.#newest;
    const { requests, afterMs } = early.moment();
    const end = (): void => {
      if (process === this.#newest && !process.hasOrdered && this.#armed.has(early)) early.end();
    };
    const begin = (): void => void this.#timer.after(afterMs, end);
    this.#due.push({ requests: process.requests + requests, begin });
    this.#beginDue();
  }

  #beginDue(): void {
    const { requests } = this.#newest;
    const due = this.#due.filter((one) => one.requests <= requests);
    this.#due = this.#due.filter((one) => one.requests > requests);
    for (const { begin } of due) begin();
  }
}
