import { EventEmitter } from "eventemitter3";
import { BoundedQueue } from "../base/bounded-queue.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Batch } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** What observers receive of one step. */
export interface ObservedEntry {
  readonly batch: Batch;
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  /** For each placement of the step: socket callback to bytes handed to the HTTP client; empty when no frame caused it. */
  readonly tickToOrder: readonly { readonly strategy: string; readonly us: number }[];
}

interface ObserverEvents {
  entry: (entry: ObservedEntry) => void;
}

/** Entries handled in one turn of the event loop, so that listeners never hold up the next batch for long. */
const PER_TURN = 64;

/**
 * The one seam for logs, metrics and pages: a bounded ring that the driver fills after its sends, emptied to listeners on
 * later turns. Listeners cannot write and cannot slow the kernel; a full ring drops the newest entry and counts.
 */
export class Observers {
  readonly #emitter = new EventEmitter<ObserverEvents>();
  readonly #ring: BoundedQueue<ObservedEntry>;
  readonly #timer: Timer;
  readonly #log: Log;
  #isScheduled = false;

  constructor(options: {
    readonly timer: Timer;
    readonly log: Log;
    readonly capacity?: number;
  }) {
    this.#timer = options.timer;
    this.#log = options.log;
    this.#ring = new BoundedQueue(options.capacity ?? 65_536);
  }

  /** Entries that found the ring full. */
  get dropped(): number {
    return this.#ring.dropped;
  }

  /** Calls `listener` for every entry, in order; gives the way to end that. */
  on(listener: (entry: ObservedEntry) => void): () => void {
    const guarded = (entry: ObservedEntry): void => {
      try {
        listener(entry);
      } catch (error) {
        this.#log.error({ err: error }, "an observer failed");
      }
    };
    this.#emitter.on("entry", guarded);
    return () => this.#emitter.off("entry", guarded);
  }

  offer(entry: ObservedEntry): void {
    this.#ring.push(entry);
    this.#schedule();
  }

  /** Tells the listeners everything that waits, now: at the end of a run. */
  flush(): void {
    for (let entry = this.#ring.shift(); entry !== undefined; entry = this.#ring.shift()) {
      this.#emitter.emit("entry", entry);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ring.size === 0) return;
    this.#isScheduled = true;
    this.#timer.soon(() => {
      this.#isScheduled = false;
      for (let count = 0; count < PER_TURN; count += 1) {
        const entry = this.#ring.shift();
        if (entry === undefined) return;
        this.#emitter.emit("entry", entry);
      }
      this.#schedule();
    });
  }
}
