import type { HeldCancel } from "../control/guard-protocol.ts";
import type { OrderId } from "../domain/ids.ts";
import type { CancelSource, OpenOrder } from "../runtime/last-cancels.ts";

/** Cancels kept of each order: the newest, and earlier ones in case the venue refuses its nonce. */
const KEPT = 3;
/** Forgotten orders that are remembered by id, the newest ones. */
const FORGOTTEN_MAX = 10_000;

/** The signed cancels that a guard holds for a bot, in memory only. */
export class HeldCancels {
  /** Newest cancel first. */
  readonly #byOrder = new Map<OrderId, HeldCancel[]>();
  /** How many beats the bot has sent when the newest cancel of each order came. */
  readonly #renewedAt = new Map<OrderId, number>();
  readonly #forgotten = new Set<OrderId>();
  #beats = 0;

  get size(): number {
    return this.#byOrder.size;
  }

  /** Orders whose cancels the bot did not renew any more without saying that they have ended: the venue's list tells whether they have. */
  get forgotten(): ReadonlySet<OrderId> {
    return this.#forgotten;
  }

  add(cancels: readonly HeldCancel[]): void {
    for (const cancel of cancels) {
      const orderId = cancel.orderId as OrderId;
      const earlier = this.#byOrder.get(orderId) ?? [];
      this.#byOrder.set(orderId, [cancel, ...earlier].slice(0, KEPT));
      this.#renewedAt.set(orderId, this.#beats);
      this.#forgotten.delete(orderId);
    }
  }

  remove(orderIds: readonly string[]): void {
    for (const orderId of orderIds) {
      this.#remove(orderId as OrderId);
      this.#forgotten.delete(orderId as OrderId);
    }
  }

  /**
   * The bot has shown that it works. Removes the orders whose cancels it has not renewed for more than `most` of its beats: they are
   * hardly its own any more. Nonces say nothing about that, since the venue's clock may have been set.
   */
  beat(most: number): void {
    this.#beats += 1;
    for (const [orderId, renewedAt] of this.#renewedAt) {
      if (this.#beats - renewedAt <= most) continue;
      this.#remove(orderId);
      this.#forgotten.add(orderId);
    }
    for (const oldest of this.#forgotten) {
      if (this.#forgotten.size <= FORGOTTEN_MAX) return;
      this.#forgotten.delete(oldest);
    }
  }

  clear(): void {
    this.#byOrder.clear();
    this.#renewedAt.clear();
    this.#forgotten.clear();
  }

  #remove(orderId: OrderId): void {
    this.#byOrder.delete(orderId);
    this.#renewedAt.delete(orderId);
  }

  /** The orders with what the bot last said of them, oldest first. */
  orders(): readonly OpenOrder[] {
    return [...this.#byOrder].flatMap(([orderId, [newest]]) =>
      newest === undefined
        ? []
        : [{ orderId, nonce: newest.orderNonce, isAcknowledged: newest.isAcknowledged }],
    );
  }

  /** The cancels to send. `isExpired`: whether the venue refuses a nonce by now. The newest comes first, after a refusal the next. */
  source(isExpired: (nonce: number) => boolean): CancelSource {
    return {
      next: (orderId) =>
        this.#byOrder
          .get(orderId)
          ?.map(signedOf)
          .find(({ nonce }) => !isExpired(nonce)),
      refused: (orderIds) => {
        for (const orderId of orderIds) {
          const [first, ...others] = this.#byOrder.get(orderId) ?? [];
          if (first !== undefined) this.#byOrder.set(orderId, [...others, first]);
        }
      },
    };
  }
}

function signedOf({ bytesHex, txHash, nonce }: HeldCancel) {
  return { bytesHex, txHash: txHash as OrderId, nonce };
}
