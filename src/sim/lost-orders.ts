import type { OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import { FillLedger } from "../orders/fill-ledger.ts";

/** Orders that a power cut took from the journal. Their fills of that time are known to the venue only (docs/decisions/019). */
export class LostOrders {
  readonly #orders = new Set<OrderId>();
  /** Fills of them of which a later run was told. */
  readonly #found = new FillLedger();

  /** A run starts after a power cut with a journal whose highest nonce is `nonceHighWater`; `nonces`: of all orders so far. */
  runStarts(nonceHighWater: number, nonces: ReadonlyMap<OrderId, number>): void {
    for (const [orderId, nonce] of nonces) if (nonce > nonceHighWater) this.#orders.add(orderId);
  }

  told({ orderId, tradeId }: Fill): void {
    if (this.#orders.has(orderId)) this.#found.add(orderId, tradeId);
  }

  /** Whether the bot cannot know this fill. */
  hides({ orderId, tradeId }: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#orders.has(orderId) && !this.#found.has(orderId, tradeId);
  }
}
