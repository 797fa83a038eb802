import { percentText } from "../domain/setting.ts";

/** Books that are crossed or locked now and then are part of fast markets; above this share the levels cannot be right. */
const SHARE_MAX = 0.01;

/** Counts how often a market's best bid is at or above its best ask. */
export class Crossings {
  readonly #marketId: string;
  #books = 0;
  #crossed = 0;

  constructor(marketId: string) {
    this.#marketId = marketId;
  }

  /** Counts a state of the book. */
  see(bid: number | undefined, ask: number | undefined): void {
    this.#books += 1;
    if (bid !== undefined && ask !== undefined && bid >= ask) this.#crossed += 1;
  }

  /** A sentence for the user; undefined where few books are crossed. */
  get warning(): string | undefined {
    const share = this.#crossed / this.#books;
    if (!(share > SHARE_MAX)) return undefined;
    const shown = percentText(Math.round(share * 1000) / 1000);
    return `${this.#marketId}: the book is crossed or locked after ${this.#crossed} of ${this.#books} events (${shown}), its best bid at or above its best ask: levels that are gone are still in it.`;
  }
}
