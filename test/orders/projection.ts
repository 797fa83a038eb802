import { inspect } from "node:util";
import { assert as must } from "../../src/base/assert.ts";
import type { OrderSnapshot, OrderUpdate } from "../../src/orders/order-snapshot.ts";
import type { OrderTracker } from "../../src/orders/order-tracker.ts";
import { OwnOrders } from "../../src/orders/own-orders.ts";
import { takeSnapshot } from "../../src/orders/snapshot-of.ts";

/**
 * Compares a table of own orders, fed by a tracker's updates, with new snapshots of the tracker's orders. It shows whether every change
 * is published once and completely. Throws at the first difference.
 */
export class Projection {
  readonly orders = new OwnOrders();
  readonly #tracker: OrderTracker;
  #comparisons = 0;
  readonly #published = new Map<number, OrderSnapshot>();

  constructor(tracker: OrderTracker) {
    this.#tracker = tracker;
  }

  /** Call after every change of the tracker. */
  check(): void {
    this.take(this.#tracker.takeUpdates());
    this.compare();
  }

  take(updates: readonly OrderUpdate[]): void {
    const seen = new Set<number>();
    for (const update of updates) {
      const { intent } = update.order;
      must(!seen.has(intent), `order ${intent} is published once a time`);
      seen.add(intent);
      must(update.before === this.#published.get(intent), `what order ${intent} was before`);
      this.#published.set(intent, update.order);
      this.orders.apply(update);
    }
  }

  compare(): void {
    const live = new Map([...this.orders.live()].map((order) => [order.intent, order]));
    must(live.size === this.#tracker.live().length, "the table holds the live orders");
    for (const order of this.#tracker.live()) same(live.get(order.intent), takeSnapshot(order));
    this.#comparisons += 1;
    // There can be many ended orders, and they never change without being published.
    if (this.#comparisons % 50 !== 0) return;
    for (const [intent, published] of this.#published) {
      const order = this.#tracker.byIntent(intent);
      if (order?.phase !== "ended") continue;
      same(published, takeSnapshot(order));
      if (order.orderId === undefined) continue;
      must(this.orders.byId(order.orderId) === published, `order ${intent} is known to be ours`);
    }
  }
}

function same(known: OrderSnapshot | undefined, real: OrderSnapshot): void {
  const names = Object.keys(real) as (keyof OrderSnapshot)[];
  const other = names.find((name) => !Object.is(known?.[name], real[name]));
  if (other === undefined) return;
  const { intent } = real;
  must(false, `order ${intent}: ${inspect({ known: known?.[other], real: real[other] })}`);
}
