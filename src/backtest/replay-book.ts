import { LevelBook } from "../book/level-book.ts";
import type { Side } from "../domain/side.ts";
import type { DepthLevels } from "../exchange/recorded-side.ts";
import type { PlayedEvent } from "../recordings/recorded-gaps.ts";

interface Touch {
  bid: number | undefined;
  ask: number | undefined;
}

const NO_LIMIT: Readonly<Record<Side, number>> = {
  BUY: Number.POSITIVE_INFINITY,
  SELL: Number.NEGATIVE_INFINITY,
};

/**
 * The recorded book of a market at a moment of a replay, with the mid against which fills, markouts and PnL are measured. Depth is older than trades, so a recorded trade
 * hides the levels that it passed until the next depth event. Own orders do not move the mid: it is the same for every bot.
 */
export class ReplayBook {
  /** Undefined where something else keeps the levels. */
  readonly #own: LevelBook | undefined;
  readonly #bids: DepthLevels;
  readonly #asks: DepthLevels;
  /** Trades since the last depth event passed all bids above the one price, and all asks below the other. */
  readonly #limit = { ...NO_LIMIT };
  readonly #touch: Touch = { bid: undefined, ask: undefined };
  /** The best prices that no trade passed. */
  readonly #left: Touch = { bid: undefined, ask: undefined };
  /** Those from which the mid was made. */
  readonly #best: Touch = { bid: undefined, ask: undefined };
  #mid: number | undefined;
  /** Whether the mid is older than a gap. */
  #isLost = false;

  /** `levelsOf`: the levels of a side, to which events are applied before they are applied here. Left out: this book keeps its own. */
  constructor(levelsOf?: (side: Side) => DepthLevels) {
    const own = new LevelBook();
    this.#own = levelsOf === undefined ? own : undefined;
    const levels = levelsOf ?? depthLevelsOf(own);
    this.#bids = levels("BUY");
    this.#asks = levels("SELL");
  }

  /** The newest mid; unchanged while a side of the book is empty. Undefined before the first mid. */
  get mid(): number | undefined {
    return this.#mid;
  }

  /** The best prices of the newest recorded depth, before trades hid any; each undefined while its side is empty. */
  get touch(): Readonly<Touch> {
    return this.#touch;
  }

  /**
   * The recorded quantity at a price, less what trades have taken since the newest depth event; 0 for a level that is not there, undefined
   * where nobody knows it (decision 030).
   */
  quantityAt(side: Side, price: number): number | undefined {
    const remaining = (side === "BUY" ? this.#bids : this.#asks).remainingAt(price);
    const isPassed = side === "BUY" ? price > this.#limit.BUY : price < this.#limit.SELL;
    return isPassed && remaining !== undefined ? 0 : remaining;
  }

  /** The book is not known from here on, until an event shows both sides. */
  lose(): void {
    this.#isLost = true;
    this.#best.bid = undefined;
    this.#best.ask = undefined;
  }

  /** Applies the next recorded event. Returns true when the mid has changed, and for the first after a gap. */
  apply(event: PlayedEvent): boolean {
    const left = this.#left;
    const limit = this.#limit;
    if (event.type === "trade") {
      const { price, isBuyerMaker } = event.trade;
      if (isBuyerMaker) {
        if (price >= limit.BUY) return false;
        limit.BUY = price;
        if (left.bid !== undefined && left.bid > price) left.bid = this.#bids.bestUpTo(price);
      } else {
        if (price <= limit.SELL) return false;
        limit.SELL = price;
        if (left.ask !== undefined && left.ask < price) left.ask = this.#asks.bestUpTo(price);
      }
      return this.#follow(left.bid, left.ask);
    }
    if (event.type === "depth") this.#own?.apply(event.event);
    else if (event.type === "book") this.#own?.load(event.snapshot);
    limit.BUY = NO_LIMIT.BUY;
    limit.SELL = NO_LIMIT.SELL;
    left.bid = this.#bids.bestUpTo(limit.BUY);
    left.ask = this.#asks.bestUpTo(limit.SELL);
    this.#touch.bid = left.bid;
    this.#touch.ask = left.ask;
    return this.#follow(left.bid, left.ask);
  }

  #follow(bid: number | undefined, ask: number | undefined): boolean {
    const best = this.#best;
    if (bid === undefined || ask === undefined || (bid === best.bid && ask === best.ask)) {
      return false;
    }
    best.bid = bid;
    best.ask = ask;
    const mid = exactMid((bid + ask) / 2);
    if (mid === this.#mid && !this.#isLost) return false;
    this.#isLost = false;
    this.#mid = mid;
    return true;
  }
}

/** A multiple of 10⁻⁸ that is below 10¹⁵ of these parts has at most 15 digits. */
const PARTS = 1e8;
const PARTS_MAX = 1e15;

/** The value rounded to 15 digits, which removes the error of adding doubles: the mid of two recorded prices is exact. */
function exactMid(value: number): number {
  const parts = Math.round(value * PARTS);
  if (parts < PARTS_MAX && parts / PARTS === value) return value;
  return Number(value.toPrecision(15));
}

/** The levels of a book that no trade changes. */
function depthLevelsOf(book: LevelBook): (side: Side) => DepthLevels {
  return (side) => {
    const levels = book.side(side);
    return {
      remainingAt: (price) => levels.quantityAt(price),
      bestUpTo: (limit) => levels.bestUpTo(limit),
    };
  };
}
