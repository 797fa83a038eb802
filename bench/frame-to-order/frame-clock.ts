import type { RecordedFrames } from "../recorded-frames.ts";
import { START_MS } from "./terms.ts";

/** Gives the recording's frames over and over, a millisecond apart: not much faster than the disk on which the journal is. */
export class FrameClock {
  count = 0;
  readonly #recorded: RecordedFrames;
  readonly #begin: () => void;
  #at = 0;
  #nowMs = START_MS;

  constructor(recorded: RecordedFrames, begin: () => void) {
    this.#recorded = recorded;
    this.#begin = begin;
  }

  next(): { readonly frame: Buffer; readonly nowMs: number } {
    const { frames } = this.#recorded;
    const frame = frames[this.#at];
    if (frame === undefined) throw new Error("a recording without frames");
    // At the time of the last frame, for which the strategy has decided already.
    if (this.#at === 0) this.#begin();
    this.#nowMs += 1;
    this.#at = (this.#at + 1) % frames.length;
    this.count += 1;
    // The frame ends with its time, 13 digits and three braces: an event of another year would be a late one.
    frame.write(String(this.#nowMs), frame.length - 16, "latin1");
    return { frame, nowMs: this.#nowMs };
  }
}
