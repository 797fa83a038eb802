import { fixed, fixedToNumber, subFixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { isTerminal, type OrderReport } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { BatchEntry } from "../journal/entry.ts";
import { restoredBy } from "../journal/own-fills.ts";
import { placedOrders } from "../journal/placed-orders.ts";
import type { Input, RestoredOrder } from "../kernel/input.ts";
import { type OrderRole, type OrderSnapshot } from "../orders/order-snapshot.ts";
import { savedRole } from "../orders/restored-order.ts";

interface Followed {
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  readonly role: OrderRole;
  remaining: Fixed;
  isResting: boolean;
}

export type RestingQuote = Pick<OrderSnapshot, "side" | "price" | "remaining">;

/** The own orders that a journal shows to rest at the venue: from the first report or accepted placement until a report of their end. */
export class RestingQuotes {
  readonly #orders = new Map<OrderId, Followed>();
  /** Placements without a response, by intent. */
  readonly #sent = new Map<number, OrderId>();

  /** Whether the step may have changed what rests. */
  apply(entry: BatchEntry): boolean {
    const { batch, signed, ended, effects } = entry;
    let hasChanged = ended.length + effects.length > 0;
    for (const input of batch.inputs) hasChanged = this.#input(input) || hasChanged;
    this.restore(placedOrders(entry));
    for (const { intent, txHash } of signed)
      if (this.#orders.has(txHash)) this.#sent.set(intent, txHash);
    for (const id of ended) this.#orders.delete(id);
    return hasChanged;
  }

  restore(orders: readonly RestoredOrder[]): void {
    for (const order of orders) {
      const { orderId, strategy, marketId, side, price, quantity, executed } = order;
      if (this.#orders.has(orderId)) continue;
      const remaining = subFixed(fixed(quantity), fixed(executed));
      const role = savedRole(order);
      this.#orders.set(orderId, {
        strategy,
        marketId,
        side,
        price,
        role,
        remaining,
        isResting: false,
      });
    }
  }

  /** The quotes of a strategy in a market. */
  of(strategy: string, marketId: MarketId): readonly RestingQuote[] {
    const quotes: Followed[] = [];
    for (const order of this.#orders.values()) {
      const { isResting, role } = order;
      const isOwn = order.strategy === strategy && order.marketId === marketId;
      if (isOwn && isResting && role === "quote") quotes.push(order);
    }
    return quotes;
  }

  /** Own quantity that rests at a price. */
  quantityAt(marketId: MarketId, side: Side, price: number): number {
    let sum = 0;
    for (const order of this.#orders.values()) {
      const isThere = order.marketId === marketId && order.side === side && order.price === price;
      if (isThere && order.isResting) sum += fixedToNumber(order.remaining);
    }
    return sum;
  }

  #input(input: Input): boolean {
    switch (input.type) {
      case "restored":
        this.restore(restoredBy(input));
        return true;
      case "response": {
        const id = this.#sent.get(input.intent);
        this.#sent.delete(input.intent);
        const order = id === undefined ? undefined : this.#orders.get(id);
        if (order === undefined || input.outcome.type !== "accepted") return false;
        order.isResting = true;
        return true;
      }
      case "orderEvent":
        return this.#report(input.event.order);
      case "order":
        return input.report !== "absent" && this.#report(input.report);
      case "openOrders":
        for (const report of input.orders) this.#report(report);
        return true;
      default:
        return false;
    }
  }

  #report({ orderId, status, origQty, executedQty }: OrderReport): boolean {
    const order = this.#orders.get(orderId);
    if (order === undefined) return false;
    order.isResting = !isTerminal(status);
    order.remaining = subFixed(origQty, executedQty);
    if (isTerminal(status)) this.#orders.delete(orderId);
    return true;
  }
}
