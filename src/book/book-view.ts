import type { Side } from "../domain/side.ts";
import type { ReadableBook } from "./level-book.ts";

/** Own resting quantity at a price, in base token; 0 for none. */
export type OwnQuantityAt = (side: Side, price: number) => number;

/** One price level, in the shape of the plugin contract. */
export interface ViewLevel {
  readonly price: number;
  readonly quantity: number;
}

/** A remainder below this share of a level is the noise of subtracting doubles, not an order. */
const NOISE_SHARE = 1e-9;

/**
 * The book less our own resting quantity, so that a strategy never follows its own quotes: a level that is all ours is left
 * out. It reads the book as it is now, so a view is valid until the next event is applied.
 */
export class BookLessOwn {
  readonly #own: OwnQuantityAt;
  readonly #book: ReadableBook;
  readonly #bids: Walk;
  readonly #asks: Walk;

  constructor(book: ReadableBook, own: OwnQuantityAt) {
    this.#own = own;
    this.#book = book;
    this.#bids = book.bids.cursor();
    this.#asks = book.asks.cursor();
  }

  best(side: Side): ViewLevel | undefined {
    return this.level(side, 0);
  }

  /** The `index`-th best level, 0 being the best. */
  level(side: Side, index: number): ViewLevel | undefined {
    const walk = this.#rewound(side);
    let left = index;
    for (let rest = this.#next(side, walk); rest > 0; rest = this.#next(side, walk)) {
      if (left === 0) return { price: walk.price, quantity: rest };
      left -= 1;
    }
    return undefined;
  }

  /** Up to `count` levels, best first. */
  levels(side: Side, count: number): readonly ViewLevel[] {
    const walk = this.#rewound(side);
    const levels: ViewLevel[] = [];
    while (levels.length < count) {
      const rest = this.#next(side, walk);
      if (rest === 0) break;
      levels.push({ price: walk.price, quantity: rest });
    }
    return levels;
  }

  /** The quantity of others at a price; 0 without a level there. */
  quantityAt(side: Side, price: number): number {
    return Math.max(0, this.#book.side(side).quantityAt(price) - this.#own(side, price));
  }

  /** (best bid + best ask) / 2; undefined when a side is empty. */
  get mid(): number | undefined {
    if (this.#toTouch() === 0) return undefined;
    return (this.#bids.price + this.#asks.price) / 2;
  }

  /** Mid weighted by the opposite side's quantity at the touch (Gatheral and Oomen, 2010); undefined as `mid`. */
  get weightedMid(): number | undefined {
    const bid = this.best("BUY");
    const ask = this.best("SELL");
    if (bid === undefined || ask === undefined) return undefined;
    const weighted = bid.price * ask.quantity + ask.price * bid.quantity;
    return weighted / (bid.quantity + ask.quantity);
  }

  /** The price of a side's levels up to which `quantity` lies; undefined when the side has less. */
  priceFor(side: Side, quantity: number): number | undefined {
    return this.#walk(side, quantity)?.price;
  }

  /** The average price of the first `quantity` of a side; undefined when the side has less, or for 0. */
  averageFor(side: Side, quantity: number): number | undefined {
    const value = this.#walk(side, quantity)?.value;
    return value === undefined || quantity === 0 ? undefined : value / quantity;
  }

  /** The quantity of a side's levels up to `price`, the level at it included. */
  quantityTo(side: Side, price: number): number {
    const walk = this.#rewound(side);
    const sign = side === "BUY" ? -1 : 1;
    let sum = 0;
    for (let rest = this.#next(side, walk); rest > 0; rest = this.#next(side, walk)) {
      if (sign * walk.price > sign * price) break;
      sum += rest;
    }
    return sum;
  }

  /** Best ask − best bid; undefined as `mid`. */
  get spread(): number | undefined {
    if (this.#toTouch() === 0) return undefined;
    return this.#asks.price - this.#bids.price;
  }

  #walk(
    side: Side,
    quantity: number,
  ): { readonly price: number; readonly value: number } | undefined {
    const walk = this.#rewound(side);
    let [left, value] = [quantity, 0];
    for (let rest = this.#next(side, walk); rest > 0; rest = this.#next(side, walk)) {
      value += walk.price * Math.min(rest, left);
      left -= rest;
      if (left <= 0) return { price: walk.price, value };
    }
    return undefined;
  }

  /** Moves both cursors to the touch; 0 when a side is empty. */
  #toTouch(): number {
    if (this.#next("BUY", this.#rewound("BUY")) === 0) return 0;
    return this.#next("SELL", this.#rewound("SELL"));
  }

  #rewound(side: Side): Walk {
    const walk = side === "BUY" ? this.#bids : this.#asks;
    walk.rewind();
    return walk;
  }

  /** Moves to the next level that is not all ours and gives the quantity of others there; 0 at the end. */
  #next(side: Side, walk: Walk): number {
    while (walk.next()) {
      const own = this.#own(side, walk.price);
      if (own === 0) return walk.quantity;
      const rest = walk.quantity - own;
      if (rest > walk.quantity * NOISE_SHARE) return rest;
    }
    return 0;
  }
}

type Walk = ReturnType<ReadableBook["bids"]["cursor"]>;
