import { LevelBook } from "../book/level-book.ts";
import type { Trade } from "../domain/depth.ts";
import type { Side } from "../domain/side.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

interface Touch {
  bid: number | undefined;
  ask: number | undefined;
}

/**
 * The recorded book of a market at a moment of a replay, with the mid against which fills, markouts and PnL are measured. Depth is older than trades, so a recorded trade
 * removes the levels that it passed until the next depth event. Own orders do not move the mid: it is the same for every bot.
 */
export class ReplayBook {
  readonly #book = new LevelBook();
  /** Levels that trades passed since the last depth event, as price and quantity. */
  readonly #passed = { bids: new Array<number>(), asks: new Array<number>() };
  readonly #touch: Touch = { bid: undefined, ask: undefined };
  #mid: number | undefined;

  /** The newest mid; unchanged while a side of the book is empty. Undefined before the first mid. */
  get mid(): number | undefined {
    return this.#mid;
  }

  /** The best prices of the newest recorded depth, before trades removed any; each undefined while its side is empty. */
  get touch(): Readonly<Touch> {
    return this.#touch;
  }

  /** The recorded quantity at a price; 0 for a level that is not there. */
  quantityAt(side: Side, price: number): number {
    return this.#book.side(side).quantityAt(price);
  }

  /** Applies the next recorded event. Returns true when the mid has changed. */
  apply(event: MarketEvent): boolean {
    if (event.type === "trade") this.#pass(event.trade);
    else {
      this.#restore();
      if (event.type === "depth") this.#book.apply(event.event);
      else this.#book.load(event.snapshot);
    }
    const bid = this.#book.bids.bestPrice;
    const ask = this.#book.asks.bestPrice;
    if (event.type !== "trade") {
      this.#touch.bid = bid;
      this.#touch.ask = ask;
    }
    if (bid === undefined || ask === undefined) return false;
    // Rounding to 15 digits removes the error of adding doubles, so the mid of two recorded prices is exact.
    const mid = Number(((bid + ask) / 2).toPrecision(15));
    if (mid === this.#mid) return false;
    this.#mid = mid;
    return true;
  }

  #pass({ price, isBuyerMaker }: Pick<Trade, "price" | "isBuyerMaker">): void {
    const name = isBuyerMaker ? "bids" : "asks";
    const side = this.#book[name];
    const isBetter = (best: number): boolean => (isBuyerMaker ? best > price : best < price);
    for (let best = side.bestPrice; best !== undefined && isBetter(best); best = side.bestPrice) {
      this.#passed[name].push(best, side.quantityAt(best));
      side.apply(Float64Array.of(best, 0));
    }
  }

  #restore(): void {
    for (const name of ["bids", "asks"] as const) {
      const levels = this.#passed[name];
      if (levels.length === 0) continue;
      this.#book[name].apply(Float64Array.from(levels));
      levels.length = 0;
    }
  }
}
