import type { SnapshotPart } from "../../exchange/snapshot.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { VenueStore } from "./venue-store.ts";

/** Rows written, and groups removed, per turn of the event loop: orders wait a millisecond or less. */
const ROWS_PER_PIECE = 200;
const PRUNED_PER_TURN = 100;
const PAUSE_MS = 5;

/** Writes a snapshot in pieces while the venue runs, then removes the rows that it makes obsolete. */
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

  /** Begins a snapshot of the exchange's state after group `number`. */
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

  /** Writes the whole snapshot now, without pauses. */
  writeNow(number: number, parts: readonly SnapshotPart[]): void {
    this.stop();
    for (const _ of this.#work(number, parts));
  }

  /** Stops writing. An unfinished snapshot is never read, and the next one removes its rows. */
  stop(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  *#work(number: number, parts: readonly SnapshotPart[]): Generator<void> {
    // Removes what an interrupted snapshot left behind.
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
