import { fixedToNumber } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { OrderSnapshot, OrderUpdate } from "../orders/order-snapshot.ts";

/** What the bot may leave out of the book for its own orders: no less than `least`, no more than `most`. */
export interface OwnAmount {
  readonly least: number;
  readonly most: number;
}

interface OwnPrice extends OwnAmount {
  readonly side: Side;
  /** Two after a modify. */
  readonly prices: readonly number[];
}

const NOTHING: OwnAmount = { least: 0, most: 0 };
const UNKNOWN: OwnAmount = { least: 0, most: Number.POSITIVE_INFINITY };

/** Where the bot may know an own order to rest during a step, at the beginning of the step or at its end, and how much of it. */
export class OwnPrices {
  /** By intent, those of an earlier run by id until something becomes known of them. */
  readonly #prices = new Map<number | OrderId, OwnPrice>();
  /** Orders that changed in the newest step, as they are at its end. */
  readonly #changed = new Map<number, OrderSnapshot>();

  stepBegins(): void {
    for (const [intent, order] of this.#changed) {
      if (order.state === "ended") this.#prices.delete(intent);
      else
        this.#prices.set(intent, { side: order.side, prices: [order.price], ...amountOf(order) });
    }
    this.#changed.clear();
  }

  restored(orderId: OrderId, side: Side, price: number): void {
    this.#prices.set(orderId, { side, prices: [price], ...UNKNOWN });
  }

  order({ order, before }: OrderUpdate): void {
    const { intent, orderId, side, price } = order;
    const wasRestored = orderId !== undefined && this.#prices.delete(orderId);
    const known = this.#prices.get(intent);
    const earlier = wasRestored ? UNKNOWN : (known ?? amountOf(before));
    const now = amountOf(order);
    const hasMoved = before !== undefined && before.price !== price;
    this.#prices.set(intent, {
      side,
      prices: [price, ...(known?.prices ?? []), ...(before === undefined ? [] : [before.price])],
      least: hasMoved ? 0 : Math.min(earlier.least, now.least),
      most: Math.max(earlier.most, now.most),
    });
    this.#changed.set(intent, order);
  }

  /** By price. */
  on(side: Side): ReadonlyMap<number, OwnAmount> {
    const amounts = new Map<number, OwnAmount>();
    for (const own of this.#prices.values()) {
      if (own.side !== side) continue;
      for (const price of new Set(own.prices)) {
        const { least, most } = amounts.get(price) ?? amountOf(undefined);
        amounts.set(price, { least: least + own.least, most: most + own.most });
      }
    }
    return amounts;
  }
}

/** The venue decides when it places stop orders and legs, and how much of a leg is left. None rests that still waits for its stop price. */
function amountOf(order: OrderSnapshot | undefined): OwnAmount {
  if (order === undefined || order.state === "ended") return NOTHING;
  if (order.waitsForTrigger) return NOTHING;
  const most = fixedToNumber(order.remaining);
  return { least: order.role === "quote" && order.phase === "working" ? most : 0, most };
}
