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

/** What an order is made from. */
export interface OrderInit {
  readonly recordId: number;
  /** Undefined for recorded liquidity, whose id is made only when a trade has to name it. */
  readonly orderId: OrderId | undefined;
  /** The transaction that made it, where that is not its id: of the legs of a take-profit/stop-loss order. */
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

/** An order of the exchange, from its admission to its end. While it rests it is a link in its level's queue. */
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
  /** A leg gets its own when it is placed (D25). */
  quantity: Fixed;
  readonly timeMs: UnixMs;
  readonly legType: OtoLegType;
  status: OrderStatus = "NEW";
  updatedAtMs: UnixMs;
  executedQty: Fixed = ZERO;
  executedQuoteQty: Fixed = ZERO;
  /** What may still trade: base token, in quote mode quote token. */
  remaining: Fixed;
  /** Of a limit buy that rests: what remains at its own price, locked in quote token. 0 for legs and recorded liquidity. */
  worth: Fixed = ZERO;
  /** Of a fired stop market order: what it may still give (D24). */
  budget: Fixed | undefined = undefined;
  /** Of a stop order. */
  trigger: TriggerCondition | undefined;
  /** Of a take-profit/stop-loss order and its legs, until they are over. */
  bracket: ExchangeBracket | undefined = undefined;
  level: ExchangeLevel | undefined = undefined;
  previous: Order | undefined = undefined;
  next: Order | undefined = undefined;
  /** True while it is among its account's open orders, with its neighbours there. */
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

  /** True for the two legs that a take-profit/stop-loss order brings along: they share one lock. */
  get isLeg(): boolean {
    return this.legType === "TP_LEG" || this.legType === "SL_LEG";
  }

  get isTriggered(): boolean {
    return this.trigger?.state === "fired";
  }

  /** The order as it stands, a copy. */
  record(): OrderRecord {
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
      isTriggered: this.isTriggered,
      triggerPrice: trigger?.price ?? ZERO,
      contingencyType: legType === "NONE" ? "NONE" : legType === "WORKING_LEG" ? "OTO" : "OCO",
      otoLegType: legType,
      txHash: this.givenTxHash ?? orderId,
      executedQty: this.executedQty,
      executedQuoteQty: this.executedQuoteQty,
      status: this.status,
      createdAtMs: this.timeMs,
      updatedAtMs: this.updatedAtMs,
    };
  }
}

/** Limit orders rest, whatever made them; the others take what there is. */
export function isLimit(orderType: OrderType): boolean {
  return (
    orderType === "LIMIT" || orderType === "STOP_LOSS_LIMIT" || orderType === "TAKE_PROFIT_LIMIT"
  );
}

/** The token an order gives. */
export function givenToken({ side, market }: Order): TokenId {
  return side === "BUY" ? market.quoteToken : market.baseToken;
}

/** What an image keeps of an order by itself; where it rests and what it is tied to is said elsewhere. */
type OrderState = Omit<
  Order,
  | "account"
  | "market"
  | "trigger"
  | "bracket"
  | "worth"
  | "level"
  | "previous"
  | "next"
  | "isOpen"
  | "older"
  | "newer"
  | "orderId"
  | "isLeg"
  | "isTriggered"
  | "record"
>;

/** An order as a row of an image. */
export function orderRow(order: Order): SavedOrder {
  // Field by field: images have hundreds of thousands of these, and taking fields away from a copy costs five times as much.
  const state: OrderState = {
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
  };
  const { account, market, trigger } = order;
  return [account.address, market.marketId, flat(state), trigger && flat(trigger)];
}

export type SavedOrder = readonly [
  account: Address,
  marketId: MarketId,
  state: unknown,
  trigger?: unknown,
];

/** The order of a row, resting nowhere yet. */
export function orderOfRow(
  [, , row, trigger]: SavedOrder,
  account: Account,
  market: Market,
): Order {
  const state = unflat<OrderState>(row);
  // Recorded liquidity has no id, and so none in its row.
  const { givenId: orderId, givenTxHash: txHash } = state;
  const order = new Order({ ...state, orderId, txHash, account, market });
  Object.assign(order, state);
  if (trigger !== undefined && trigger !== null) order.trigger = unflat<TriggerCondition>(trigger);
  return order;
}

/** A limit order with the two legs that are placed when it is filled (D25). */
export interface ExchangeBracket {
  readonly request: TpslRequest;
  /** Undefined from when the legs are placed. */
  working: Order | undefined;
  readonly takeProfit: Order;
  readonly stopLoss: Order;
  /** Base that the working leg received net of fee, or gave. */
  base: Fixed;
  /** What is locked for the placed legs together. */
  locked: Fixed;
  /** True while one of them trades as the incoming order, with the lock set free. */
  isEntering: boolean;
}

/** All orders resting at one price, first in, first out. */
export class ExchangeLevel {
  readonly exact: ExactPrice;
  readonly price: number;
  /** Sum of what its orders may still trade. */
  quantity: Fixed = ZERO;
  /** The part of it that belongs to recorded liquidity (D35). */
  flowQuantity: Fixed = ZERO;
  /** True while a block that changed it is being built. */
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
    if (order.account.isFlow) this.flowQuantity = (this.flowQuantity + change) as Fixed;
  }
}

const hashKinds = { order: "f10e", block: "b10c", layer1: "1a1e" } as const;

/**
 * A hash for what no transaction made: recorded orders, flow blocks, deposits, executions on layer 1. It has the form of one and the same number
 * always gives the same text; no keccak image starts with so many zeros. The last byte is free for legs (§4.4).
 */
export function syntheticHash(kind: keyof typeof hashKinds, number: number): OrderId {
  return `0x${hashKinds[kind].padStart(24, "0")}${number.toString(16).padStart(38, "0")}00` as OrderId;
}
