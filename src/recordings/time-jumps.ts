import type { RecordedStreamEvent } from "./recorded-event.ts";

/** A row this much later than the previous one of its stream is taken for a defect. */
const JUMP_MS = 3_600_000;

/** Finds the events of one market that are much later than the previous one of their stream. A replay leaves them out. */
export class TimeJumps {
  /** Times of the previous row of each stream, whether it was kept or not. */
  readonly #lastAtMs = new Map<RecordedStreamEvent["type"], number>();
  readonly #lastTimeMs = new Map<RecordedStreamEvent["type"], number>();

  /** Whether this event, in the order of receipt, is too late. A mark never is, and what follows it is not either. */
  take(recorded: RecordedStreamEvent): boolean {
    const { type, atUs, timeMs } = recorded;
    if (type === "mark") {
      // The recorder was running, so the next event is not a time jump, however long it took.
      this.#lastAtMs.clear();
      this.#lastTimeMs.clear();
      return false;
    }
    const atMs = atUs / 1000;
    const lastAtMs = this.#lastAtMs.get(type) ?? atMs;
    this.#lastAtMs.set(type, atMs);
    if (!hasTime(recorded)) return atMs - lastAtMs > JUMP_MS;
    const lastTimeMs = this.#lastTimeMs.get(type) ?? timeMs;
    this.#lastTimeMs.set(type, timeMs);
    return atMs - lastAtMs > JUMP_MS || timeMs - lastTimeMs > JUMP_MS;
  }
}

/** Whether the event has a time of the exchange. */
export function hasTime({ timeMs }: RecordedStreamEvent): boolean {
  return Number.isFinite(timeMs) && timeMs > 0;
}
