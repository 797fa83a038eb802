import { TouchlineError } from "../base/error.ts";
import { isCommand } from "../domain/command.ts";
import { addFixed, fixed, fixedText, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { CarriedItem, LastEntry, LostSpan, Restored, RestoredOrder } from "../kernel/input.ts";
import { carriedKey } from "../orders/carried.ts";
import type { BatchEntry, CrashEntry } from "./entry.ts";
import { placedOrders } from "./placed-orders.ts";

interface OpenOrder {
  readonly saved: RestoredOrder;
  /** Sum of the booked fills. */
  executed: Fixed;
  readonly tradeIds: Set<string>;
}

/**
 * The open orders and the highest nonce of a journal, and what the kernel published for the next run. It keeps what the kernel said: an order
 * is open from its signing until the kernel names it as ended, which it does once all of its fills are booked and, for a refused one, a list does not show it. A running bot writes
 * checkpoints from the ledger, and a restart finds its orders with it; it lists the venue's open orders anyway.
 */
export class OrderLedger {
  /** The newest item of each key (`carriedKey`), as the kernel published it or a person set it. */
  readonly #carried = new Map<string, CarriedItem>();
  readonly #open = new Map<OrderId, OpenOrder>();
  #nonceHighWater = 0;
  #lastEntry: LastEntry | undefined;
  /** Of an earlier run, until a list of open orders has shown its orders to the kernel. */
  #lost: LostSpan | undefined;

  constructor(restored: Restored = { nonceHighWater: 0, orders: [], carried: [] }) {
    this.#restore(restored);
    this.#lastEntry = restored.lastEntry;
  }

  get nonceHighWater(): number {
    return this.#nonceHighWater;
  }

  apply({ batch, effects, signed, ended, booked, carried = [] }: BatchEntry): void {
    const { nowMs } = batch;
    for (const input of batch.inputs) {
      if (input.type === "restored") this.#restore(input.restored);
      if (input.type === "openOrders") this.#lost = undefined;
      if (input.type !== "venueTime") continue;
      const { offsetMs } = input;
      this.#lastEntry = { isOpen: false, ...this.#lastEntry, nowMs, offsetMs };
    }
    if (this.#lastEntry !== undefined) this.#lastEntry = { ...this.#lastEntry, nowMs };
    if (effects.length > 0) {
      for (const saved of placedOrders({ effects, signed })) {
        this.#open.set(saved.orderId, openOrder(saved));
        if (this.#lastEntry !== undefined) this.#lastEntry = { ...this.#lastEntry, isOpen: true };
      }
      for (const effect of effects) {
        if (isCommand(effect) || effect.type === "standby") this.#raiseNonce(effect.nonce);
      }
    }
    for (const { orderId, tradeId, quantity } of booked) {
      const order = this.#open.get(orderId);
      if (order === undefined || order.tradeIds.has(tradeId)) continue;
      order.tradeIds.add(tradeId);
      order.executed = addFixed(order.executed, quantity);
    }
    for (const orderId of ended) this.#open.delete(orderId);
    this.carry(carried);
  }

  /** Replaces what the next run has to know besides orders, item by item. */
  carry(items: readonly CarriedItem[]): void {
    for (const item of items) this.#carried.set(carriedKey(item), item);
  }

  crashed(crash: CrashEntry): void {
    this.#raiseNonce(crash.nonceHighWater);
  }

  /** The run ended cleanly: the journal has all of its orders. */
  ended(): void {
    if (this.#lastEntry !== undefined) this.#lastEntry = { ...this.#lastEntry, isOpen: false };
  }

  /** The orders whose end is not known, oldest first. */
  open(): readonly Pick<RestoredOrder, "orderId" | "nonce">[] {
    return [...this.#open.values()].map(({ saved: { orderId, nonce } }) => ({ orderId, nonce }));
  }

  /** The open orders as plain data, oldest first, and the highest nonce. */
  restored(): Restored {
    const orders = [...this.#open.values()].map(({ saved, executed, tradeIds }) => ({
      ...saved,
      executed: fixedText(executed),
      tradeIds: [...tradeIds],
    }));
    return {
      nonceHighWater: this.#nonceHighWater,
      orders,
      carried: [...this.#carried.values()],
      ...(this.#lastEntry === undefined ? {} : { lastEntry: this.#lastEntry }),
      ...(this.#lost === undefined ? {} : { lost: this.#lost }),
    };
  }

  #restore({ orders, carried, nonceHighWater, lost }: Restored): void {
    this.#lost = lost;
    for (const saved of orders) {
      if (!this.#open.has(saved.orderId)) this.#open.set(saved.orderId, openOrder(saved));
    }
    this.carry(carried);
    this.#raiseNonce(nonceHighWater);
  }

  /** One wrong number would make every later nonce wrong. */
  #raiseNonce(nonce: number): void {
    if (!Number.isSafeInteger(nonce)) {
      throw new TouchlineError("JOURNAL_DAMAGED", `A nonce in the journal is ${nonce}.`);
    }
    this.#nonceHighWater = Math.max(this.#nonceHighWater, nonce);
  }
}

function openOrder(saved: RestoredOrder): OpenOrder {
  return { saved, executed: fixed(saved.executed), tradeIds: new Set(saved.tradeIds) };
}
