/** How a trade's id relates to the trade before it. */
export type TradeLink = "next" | "gap" | "duplicate";

/** Follows a market's trade ids, which exchanges count in steps of one. For ids that are not whole numbers only repeats are detected. */
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
