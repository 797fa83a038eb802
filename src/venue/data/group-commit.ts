import type { Block } from "../../exchange/records.ts";
import type { Timer } from "../../ports/clock.ts";
import type { Action } from "./action.ts";
import { encodeAction } from "./action-line.ts";
import type { VenueStore } from "./venue-store.ts";

export interface CommitHooks {
  /** The exchange's newest block. */
  block(): number;
  /** A block whose actions are on disk: now clients may hear of it. */
  publish(block: Block): void;
  /** After every commit, with how many actions it had. */
  committed(actions: number): void;
  /** The disk refused. What was done since the last commit is lost; nothing is written from now on. */
  failed(error: unknown): void;
}

/**
 * Commits what happens in one turn of the event loop as one group. Answers and messages wait for the commit of what they
 * tell of: nobody hears of anything that a killed process could forget.
 */
export class GroupCommit {
  readonly #store: VenueStore;
  readonly #timer: Timer;
  readonly #hooks: CommitHooks;
  #lines: string[] = [];
  #held: Block[] = [];
  /** The commit that is due, for those who wait. */
  #due: PromiseWithResolvers<void> | undefined;
  #hasFailed = false;

  constructor(store: VenueStore, timer: Timer, hooks: CommitHooks) {
    this.#store = store;
    this.#timer = timer;
    this.#hooks = hooks;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** A block was made; its action follows. */
  hold(block: Block): void {
    if (!this.#hasFailed) this.#held.push(block);
  }

  add(action: Action): void {
    if (this.#hasFailed) return;
    this.#lines.push(encodeAction(action));
    if (this.#due !== undefined) return;
    this.#due = Promise.withResolvers();
    // Nobody may be waiting.
    this.#due.promise.catch(() => undefined);
    this.#timer.soon(() => this.settle());
  }

  /** Resolves when everything that has happened is on disk, rejects when it cannot be; undefined when it is already. */
  whenSettled(): Promise<void> | undefined {
    return this.#due?.promise;
  }

  /** Commits now what waits for it. */
  settle(): void {
    const due = this.#due;
    if (due === undefined) return;
    const lines = this.#lines;
    const held = this.#held;
    this.#lines = [];
    this.#held = [];
    this.#due = undefined;
    try {
      this.#store.append({ block: this.#hooks.block(), lines });
    } catch (thrown) {
      this.#hasFailed = true;
      due.reject(thrown);
      this.#hooks.failed(thrown);
      return;
    }
    due.resolve();
    for (const block of held) this.#hooks.publish(block);
    this.#hooks.committed(lines.length);
  }
}
