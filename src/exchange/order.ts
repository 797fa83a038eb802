import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { OrderMode, OrderStatus, OrderType, OtoLegType } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { TpslRequest } from "./command.ts";
import type { ExactPrice } from "./exact-price.ts";
import { flat, unflat } from "./snapshot.ts";
import type { OrderRecord } from "./records.ts";
import type { TriggerCondition } from "./trigger.ts";

/** Everything a new order starts with. */
export interface OrderInit {
  readonly recordId: number;
  /** Undefined for recorded liquidity, whose id is derived only when a trade needs it. */
  readonly orderId: OrderId | undefined;
  /** The transaction that created the order, where its hash is not the order's id: the legs of a take-profit/stop-loss order. */
  readonly txHash?: OrderId | undefined;
  readonly account: Account;
  readonly market: Market;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly orderMode: OrderMode;
  /** 0 for a market order. */
  readonly price: Fixed;
  /** In quote token when `orderMode` is 1. */
  readonly quantity: Fixed;
  readonly timeMs: UnixMs;
  readonly trigger?: TriggerCondition | undefined;
  readonly legType?: OtoLegType | undefined;
}

/** What changes of an order while it lives. */
export type OrderMoment = Pick<
  OrderRecord,
  "status" | "executedQty" | "executedQuoteQty" | "isTriggered" | "updatedAtMs"
>;

/** An order of the exchange. While it rests it is a link in its level's queue. */
export class Order {
  readonly recordId: number;
  readonly givenId: OrderId | undefined;
  readonly givenTxHash: OrderId | undefined;
  readonly account: Account;
  readonly market: Market;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly orderMode: OrderMode;
  readonly price: Fixed;
  /** The quantity of a leg is set when it is placed (D25). */
  quantity: Fixed;
  readonly timeMs: UnixMs;
  readonly legType: OtoLegType;
  status: OrderStatus = "NEW";
  updatedAtMs: UnixMs;
  executedQty: Fixed = ZERO;
  executedQuoteQty: Fixed = ZERO;
  /** What may still trade, in base token, or in quote token in quote mode. */
  remaining: Fixed;
  /** For a resting limit buy, the remaining quantity at its own price, which is locked in quote token. 0 for legs and recorded liquidity. */
  worth: Fixed = ZERO;
  /** For a fired stop market order, the amount it may still spend (D24). */
  budget: Fixed | undefined = undefined;
  /** For stop orders. */
  trigger: TriggerCondition | undefined;
  /** For a take-profit/stop-loss order and its legs, until they end. */
  bracket: ExchangeBracket | undefined = undefined;
  level: ExchangeLevel | undefined = undefined;
  /** Recorded quantity in front of it at its price; undefined until it rests in a market with recorded liquidity. */
  front: number | undefined = undefined;
  previous: Order | undefined = undefined;
  next: Order | undefined = undefined;
  /** True while the order is in its account's list of open orders, linked to its neighbours there. */
  isOpen = false;
  older: Order | undefined = undefined;
  newer: Order | undefined = undefined;

  constructor(terms: OrderInit) {
    this.recordId = terms.recordId;
    this.givenId = terms.orderId;
    this.givenTxHash = terms.txHash;
    this.account = terms.account;
    this.market = terms.market;
    this.side = terms.side;
    this.orderType = terms.orderType;
    this.orderMode = terms.orderMode;
    this.price = terms.price;
    this.quantity = terms.quantity;
    this.timeMs = terms.timeMs;
    this.legType = terms.legType ?? "NONE";
    this.updatedAtMs = terms.timeMs;
    this.remaining = terms.quantity;
    this.trigger = terms.trigger;
  }

  get orderId(): OrderId {
    return this.givenId ?? syntheticHash("order", this.recordId);
  }

  /** True for the two legs of a take-profit/stop-loss order, which share one lock. */
  get isLeg(): boolean {
    return this.legType === "TP_LEG" || this.legType === "SL_LEG";
  }

  get isTriggered(): boolean {
    return this.trigger?.state === "fired";
  }

  /** A copy of the order's state, by default the current one. */
  record(at: OrderMoment = this): OrderRecord {
    const inQuote = this.orderMode === 1;
    const { orderId, trigger, legType } = this;
    return {
      recordId: this.recordId,
      orderId,
      account: this.account.address,
      marketId: this.market.marketId,
      side: this.side,
      orderType: this.orderType,
      orderMode: this.orderMode,
      price: this.price,
      origQty: inQuote ? ZERO : this.quantity,
      origQuoteOrderQty: inQuote ? this.quantity : ZERO,
      isTrigger: trigger !== undefined,
      isTriggered: at.isTriggered,
      triggerPrice: trigger?.price ?? ZERO,
      contingencyType: legType === "NONE" ? "NONE" : legType === "WORKING_LEG" ? "OTO" : "OCO",
      otoLegType: legType,
      txHash: this.givenTxHash ?? orderId,
      executedQty: at.executedQty,
      executedQuoteQty: at.executedQuoteQty,
      status: at.status,
      createdAtMs: this.timeMs,
      updatedAtMs: at.updatedAtMs,
    };
  }
}

