import type { HeldCancel } from "../control/guard-protocol.ts";
import type { OrderId } from "../domain/ids.ts";
import type { OpenOrder } from "../runtime/last-cancels.ts";
import type { SignedCommand } from "../spec/sign-command.ts";

/** Orders without a cancel that are remembered by id, the newest ones. */
const UNCOVERED_MAX = 10_000;

/** A signed cancel with its nonce. */
export interface HeldCommand extends SignedCommand {
  readonly nonce: number;
}

/** The signed cancels that a guard holds for a bot, in memory only. */
export class HeldCancels {
  /** The newest cancel of each order. */
  readonly #byOrder = new Map<OrderId, HeldCancel>();
  /** How many beats the bot has sent when the newest cancel of each order came. */
  readonly #renewedAt = new Map<OrderId, number>();
  readonly #uncovered = new Set<OrderId>();
  #beats = 0;

  get size(): number {
    return this.#byOrder.size;
  }

  /**
   * Orders for which no cancel is held and that the bot did not say have ended: it stopped renewing their cancels, or has signed none.
   * The venue's list tells whether they have ended.
   */
  get uncovered(): ReadonlySet<OrderId> {
    return this.#uncovered;
  }

  add(cancels: readonly HeldCancel[]): void {
    for (const cancel of cancels) {
      const orderId = cancel.orderId as OrderId;
      this.#byOrder.set(orderId, cancel);
      this.#renewedAt.set(orderId, this.#beats);
      this.#uncovered.delete(orderId);
    }
  }

  /** The bot has signed no cancel of these orders. A cancel of an earlier run is still good. */
  addUncovered(orderIds: readonly string[]): void {
    for (const orderId of orderIds) {
      if (!this.#byOrder.has(orderId as OrderId)) this.#uncovered.add(orderId as OrderId);
    }
    this.#forgetOldest();
  }

  remove(orderIds: readonly string[]): void {
    for (const orderId of orderIds) {
      this.#remove(orderId as OrderId);
      this.#uncovered.delete(orderId as OrderId);
    }
  }

  /**
   * The bot has shown that it works. Removes the orders whose cancels it has not renewed for more than `most` of its beats: they are probably
   * no longer its own. Nonces say nothing about that, since the venue's clock may have been set.
   */
  beat(most: number): void {
    this.#beats += 1;
    for (const [orderId, renewedAt] of this.#renewedAt) {
      if (this.#beats - renewedAt <= most) continue;
      this.#remove(orderId);
      this.#uncovered.add(orderId);
    }
    this.#forgetOldest();
  }

  clear(): void {
    this.#byOrder.clear();
    this.#renewedAt.clear();
    this.#uncovered.clear();
  }

  #forgetOldest(): void {
    for (const oldest of this.#uncovered) {
      if (this.#uncovered.size <= UNCOVERED_MAX) return;
      this.#uncovered.delete(oldest);
    }
  }

  #remove(orderId: OrderId): void {
    this.#byOrder.delete(orderId);
    this.#renewedAt.delete(orderId);
  }

  /** The orders with what the bot last said of them, oldest first. */
  orders(): readonly OpenOrder[] {
    return [...this.#byOrder].map(([orderId, { orderNonce: nonce, isAcknowledged }]) => ({
      orderId,
      nonce,
      isAcknowledged,
    }));
  }

  cancelOf(orderId: OrderId): HeldCommand | undefined {
    const held = this.#byOrder.get(orderId);
    if (held === undefined) return undefined;
    const { bytesHex, txHash, nonce } = held;
    return { bytesHex, txHash: txHash as OrderId, nonce };
  }
}
