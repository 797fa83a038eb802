import { LevelBook } from "../book/level-book.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

/**
 * The mid of the recorded book: what fills, markouts and PnL are measured against. No own order and no trade between two depth
 * events moves it, so it is the same for every bot that is replayed over the recording.
 */
export class RecordedMid {
  readonly #book = new LevelBook();
  #mid: number | undefined;

  /** The newest mid; a side that is empty for a moment leaves it as it was. Undefined before the first. */
  get value(): number | undefined {
    return this.#mid;
  }

  /** Takes the next recorded event; true when the mid is another one now. */
  apply(event: MarketEvent): boolean {
    if (event.type === "trade") return false;
    if (event.type === "depth") this.#book.apply(event.event);
    else this.#book.load(event.snapshot);
    const bid = this.#book.bids.bestPrice;
    const ask = this.#book.asks.bestPrice;
    if (bid === undefined || ask === undefined) return false;
    // At 15 digits the noise of adding doubles is gone, and the mid of two recorded prices is exact.
    const mid = Number(((bid + ask) / 2).toPrecision(15));
    if (mid === this.#mid) return false;
    this.#mid = mid;
    return true;
  }
}
