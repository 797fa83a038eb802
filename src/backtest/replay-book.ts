import { LevelBook } from "../book/level-book.ts";
import type { Side } from "../domain/side.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

interface Touch {
  bid: number | undefined;
  ask: number | undefined;
}

const NO_BID_LIMIT = Number.POSITIVE_INFINITY;
const NO_ASK_LIMIT = Number.NEGATIVE_INFINITY;

/**
 * The recorded book of a market at a moment of a replay, with the mid against which fills, markouts and PnL are measured. Depth is older than trades, so a recorded trade
 * hides the levels that it passed until the next depth event. Own orders do not move the mid: it is the same for every bot.
 */
export class ReplayBook {
  readonly #book = new LevelBook();
  /** Trades since the last depth event passed all bids above this price, and all asks below the other. */
  #bidLimit = NO_BID_LIMIT;
  #askLimit = NO_ASK_LIMIT;
  readonly #touch: Touch = { bid: undefined, ask: undefined };
  /** The best prices that no trade passed, from which the mid was made. */
  readonly #best: Touch = { bid: undefined, ask: undefined };
  readonly #cursors = { bids: this.#book.bids.cursor(), asks: this.#book.asks.cursor() };
  #mid: number | undefined;

  /** The newest mid; unchanged while a side of the book is empty. Undefined before the first mid. */
  get mid(): number | undefined {
    return this.#mid;
  }

  /** The best prices of the newest recorded depth, before trades hid any; each undefined while its side is empty. */
  get touch(): Readonly<Touch> {
    return this.#touch;
  }

  /** The recorded quantity at a price; 0 for a level that is not there. */
  quantityAt(side: Side, price: number): number {
    const isPassed = side === "BUY" ? price > this.#bidLimit : price < this.#askLimit;
    return isPassed ? 0 : this.#book.side(side).quantityAt(price);
  }

  /** Applies the next recorded event. Returns true when the mid has changed. */
  apply(event: MarketEvent): boolean {
    const { bids, asks } = this.#book;
    if (event.type === "trade") {
      const { price, isBuyerMaker } = event.trade;
      if (isBuyerMaker) this.#bidLimit = Math.min(this.#bidLimit, price);
      else this.#askLimit = Math.max(this.#askLimit, price);
    } else {
      this.#bidLimit = NO_BID_LIMIT;
      this.#askLimit = NO_ASK_LIMIT;
      if (event.type === "depth") this.#book.apply(event.event);
      else this.#book.load(event.snapshot);
      this.#touch.bid = bids.bestPrice;
      this.#touch.ask = asks.bestPrice;
    }
    return this.#follow(this.#bestBid(), this.#bestAsk());
  }

  #follow(bid: number | undefined, ask: number | undefined): boolean {
    const best = this.#best;
    if (bid === undefined || ask === undefined || (bid === best.bid && ask === best.ask)) {
      return false;
    }
    best.bid = bid;
    best.ask = ask;
    // Rounding to 15 digits removes the error of adding doubles, so the mid of two recorded prices is exact.
    const mid = Number(((bid + ask) / 2).toPrecision(15));
    if (mid === this.#mid) return false;
    this.#mid = mid;
    return true;
  }

  #bestBid(): number | undefined {
    const { bid } = this.#touch;
    if (bid === undefined || bid <= this.#bidLimit) return bid;
    const cursor = this.#cursors.bids;
    cursor.rewind();
    while (cursor.next()) if (cursor.price <= this.#bidLimit) return cursor.price;
    return undefined;
  }

  #bestAsk(): number | undefined {
    const { ask } = this.#touch;
    if (ask === undefined || ask >= this.#askLimit) return ask;
    const cursor = this.#cursors.asks;
    cursor.rewind();
    while (cursor.next()) if (cursor.price >= this.#askLimit) return cursor.price;
    return undefined;
  }
}
