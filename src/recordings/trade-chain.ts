/** How a trade's id relates to the trade before it. */
export type TradeLink = "next" | "gap" | "duplicate";

/**
 * Follows a market's trade ids. Most exchanges count them in steps of one; where most steps so far were others, as with hashes, only a trade
 * that follows itself is a repeated one.
 */
export class TradeChain {
  #last: number | undefined;
  #lastText: string | undefined;
  #steps = 0;
  #breaks = 0;

  take(tradeId: string): TradeLink {
    const isRepeated = tradeId === this.#lastText;
    this.#lastText = tradeId;
    if (isRepeated) return "duplicate";
    const id = /^\d{1,15}$/.test(tradeId) ? Number(tradeId) : undefined;
    const last = this.#last;
    if (id === undefined) return "next";
    if (last === undefined || id === last + 1) {
      if (last !== undefined) this.#steps += 1;
      this.#last = id;
      return "next";
    }
    const counts = this.#steps > this.#breaks;
    if (counts && id <= last) return "duplicate";
    this.#breaks += 1;
    this.#last = id;
    return counts ? "gap" : "next";
  }
}
