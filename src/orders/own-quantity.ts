import { assert } from "../base/assert.ts";
import { fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { remainingOf, restsInBook, type TrackedOrder } from "./tracked-order.ts";

/** What rests on one side of a market, by price: exact, and as the numbers that the book takes off. */
interface Shelf {
  readonly exact: Map<number, Fixed>;
  readonly byPrice: Map<number, number>;
}

/** Sums of what our orders have resting in the book, per market, side and price, kept up to date order by order. */
export class OwnQuantity {
  readonly #shelves = new Map<MarketId, Record<Side, Shelf>>();
  readonly #resting = new Map<TrackedOrder, Fixed>();

  /** Counts the order as it stands now instead of as it stood before. */
  update(order: TrackedOrder): void {
    this.#count(order, restsInBook(order) ? remainingOf(order) : ZERO);
  }

  /** Counts it no more; before its price changes. */
  remove(order: TrackedOrder): void {
    this.#count(order, ZERO);
  }

  #count(order: TrackedOrder, after: Fixed): void {
    const before = this.#resting.get(order) ?? ZERO;
    if (before === after) return;
    if (after === ZERO) this.#resting.delete(order);
    else this.#resting.set(order, after);

    const shelf = this.#shelf(order.marketId, order.side);
    const known = shelf.exact.get(order.price) ?? ZERO;
    const resting = (known + after - before) as Fixed;
    assert(resting >= ZERO, "resting quantity is never negative");
    if (resting === ZERO) {
      shelf.exact.delete(order.price);
      shelf.byPrice.delete(order.price);
    } else {
      shelf.exact.set(order.price, resting);
      shelf.byPrice.set(order.price, fixedToNumber(resting));
    }
  }

  /** The same Map for good: it changes in place. */
  byPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#shelf(marketId, side).byPrice;
  }

  #shelf(marketId: MarketId, side: Side): Shelf {
    let shelves = this.#shelves.get(marketId);
    if (shelves === undefined) {
      shelves = { BUY: emptyShelf(), SELL: emptyShelf() };
      this.#shelves.set(marketId, shelves);
    }
    return shelves[side];
  }
}

function emptyShelf(): Shelf {
  return { exact: new Map(), byPrice: new Map() };
}
