import { ZERO } from "../domain/fixed.ts";
import type { OrderReport } from "../domain/order.ts";
import type { OrderId } from "../domain/ids.ts";

/** An open order of the account that is not the bot's own, and the strategies that can take it over. */
export interface ForeignOrder {
  readonly orderId: OrderId;
  readonly takers: readonly string[];
}

/** Whether a strategy can take the order over: a plain one that states its size in base token. */
export function isPlain({ orderType, origQty }: OrderReport): boolean {
  return orderType === "LIMIT" && origQty !== ZERO;
}

/** Further ones are not remembered before the next list. */
const MAX = 1_000;

/** Open orders of the account that are not the bot's own, by the newest list and the events since. */
export class ForeignOrders {
  readonly #isOwn: (orderId: OrderId) => boolean;
  readonly #reports = new Map<OrderId, OrderReport>();

  constructor(isOwn: (orderId: OrderId) => boolean) {
    this.#isOwn = isOwn;
  }

  /** All open orders of the account. */
  listed(reports: readonly OrderReport[]): void {
    this.#reports.clear();
    for (const report of reports) this.reported(report);
  }

  reported(report: OrderReport): void {
    const { orderId, status } = report;
    const isOpen = status === "NEW" || status === "PARTIALLY_FILLED";
    if (!isOpen || this.#isOwn(orderId)) this.#reports.delete(orderId);
    else if (this.#reports.has(orderId) || this.#reports.size < MAX)
      this.#reports.set(orderId, report);
  }

  find(orderId: string): OrderReport | undefined {
    const id = orderId as OrderId;
    return this.#isOwn(id) ? undefined : this.#reports.get(id);
  }

  get open(): readonly OrderReport[] {
    return [...this.#reports.values()].filter(({ orderId }) => !this.#isOwn(orderId));
  }
}
