import { assert } from "../base/assert.ts";
import { fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { remainingOf, restsInBook, type TrackedOrder } from "./tracked-order.ts";

/** Own resting quantity on one side of a market by price: exact, and as the numbers that the book view subtracts. */
interface SideSums {
  readonly exact: Map<number, Fixed>;
  readonly byPrice: Map<number, number>;
}

/** Own quantity resting in the book by market, side and price, updated order by order. */
export class OwnQuantity {
  readonly #sums = new Map<MarketId, Record<Side, SideSums>>();
  readonly #resting = new Map<TrackedOrder, Fixed>();

  /** Replaces what the order contributed before by what it contributes now. */
  update(order: TrackedOrder): void {
    this.#count(order, restsInBook(order) ? remainingOf(order) : ZERO);
  }

  /** Removes the order's contribution. Call it before the order's price changes. */
  remove(order: TrackedOrder): void {
    this.#count(order, ZERO);
  }

  #count(order: TrackedOrder, after: Fixed): void {
    const before = this.#resting.get(order) ?? ZERO;
    if (before === after) return;
    if (after === ZERO) this.#resting.delete(order);
    else this.#resting.set(order, after);

    const sums = this.#sumsOf(order.marketId, order.side);
    const known = sums.exact.get(order.price) ?? ZERO;
    const resting = (known + after - before) as Fixed;
    assert(resting >= ZERO, "resting quantity is never negative");
    if (resting === ZERO) {
      sums.exact.delete(order.price);
      sums.byPrice.delete(order.price);
    } else {
      sums.exact.set(order.price, resting);
      sums.byPrice.set(order.price, fixedToNumber(resting));
    }
  }

  /** Always the same Map, changed in place. */
  byPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#sumsOf(marketId, side).byPrice;
  }

  #sumsOf(marketId: MarketId, side: Side): SideSums {
    let sums = this.#sums.get(marketId);
    if (sums === undefined) {
      sums = { BUY: noSums(), SELL: noSums() };
      this.#sums.set(marketId, sums);
    }
    return sums[side];
  }
}

function noSums(): SideSums {
  return { exact: new Map(), byPrice: new Map() };
}
