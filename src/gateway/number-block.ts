import { FRAME_LEVELS_MAX } from "../spec/limits.ts";

/** Numbers in a block. */
const BLOCK_SIZE = 1 << 16;
/** The most numbers of one event, both sides together; each side alone stays within what the reference codec reads. */
export const NUMBERS_MAX = 2 * FRAME_LEVELS_MAX;

/**
 * Memory that many events share, since an array for each event costs more than its numbers. Events are slices of a block;
 * a full block is replaced by a new one and never written again.
 */
export class NumberBlock {
  numbers: Float64Array = new Float64Array(BLOCK_SIZE);
  /** Where the next number goes. */
  count = 0;

  /** Makes sure that `room` numbers (at most NUMBERS_MAX) fit, and returns the index of the first. */
  begin(room: number): number {
    if (this.count + room > BLOCK_SIZE) {
      this.numbers = new Float64Array(BLOCK_SIZE);
      this.count = 0;
    }
    return this.count;
  }
}
