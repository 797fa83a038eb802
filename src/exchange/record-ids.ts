/** Assigns the ids of order records, including recorded liquidity; lists are sorted by them (§1.8). */
export class RecordIds {
  /** Id of the newest; 0 before the first. */
  count = 0;

  next(): number {
    this.count += 1;
    return this.count;
  }
}
