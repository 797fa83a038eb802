import type { MarketId } from "../domain/ids.ts";
import { EventEmitter } from "eventemitter3";
import { BoundedQueue } from "../base/bounded-queue.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Batch } from "../kernel/input.ts";
import type { CarriedItem } from "../orders/carried.ts";
import type { Note } from "../kernel/note.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** One step of the kernel, as observers receive it. */
export interface ObservedEntry {
  readonly batch: Batch;
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  /** What the step left to the next run. */
  readonly carried?: readonly CarriedItem[];
  /** Microseconds from the socket callback to the HTTP client, for each placement of a step that a frame caused. */
  readonly tickToOrder: readonly {
    readonly strategy: string;
    readonly marketId: MarketId;
    readonly us: number;
  }[];
  /**
   * For a step that waited for the disk: how long after the time of its batch it was carried out, in milliseconds. The next step has what
   * came meanwhile.
   */
  readonly sendDelayMs?: number | undefined;
}

interface ObserverEvents {
  entry: (entry: ObservedEntry) => void;
}

/** Entries handled in one turn of the event loop, so that listeners delay the next batch only briefly. */
const PER_TURN = 64;

/**
 * Passes steps to logs, metrics and pages. The driver fills a bounded ring after its sends, and listeners are called on later
 * turns, so they cannot slow the kernel. A full ring drops the newest entry and counts it.
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

  /** Entries dropped because the ring was full. */
  get dropped(): number {
    return this.#ring.dropped;
  }

  /** Calls `listener` for every entry, in order. Returns a function that unsubscribes it. */
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

  /** Passes all waiting entries to the listeners at once, at the end of a run. */
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
