import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import type { Fill } from "../domain/order.ts";
import { ToldFills } from "./told-fills.ts";

/**
 * Orders that a power cut took from the journal, in all markets: they left the bot, and the journal of the run after the cut does not name
 * them. What they filled before a later run finds them is known to the venue only (docs/decisions/019).
 */
export class LostOrders {
  /** Hashes of all commands that left the bot and make an order. */
  readonly #sent = new Set<OrderId>();
  readonly #hashes = new Set<OrderId>();
  /** The orders and legs of `hashes`. */
  readonly #orders = new Set<OrderId>();
  /** Those of them that no later run has found. */
  readonly #unfound = new Set<OrderId>();
  /** Fills of them that a later run reported. */
  readonly #told = new Map<OrderId, ToldFills>();
  /** Those that the newest run has found, by listing the venue's orders. */
  readonly #foundInRun = new Set<OrderId>();
  #isCut = false;

  /** Hashes of the commands that were lost. */
  get hashes(): ReadonlySet<OrderId> {
    return this.#hashes;
  }

  sent(hash: OrderId): void {
    this.#sent.add(hash);
  }

  /** A power cut may have taken orders from the journal. */
  cut(): void {
    this.#isCut = true;
  }

  /** A run starts, whose journal is what a cut has left. */
  runStarts(isInJournal: (orderId: OrderId) => boolean): void {
    this.#foundInRun.clear();
    if (!this.#isCut) return;
    this.#isCut = false;
    for (const hash of this.#sent) {
      if (isInJournal(hash)) continue;
      this.#hashes.add(hash);
      const { takeProfit, stopLoss } = legIdsOf(hash);
      for (const orderId of [hash, takeProfit, stopLoss]) {
        this.#orders.add(orderId);
        if (isInJournal(orderId)) continue;
        this.#unfound.add(orderId);
        this.#told.delete(orderId);
      }
    }
  }

  /** A run knows this order from its journal. */
  restored(orderId: OrderId): void {
    this.#unfound.delete(orderId);
  }

  /** A run tells that it knows this order. */
  found(orderId: OrderId): void {
    if (this.#unfound.delete(orderId)) this.#foundInRun.add(orderId);
  }

  told(fill: Fill): void {
    if (!this.#orders.has(fill.orderId)) return;
    const told = this.#told.get(fill.orderId) ?? new ToldFills();
    told.add(fill);
    this.#told.set(fill.orderId, told);
  }

  /** Whether this order was lost, although a later run may have found it. */
  has(orderId: OrderId): boolean {
    return this.#orders.has(orderId);
  }

  /** Whether the bot cannot know this order yet. */
  isUnfound(orderId: OrderId): boolean {
    return this.#unfound.has(orderId);
  }

  /** Whether the newest run has found this order, so that it has to read all its fills. */
  wasFoundInRun(orderId: OrderId): boolean {
    return this.#foundInRun.has(orderId);
  }

  /** Whether the bot cannot know this fill. */
  hides(trade: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#orders.has(trade.orderId) && this.#told.get(trade.orderId)?.has(trade) !== true;
  }
}
