import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { OrderMode, OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import { flat, unflat } from "./image.ts";
import type { OrderRecord } from "./records.ts";

/** What an order is made from; it never changes. */
export interface OrderTerms {
  readonly recordId: number;
  /** Undefined for recorded liquidity, whose id is made only when a trade has to name it. */
  readonly orderId: OrderId | undefined;
  readonly account: Account;
  readonly market: Market;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** 0 for a market order. */
  readonly price: Fixed;
  /** In quote token when `orderMode` is 1. */
  readonly quantity: Fixed;
  readonly timeMs: UnixMs;
}

/** An order of the exchange, from its admission to its end. While it rests it is a link in its level's queue. */
export class Order {
  readonly terms: OrderTerms;
  status: OrderStatus = "NEW";
  updatedAtMs: UnixMs;
  executedQty: Fixed = ZERO;
  executedQuoteQty: Fixed = ZERO;
  /** What may still trade: base token, in quote mode quote token. */
  remaining: Fixed;
  level: Level | undefined = undefined;
  previous: Order | undefined = undefined;
  next: Order | undefined = undefined;

  constructor(terms: OrderTerms) {
    this.terms = terms;
    this.updatedAtMs = terms.timeMs;
    this.remaining = terms.quantity;
  }

  get orderId(): OrderId {
    return this.terms.orderId ?? syntheticHash("order", this.terms.recordId);
  }

  /** The order as it stands, a copy. */
  record(): OrderRecord {
    const { terms } = this;
    const inQuote = terms.orderMode === 1;
    return {
      recordId: terms.recordId,
      orderId: this.orderId,
      account: terms.account.address,
      marketId: terms.market.marketId,
      side: terms.side,
      orderType: terms.orderType,
      orderMode: terms.orderMode,
      price: terms.price,
      origQty: inQuote ? ZERO : terms.quantity,
      origQuoteOrderQty: inQuote ? terms.quantity : ZERO,
      executedQty: this.executedQty,
      executedQuoteQty: this.executedQuoteQty,
      status: this.status,
      createdAtMs: terms.timeMs,
      updatedAtMs: this.updatedAtMs,
    };
  }
}

/** An order as a row of an image; where it rests is said elsewhere. */
export function orderRow(order: Order): OrderRow {
  const { account, market, ...terms } = order.terms;
  const { terms: _terms, level: _level, previous: _previous, next: _next, ...state } = order;
  return [account.address, market.marketId, flat(terms), flat(state)];
}

export type OrderRow = readonly [
  account: Address,
  marketId: MarketId,
  terms: unknown,
  state: unknown,
];

/** The order of a row, resting nowhere yet. */
export function orderOfRow([, , terms, state]: OrderRow, account: Account, market: Market): Order {
  // Recorded liquidity has no id, and so none in its row.
  const order = new Order({
    ...unflat<Omit<OrderTerms, "account" | "market">>(terms),
    account,
    market,
  });
  Object.assign(order, unflat(state));
  return order;
}

/** All orders resting at one price, first in, first out. */
export class Level {
  readonly price: number;
  /** The price in units of 10^-8. */
  readonly units: bigint;
  /** Sum of what its orders may still trade. */
  quantity: Fixed = ZERO;
  /** The part of it that belongs to recorded liquidity (D35). */
  flowQuantity: Fixed = ZERO;
  /** True while a block that changed it is being built. */
  isTouched = false;
  head: Order | undefined = undefined;
  tail: Order | undefined = undefined;

  constructor(price: number, units: bigint) {
    this.price = price;
    this.units = units;
  }

  append(order: Order): void {
    order.level = this;
    order.previous = this.tail;
    if (this.tail === undefined) this.head = order;
    else this.tail.next = order;
    this.tail = order;
    this.add(order, order.remaining);
  }

  unlink(order: Order): void {
    if (order.previous === undefined) this.head = order.next;
    else order.previous.next = order.next;
    if (order.next === undefined) this.tail = order.previous;
    else order.next.previous = order.previous;
    order.previous = undefined;
    order.next = undefined;
    order.level = undefined;
    this.add(order, -order.remaining as Fixed);
  }

  /** Counts a change of an order's remaining quantity. */
  add(order: Order, change: Fixed): void {
    this.quantity = (this.quantity + change) as Fixed;
    if (order.terms.account.isFlow) this.flowQuantity = (this.flowQuantity + change) as Fixed;
  }
}

const hashKinds = { order: "f10e", block: "b10c", layer1: "1a1e" } as const;

/**
 * A hash for what no transaction made: recorded orders, flow blocks, deposits, executions on layer 1. It has the form of one and the same number
 * always gives the same text; no keccak image starts with so many zeros.
 */
export function syntheticHash(kind: keyof typeof hashKinds, number: number): OrderId {
  return `0x${hashKinds[kind].padStart(24, "0")}${number.toString(16).padStart(40, "0")}` as OrderId;
}