/** Whether the remainder of such an order rests in the book. */
export function isLimit(orderType: OrderType): boolean {
  return (
    orderType === "LIMIT" || orderType === "STOP_LOSS_LIMIT" || orderType === "TAKE_PROFIT_LIMIT"
  );
}

/** The token that an order pays with. */
export function givenToken({ side, market }: Order): TokenId {
  return side === "BUY" ? market.quoteToken : market.baseToken;
}

/**
 * The fields of an order that a snapshot saves with it; its place in the book and its bracket are saved elsewhere. Field by field: snapshots
 * have hundreds of thousands of orders, and deleting fields from a copy takes five times as long.
 */
function stateOf(order: Order) {
  return {
    recordId: order.recordId,
    givenId: order.givenId,
    givenTxHash: order.givenTxHash,
    side: order.side,
    orderType: order.orderType,
    orderMode: order.orderMode,
    price: order.price,
    quantity: order.quantity,
    timeMs: order.timeMs,
    legType: order.legType,
    status: order.status,
    updatedAtMs: order.updatedAtMs,
    executedQty: order.executedQty,
    executedQuoteQty: order.executedQuoteQty,
    remaining: order.remaining,
    budget: order.budget,
    front: order.front,
  };
}

type OrderState = ReturnType<typeof stateOf>;

/** What a row of a snapshot says of an order. */
export interface OrderImage {
  readonly account: Address;
  readonly marketId: MarketId;
  readonly state: OrderState;
  readonly trigger: TriggerCondition | undefined;
}

/** Copies what may change of an open order, which is much quicker than making its row. */
export function imageOf(order: Order): OrderImage {
  const { account, market, trigger } = order;
  return {
    account: account.address,
    marketId: market.marketId,
    state: stateOf(order),
    trigger: trigger && { ...trigger },
  };
}

export function rowOfImage({ account, marketId, state, trigger }: OrderImage): SavedOrder {
  return [account, marketId, flat(state), trigger && flat(trigger)];
}

/** An order as a row of a snapshot. */
export function orderRow(order: Order): SavedOrder {
  return rowOfImage(imageOf(order));
}

export type SavedOrder = readonly [
  account: Address,
  marketId: MarketId,
  state: unknown,
  trigger?: unknown,
];

/** The order of a row; it does not rest in the book yet. */
export function orderOfRow(
  [, , row, trigger]: SavedOrder,
  account: Account,
  market: Market,
): Order {
  const state = unflat<OrderState>(row);
  // Recorded liquidity has no id, so its row has none.
  const { givenId: orderId, givenTxHash: txHash } = state;
  const order = new Order({ ...state, orderId, txHash, account, market });
  Object.assign(order, state);
  if (trigger !== undefined && trigger !== null) order.trigger = unflat<TriggerCondition>(trigger);
  return order;
}

/** A limit order with the two legs that are placed when it is filled (D25). */
export interface ExchangeBracket {
  readonly request: TpslRequest;
  /** Undefined once the legs are placed. */
  working: Order | undefined;
  readonly takeProfit: Order;
  readonly stopLoss: Order;
  /** Base that the working leg received net of fees, or sold. */
  base: Fixed;
  /** The amount locked for both placed legs. */
  locked: Fixed;
  /** True while one leg trades as the incoming order and the lock is released. */
  isEntering: boolean;
}

/** All orders resting at one price, first in, first out. */
export class ExchangeLevel {
  readonly exact: ExactPrice;
  readonly price: number;
  /** Sum of the remaining quantities of its orders. */
  quantity: Fixed = ZERO;
  /** True while the open block has changed it. */
  isTouched = false;
  head: Order | undefined = undefined;
  tail: Order | undefined = undefined;

  constructor(exact: ExactPrice) {
    this.exact = exact;
    this.price = exact.number;
  }

  append(order: Order): void {
    order.level = this;
    order.previous = this.tail;
    if (this.tail === undefined) this.head = order;
    else this.tail.next = order;
    this.tail = order;
    this.add(order.remaining);
  }

  unlink(order: Order): void {
    if (order.previous === undefined) this.head = order.next;
    else order.previous.next = order.next;
    if (order.next === undefined) this.tail = order.previous;
    else order.next.previous = order.previous;
    order.previous = undefined;
    order.next = undefined;
    order.level = undefined;
    this.add(-order.remaining as Fixed);
  }

  /** Applies a change of the remaining quantity of one of its orders. */
  add(change: Fixed): void {
    this.quantity = (this.quantity + change) as Fixed;
  }
}

const hashKinds = { order: "f10e", block: "b10c", layer1: "1a1e", print: "f10d" } as const;

/**
 * A hash for records without a transaction: recorded orders and trades, flow blocks, deposits, executions on layer 1. The same number always
 * gives the same hash, and no keccak hash starts with as many zeros. The last byte stays free for legs (§4.4).
 */
export function syntheticHash(kind: keyof typeof hashKinds, number: number): OrderId {
  return `0x${hashKinds[kind].padStart(24, "0")}${number.toString(16).padStart(38, "0")}00` as OrderId;
}
