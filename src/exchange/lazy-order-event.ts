import type { Fixed } from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import type { OrderEventType, OrderStatus } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { BookedTrade } from "./booked-trade.ts";
import type { Order } from "./order.ts";
import type { BlockOrderEvent, OrderRecord, UserTrade } from "./records.ts";

/** The block that an event belongs to. */
export interface EventBlock {
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
}

/**
 * An ORDER event. It copies the fields of the order that may change later, and creates the records of order and fill when they are
 * read: most listeners only look at an event's account.
 */
export class LazyOrderEvent implements BlockOrderEvent {
  readonly eventType: OrderEventType;
  readonly account: Address;
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
  readonly #order: Order;
  readonly #status: OrderStatus;
  readonly #executedQty: Fixed;
  readonly #executedQuoteQty: Fixed;
  readonly #isTriggered: boolean;
  readonly #trade: BookedTrade | undefined;
  #record: OrderRecord | undefined = undefined;
  #fill: UserTrade | undefined = undefined;

  /** `trade` for TRADE only. */
  constructor(
    eventType: OrderEventType,
    order: Order,
    trade: BookedTrade | undefined,
    block: EventBlock,
  ) {
    this.eventType = eventType;
    this.account = order.account.address;
    this.blockNumber = block.blockNumber;
    this.timeMs = block.timeMs;
    this.txHash = block.txHash;
    this.#order = order;
    this.#status = order.status;
    this.#executedQty = order.executedQty;
    this.#executedQuoteQty = order.executedQuoteQty;
    this.#isTriggered = order.isTriggered;
    this.#trade = trade;
  }

  /** The order's state at the time of the event. */
  get order(): OrderRecord {
    this.#record ??= this.#order.record({
      status: this.#status,
      executedQty: this.#executedQty,
      executedQuoteQty: this.#executedQuoteQty,
      isTriggered: this.#isTriggered,
      updatedAtMs: this.timeMs,
    });
    return this.#record;
  }

  get fill(): UserTrade | undefined {
    this.#fill ??= this.#trade?.of(this.#order);
    return this.#fill;
  }
}
