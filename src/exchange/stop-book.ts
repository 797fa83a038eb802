import { assert } from "../base/assert.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Order } from "./order.ts";
import type { Firing } from "./trigger.ts";

/**
 * The stop orders of a market that wait for a trade. The nearest price in each direction is cached, so that a trade which
 * reaches none costs two comparisons.
 */
export class StopBook {
  /** Lowest price among the stops that fire at or above it. */
  lowestRising = Number.POSITIVE_INFINITY;
  /** Highest price among the stops that fire at or below it. */
  highestFalling = Number.NEGATIVE_INFINITY;
  /** Sorted so that the stop reached first comes last; at equal prices, the older one. */
  readonly #waiting: Readonly<Record<Firing, Entry[]>> = { "at-or-above": [], "at-or-below": [] };

  /** Whether a trade at this price fires a stop order. */
  isReachedBy(price: number): boolean {
    return price >= this.lowestRising || price <= this.highestFalling;
  }

  add(order: Order): void {
    const { trigger } = order;
    assert(
      trigger !== undefined && trigger.state === "idle",
      "a stop order that does not wait yet",
    );
    trigger.state = "waiting";
    const entries = this.#waiting[trigger.fires];
    const entry = entryOf(order);
    entries.splice(place(entries, entry), 0, entry);
    this.#noteNearest();
  }

  remove(order: Order): void {
    const { trigger } = order;
    assert(trigger?.state === "waiting", "a stop order that waits");
    trigger.state = "idle";
    const entries = this.#waiting[trigger.fires];
    const at = place(entries, entryOf(order));
    assert(entries[at]?.order === order, "the order is at its place");
    entries.splice(at, 1);
    this.#noteNearest();
  }

  /** Removes and returns the stops that a trade at this price reaches, nearest first; their state becomes `due`. */
  reached(price: number): Order[] {
    const orders: Order[] = [];
    while (this.lowestRising <= price) orders.push(this.#takeNearest("at-or-above"));
    while (this.highestFalling >= price) orders.push(this.#takeNearest("at-or-below"));
    return orders;
  }

  #takeNearest(fires: Firing): Order {
    const entry = this.#waiting[fires].pop();
    assert(entry?.order.trigger !== undefined, "the nearest price belongs to an order");
    entry.order.trigger.state = "due";
    this.#noteNearest();
    return entry.order;
  }

  #noteNearest(): void {
    const { "at-or-above": rising, "at-or-below": falling } = this.#waiting;
    this.lowestRising = rising.at(-1)?.price ?? Number.POSITIVE_INFINITY;
    this.highestFalling = falling.at(-1)?.price ?? Number.NEGATIVE_INFINITY;
  }
}

interface Entry {
  readonly order: Order;
  readonly price: number;
  /** Descending in the array: the stop reached last comes first. */
  readonly rank: number;
}

function entryOf(order: Order): Entry {
  const { trigger } = order;
  assert(trigger !== undefined, "a stop order");
  const price = fixedToNumber(trigger.price);
  return { order, price, rank: trigger.fires === "at-or-above" ? price : -price };
}

/** The first index whose entry is reached no later than this entry. */
function place(entries: readonly Entry[], { order, rank }: Entry): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = entries[middle];
    assert(other !== undefined, "an index inside");
    const isLater =
      other.rank > rank || (other.rank === rank && other.order.recordId > order.recordId);
    if (isLater) low = middle + 1;
    else high = middle;
  }
  return low;
}
