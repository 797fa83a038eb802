import type { RecordingMarket } from "./manifest.ts";

/** How a trade's id relates to the trade before it. */
export type TradeLink = "next" | "gap" | "duplicate";

/**
 * Follows a market's trade ids. Most exchanges count them in each market in steps of one; where ids are only unique, or most steps so far were
 * others, as with hashes, only a trade that follows itself is a repeated one.
 */
export class TradeChain {
  readonly #areUnique: boolean;
  #last: number | undefined;
  #lastText: string | undefined;
  #steps = 0;
  #breaks = 0;

  constructor(tradeIds?: RecordingMarket["tradeIds"]) {
    this.#areUnique = tradeIds === "unique";
  }

  take(tradeId: string): TradeLink {
    const isRepeated = tradeId === this.#lastText;
    this.#lastText = tradeId;
    if (isRepeated) return "duplicate";
    const id = /^\d{1,15}$/.test(tradeId) ? Number(tradeId) : undefined;
    const last = this.#last;
    if (id === undefined || this.#areUnique) return "next";
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
