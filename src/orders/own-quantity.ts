import { assert } from "../base/assert.ts";
import { fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { atStakeOf, remainingOf, restsInBook, type TrackedOrder } from "./tracked-order.ts";

interface Shelf {
  /** Remaining of everything that is not over. */
  exposure: Fixed;
  /** The same of acknowledged limit orders, by price: exact, and as the numbers that the book takes off. */
  readonly exact: Map<number, Fixed>;
  readonly byPrice: Map<number, number>;
}

interface Share {
  readonly exposure: Fixed;
  readonly resting: Fixed;
}

const nothing: Share = { exposure: ZERO, resting: ZERO };

/** Sums of what our live orders may still fill, per market and side, kept up to date order by order. */
export class OwnQuantity {
  readonly #shelves = new Map<MarketId, Record<Side, Shelf>>();
  readonly #shares = new Map<TrackedOrder, Share>();

  /** Counts the order as it stands now instead of as it stood before. */
  update(order: TrackedOrder): void {
    const isOver = order.phase === "ended";
    const rests = restsInBook(order);
    this.#count(order, {
      exposure: isOver ? ZERO : atStakeOf(order),
      resting: rests ? remainingOf(order) : ZERO,
    });
  }

  /** Counts it no more; before its price changes. */
  remove(order: TrackedOrder): void {
    this.#count(order, nothing);
  }

  #count(order: TrackedOrder, after: Share): void {
    const before = this.#shares.get(order) ?? nothing;
    if (before.exposure === after.exposure && before.resting === after.resting) return;
    // A stop loss that fired may rest in the book while its pair counts for both.
    if (after.exposure === ZERO && after.resting === ZERO) this.#shares.delete(order);
    else this.#shares.set(order, after);

    const shelf = this.#shelf(order.marketId, order.side);
    shelf.exposure = (shelf.exposure + after.exposure - before.exposure) as Fixed;
    assert(shelf.exposure >= ZERO, "exposure is never negative");
    if (before.resting === after.resting) return;
    const known = shelf.exact.get(order.price) ?? ZERO;
    const resting = (known + after.resting - before.resting) as Fixed;
    assert(resting >= ZERO, "resting quantity is never negative");
    if (resting === ZERO) {
      shelf.exact.delete(order.price);
      shelf.byPrice.delete(order.price);
    } else {
      shelf.exact.set(order.price, resting);
      shelf.byPrice.set(order.price, fixedToNumber(resting));
    }
  }

  exposure(marketId: MarketId, side: Side): Fixed {
    return this.#shelves.get(marketId)?.[side].exposure ?? ZERO;
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
  return { exposure: ZERO, exact: new Map(), byPrice: new Map() };
}
