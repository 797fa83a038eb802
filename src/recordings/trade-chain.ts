/** Follows the ids of a market's trades, which exchanges count by ones. Ids that are no whole numbers tell only repeats. */
export class TradeChain {
  #last: number | undefined;
  #lastText: string | undefined;
  #gaps = 0;
  #duplicates = 0;

  /** Places where ids are missing. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Ids that were there before. */
  get duplicates(): number {
    return this.#duplicates;
  }

  take(tradeId: string): void {
    const id = /^\d{1,15}$/.test(tradeId) ? Number(tradeId) : undefined;
    if (id === undefined) {
      if (tradeId === this.#lastText) this.#duplicates += 1;
      this.#lastText = tradeId;
      return;
    }
    if (this.#last !== undefined) {
      if (id <= this.#last) {
        this.#duplicates += 1;
        return;
      }
      if (id !== this.#last + 1) this.#gaps += 1;
    }
    this.#last = id;
  }
}
