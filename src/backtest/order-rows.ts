import { fixedText, plainNumber } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { ReplayOrder } from "./replay-tables.ts";

/** What the exchange knows of an order, by times of the exchange. */
interface Entered {
  readonly enteredMs: number;
  readonly queueAhead: string | null;
  readonly mid: string | null;
  firstFillMs: number | null;
}

interface Followed {
  order: OrderSnapshot;
  acknowledgedMs: number | null;
  endedMs: number | null;
}

/** Follows all orders of a replay, from what the exchange did with them and from what the bot learned. */
export class OrderRows {
  readonly #byIntent = new Map<number, Followed>();
  readonly #entered = new Map<OrderId, Entered>();

  /** The bot published an order. */
  published(order: OrderSnapshot, nowMs: number): void {
    const followed = this.#byIntent.get(order.intent) ?? {
      order,
      acknowledgedMs: null,
      endedMs: null,
    };
    followed.order = order;
    const isKnown = order.phase === "working" || order.phase === "ended";
    if (isKnown) followed.acknowledgedMs ??= nowMs;
    if (order.phase === "ended") followed.endedMs ??= nowMs;
    this.#byIntent.set(order.intent, followed);
  }

  /** The exchange took an order. */
  entered(orderId: OrderId, at: Omit<Entered, "firstFillMs">): void {
    if (!this.#entered.has(orderId)) this.#entered.set(orderId, { ...at, firstFillMs: null });
  }

  filled(orderId: OrderId, timeMs: number): void {
    const entered = this.#entered.get(orderId);
    if (entered !== undefined) entered.firstFillMs ??= timeMs;
  }

  /** One row for each order, in the order of decision. */
  get rows(): readonly ReplayOrder[] {
    return [...this.#byIntent.values()].map(({ order, acknowledgedMs, endedMs }) => {
      const { orderId, strategy, marketId, side, role, origin, stopPrice, key = null } = order;
      const entered = orderId === undefined ? undefined : this.#entered.get(orderId);
      return {
        timeMs: order.madeAtMs,
        strategy,
        market: marketId,
        key,
        side,
        role,
        origin,
        price: plainNumber(order.price),
        stopPrice: stopPrice === undefined ? null : plainNumber(stopPrice),
        quantity: fixedText(order.quantity),
        executed: fixedText(order.executed),
        status: order.status,
        reason: order.reason,
        orderId: orderId ?? null,
        enteredMs: entered?.enteredMs ?? null,
        acknowledgedMs,
        firstFillMs: entered?.firstFillMs ?? null,
        endedMs,
        queueAhead: entered?.queueAhead ?? null,
        mid: entered?.mid ?? null,
      };
    });
  }
}
