/** Numbers in a block; the most that one event may have, both sides. */
const BLOCK_SIZE = 1 << 16;
export const NUMBERS_MAX = BLOCK_SIZE / 4;

/**
 * Room for the numbers of many events, which are cut from it one behind the other: an array of its own costs more than its
 * numbers. A full block is left to the events that were cut from it, and never written again.
 */
export class NumberBlock {
  numbers: Float64Array = new Float64Array(BLOCK_SIZE);
  /** Where the next number goes. */
  count = 0;

  /** Makes sure that `room` numbers (at most NUMBERS_MAX) fit; gives where they begin. */
  begin(room: number): number {
    if (this.count + room > BLOCK_SIZE) {
      this.numbers = new Float64Array(BLOCK_SIZE);
      this.count = 0;
    }
    return this.count;
  }
}
