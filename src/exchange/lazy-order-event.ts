import type { Fixed } from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import type { OrderEventType, OrderStatus } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { BookedTrade } from "./booked-trade.ts";
import type { Order } from "./order.ts";
import type { BlockOrderEvent, OrderRecord, UserTrade } from "./records.ts";

/** The block that an event is of. */
export interface EventBlock {
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
}

/**
 * An ORDER event. It notes what may change of the order later; the records of order and fill are made when they are asked
 * for: of most events nobody wants to know more than whose they are.
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

  /** The order as it stood. */
  get order(): OrderRecord {
    this.#record ??= {
      ...this.#order.record(),
      status: this.#status,
      executedQty: this.#executedQty,
      executedQuoteQty: this.#executedQuoteQty,
      isTriggered: this.#isTriggered,
      updatedAtMs: this.timeMs,
    };
    return this.#record;
  }

  get fill(): UserTrade | undefined {
    this.#fill ??= this.#trade?.of(this.#order);
    return this.#fill;
  }
}
