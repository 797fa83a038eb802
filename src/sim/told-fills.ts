import type { Fill } from "../domain/order.ts";

/** Fills that were reported. A self-trade has one trade id on two orders. */
export class ToldFills {
  readonly #names = new Set<string>();

  /** Returns false when it was reported before. */
  add(fill: Pick<Fill, "orderId" | "tradeId">): boolean {
    if (this.has(fill)) return false;
    this.#names.add(nameOf(fill));
    return true;
  }

  has(fill: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#names.has(nameOf(fill));
  }
}

function nameOf({ orderId, tradeId }: Pick<Fill, "orderId" | "tradeId">): string {
  return `${orderId} ${tradeId}`;
}
