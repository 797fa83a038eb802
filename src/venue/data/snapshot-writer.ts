import type { SnapshotPart } from "../../exchange/snapshot.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { VenueStore } from "./venue-store.ts";

/** Rows written, and groups taken away, in one turn: a millisecond or less, which orders have to wait for. */
const ROWS_PER_PIECE = 200;
const PRUNED_PER_TURN = 100;
const PAUSE_MS = 5;

/** Writes an image piece by piece while the venue goes on, then takes away what it has made superfluous. */
export class SnapshotWriter {
  readonly #store: VenueStore;
  readonly #timer: Timer;
  readonly #failed: (error: unknown) => void;
  #turn: TimerHandle | undefined;

  constructor(store: VenueStore, timer: Timer, failed: (error: unknown) => void) {
    this.#store = store;
    this.#timer = timer;
    this.#failed = failed;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  /** Begins an image of the exchange as it stands after group `number`. */
  begin(number: number, parts: readonly SnapshotPart[]): void {
    const work = this.#work(number, parts);
    const turn = (): void => {
      this.#turn = undefined;
      try {
        if (work.next().done !== true) this.#turn = this.#timer.after(PAUSE_MS, turn);
      } catch (thrown) {
        this.#failed(thrown);
      }
    };
    this.#turn = this.#timer.after(PAUSE_MS, turn);
  }

  /** The same without a pause. */
  writeNow(number: number, parts: readonly SnapshotPart[]): void {
    this.stop();
    for (const _ of this.#work(number, parts));
  }

  /** An unfinished image counts for nothing; the next one takes its rows away. */
  stop(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  *#work(number: number, parts: readonly SnapshotPart[]): Generator<void> {
    // What an interrupted image left behind.
    while (this.#store.prune(PRUNED_PER_TURN)) yield;
    this.#store.beginSnapshot(number);
    for (const part of parts) {
      for (let from = 0; from < part.size; from += ROWS_PER_PIECE) {
        this.#store.writePiece(number, part, from, Math.min(part.size, from + ROWS_PER_PIECE));
        yield;
      }
    }
    this.#store.finishSnapshot(number);
    while (this.#store.prune(PRUNED_PER_TURN)) yield;
  }
}
