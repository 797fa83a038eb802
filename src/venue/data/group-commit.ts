import type { Block } from "../../exchange/records.ts";
import type { Timer } from "../../ports/clock.ts";
import type { Action } from "./action.ts";
import { exactJson } from "./exact-json.ts";
import type { VenueStore } from "./venue-store.ts";

export interface CommitHooks {
  /** The exchange's newest block. */
  block(): number;
  /** Publishes a block once its actions are on disk. */
  publish(block: Block): void;
  /** Called after every commit with its number of actions. */
  committed(actions: number): void;
  /** Called when a commit fails. Everything since the last commit is lost, and nothing is written any more. */
  failed(error: unknown): void;
}

/**
 * Commits the actions of one turn of the event loop as one group. Responses and messages wait for the commit of the actions they
 * report, so clients never learn of anything that a killed process would forget.
 */
export class GroupCommit {
  readonly #store: VenueStore;
  readonly #timer: Timer;
  readonly #hooks: CommitHooks;
  #lines: string[] = [];
  #held: Block[] = [];
  /** The pending commit. */
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

  /** Holds a block back until its action is committed; `add` follows. */
  hold(block: Block): void {
    if (!this.#hasFailed) this.#held.push(block);
  }

  add(action: Action): void {
    if (this.#hasFailed) return;
    this.#lines.push(exactJson(action));
    if (this.#due !== undefined) return;
    this.#due = Promise.withResolvers();
    // Avoids an unhandled rejection when nothing waits for it.
    this.#due.promise.catch(() => undefined);
    this.#timer.soon(() => this.settle());
  }

  /** Resolves when all actions so far are on disk, rejects when they cannot be written; undefined when nothing is pending. */
  whenSettled(): Promise<void> | undefined {
    return this.#due?.promise;
  }

  /** Commits all pending actions now. */
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
