import { LevelBook } from "../book/level-book.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

/**
 * The mid of the recorded book, against which fills, markouts and PnL are measured. Own orders and trades do not move it, so it
 * is the same for every bot that is replayed over the recording.
 */
export class RecordedMid {
  readonly #book = new LevelBook();
  #mid: number | undefined;

  /** The newest mid; unchanged while a side of the book is empty. Undefined before the first mid. */
  get value(): number | undefined {
    return this.#mid;
  }

  /** Applies the next recorded event. Returns true when the mid has changed. */
  apply(event: MarketEvent): boolean {
    if (event.type === "trade") return false;
    if (event.type === "depth") this.#book.apply(event.event);
    else this.#book.load(event.snapshot);
    const bid = this.#book.bids.bestPrice;
    const ask = this.#book.asks.bestPrice;
    if (bid === undefined || ask === undefined) return false;
    // Rounding to 15 digits removes the error of adding doubles, so the mid of two recorded prices is exact.
    const mid = Number(((bid + ask) / 2).toPrecision(15));
    if (mid === this.#mid) return false;
    this.#mid = mid;
    return true;
  }
}
