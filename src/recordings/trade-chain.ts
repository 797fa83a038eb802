/** What a trade's id says about the one before it. */
export type TradeLink = "next" | "gap" | "duplicate";

/** Follows the ids of a market's trades, which exchanges count by ones. Ids that are no whole numbers tell only repeats. */
export class TradeChain {
  #last: number | undefined;
  #lastText: string | undefined;

  take(tradeId: string): TradeLink {
    const id = /^\d{1,15}$/.test(tradeId) ? Number(tradeId) : undefined;
    if (id === undefined) {
      const isRepeated = tradeId === this.#lastText;
      this.#lastText = tradeId;
      return isRepeated ? "duplicate" : "next";
    }
    const last = this.#last;
    if (last !== undefined && id <= last) return "duplicate";
    this.#last = id;
    return last === undefined || id === last + 1 ? "next" : "gap";
  }
}
