import { assert } from "../base/assert.ts";
import { divUp, fixedText, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import type { OrderType } from "../domain/order.ts";
import { opposite } from "../domain/side.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { OrderTerms, TpslRequest } from "./command.ts";
import type { Ledger } from "./ledger.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { fitsLedger, priceUnits } from "./notional.ts";
import { givenToken, isLimit, Order } from "./order.ts";
import { enterMarket } from "./enter-market.ts";
import type { OrderIndex } from "./order-index.ts";
import type { RecordIds } from "./record-ids.ts";
import { ruleProblem, tpslProblem } from "./order-rules.ts";
import type { Firing, TriggerCondition } from "./trigger.ts";

/** A new order of any kind, as its account sent it or as a replacement takes it over. */
export interface OrderRequest extends OrderTerms {
  /** Makes it a stop order (D24). */
  readonly stopPrice?: Fixed | undefined;
  /** Take profit and stop loss; for plain limit orders only (D25). */
  readonly tpsl?: TpslRequest | undefined;
}

/** What a replacement keeps from the stop order that it replaces (D23). */
export interface CarriedStop {
  readonly orderType: OrderType;
  readonly fires: Firing;
  readonly isFired: boolean;
}

/** The parts of an exchange that admission uses. */
export interface AdmissionParts {
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly index: OrderIndex;
  readonly matching: Matching;
  readonly recordIds: RecordIds;
}

/** A new order's identity, and which rules apply to it. */
export interface AdmissionTerms {
  readonly recordId: number;
  readonly orderId: OrderId;
  readonly carried: CarriedStop | undefined;
  /** It replaces an order that the same action has canceled, so it needs no further room among the account's open orders. */
  readonly isReplacement: boolean;
}

/** Decimals of the base amount that a stop order locks when its quantity is in quote token (D24). */
const STOP_DECIMALS = 8;

/** Admits orders inside an open block. An order that breaks a rule or lacks funds becomes REJECTED (D12); the others enter the market. */
export class Admission {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  readonly #recordIds: RecordIds;

  constructor({ ledger, blocks, index, matching, recordIds }: AdmissionParts) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#index = index;
    this.#matching = matching;
    this.#recordIds = recordIds;
  }

  /** Creates the order. Returns the reason when it is REJECTED. */
  admit(
    state: ExchangeMarket,
    account: Account,
    request: OrderRequest,
    terms: AdmissionTerms,
  ): string | undefined {
    assert(request.quantity > 0n && fitsLedger(request.quantity), "a quantity of 1e-18 or more");
    const { tpsl } = request;
    const trigger = triggerOf(state, request, terms.carried);
    const order = new Order({
      recordId: terms.recordId,
      orderId: terms.orderId,
      account,
      market: state.market,
      side: request.side,
      orderType: orderTypeOf(request, trigger, terms.carried),
      orderMode: request.orderMode,
      price: request.price,
      quantity: request.quantity,
      timeMs: this.#blocks.timeMs,
      trigger,
      legType: tpsl === undefined ? "NONE" : "WORKING_LEG",
    });
    const problem = this.#problem(state, order, request, terms);
    if (problem !== undefined) {
      order.status = "REJECTED";
      this.#index.end(order);
      this.#blocks.orderEvent("REJECTED", order);
      return problem;
    }
    this.#index.add(order);
    if (tpsl !== undefined) this.#addLegs(order, tpsl);
    this.#blocks.orderEvent("NEW", order);
    if (trigger === undefined || trigger.state === "fired") {
      enterMarket(this.#matching, state, order);
    } else {
      trigger.locked = stopNeed(state, order, trigger);
      this.#ledger.lock(account, givenToken(order), trigger.locked);
      state.stops.add(order);
    }
    return undefined;
  }

  #problem(
    state: ExchangeMarket,
    order: Order,
    request: OrderRequest,
    { carried, isReplacement }: AdmissionTerms,
  ): string | undefined {
    const { trigger } = order;
    const { tpsl, stopPrice } = request;
    const isSettled = carried !== undefined || stopPrice === undefined;
    return (
      ruleProblem(state, order) ??
      (isReplacement ? undefined : this.#index.fullReason(order.account)) ??
      (tpsl === undefined ? undefined : tpslProblem(state.prices, order, tpsl)) ??
      (isSettled || firingOf(state, stopPrice) !== undefined
        ? undefined
        : "there is no price yet that says on which side of the market it is") ??
      (trigger === undefined || trigger.state === "fired"
        ? this.#fundsProblem(state, order)
        : this.#covers(order, stopNeed(state, order, trigger)))
    );
  }

  /** A limit order needs its full worth at its own price (D19), a market order what it would trade now. */
  #fundsProblem(state: ExchangeMarket, order: Order): string | undefined {
    if (isLimit(order.orderType)) return this.#covers(order, limitNeed(state, order));
    const preview = this.#matching.preview(state, order);
    if (preview.base === 0n) return "nothing to match";
    return this.#covers(order, order.side === "BUY" ? preview.quote : preview.base);
  }

  #covers(order: Order, needed: Fixed): string | undefined {
    const token = givenToken(order);
    const unlocked = this.#ledger.unlocked(order.account, token);
    if (unlocked >= needed) return undefined;
    return `it needs ${fixedText(needed)} of token ${token}, unlocked are ${fixedText(unlocked)}`;
  }

  /** Creates the two legs under their derived ids; they stay inactive until the working order is filled (D25). */
  #addLegs(working: Order, request: TpslRequest): void {
    const { account, market, quantity, timeMs } = working;
    const side = opposite(working.side);
    const { takeProfit: takeProfitId, stopLoss: stopLossId } = legIdsOf(working.orderId);
    const common = { txHash: working.orderId, account, market, side, quantity, timeMs };
    const takeProfit = new Order({
      ...common,
      recordId: this.#recordIds.next(),
      orderId: takeProfitId,
      orderType: "TAKE_PROFIT_LIMIT",
      orderMode: 0,
      price: request.tpLimit,
      legType: "TP_LEG",
    });
    const stopLoss = new Order({
      ...common,
      recordId: this.#recordIds.next(),
      orderId: stopLossId,
      orderType: request.slLimit === undefined ? "STOP_LOSS_MARKET" : "STOP_LOSS_LIMIT",
      orderMode: 0,
      price: request.slLimit ?? ZERO,
      legType: "SL_LEG",
      trigger: {
        price: request.slTrigger,
        fires: side === "SELL" ? "at-or-below" : "at-or-above",
        state: "idle",
        locked: ZERO,
      },
    });
    const bracket = {
      request,
      working,
      takeProfit,
      stopLoss,
      base: ZERO,
      locked: ZERO,
      isEntering: false,
    };
    working.bracket = bracket;
    for (const leg of [takeProfit, stopLoss]) {
      leg.status = "PENDING_NEW";
      leg.bracket = bracket;
      this.#index.addPending(leg);
    }
  }
}

/** Stores a buy's worth on the order: it locks that amount if it rests without trading first. */
function limitNeed({ prices }: ExchangeMarket, order: Order): Fixed {
  if (order.side === "SELL") return order.quantity;
  order.worth = prices.of(order.price).notional(order.quantity);
  return order.worth;
}

/** The amount a stop order locks while it waits (D24). */
function stopNeed(state: ExchangeMarket, order: Order, trigger: TriggerCondition): Fixed {
  if (isLimit(order.orderType)) return limitNeed(state, order);
  const { side, orderMode, quantity } = order;
  if (orderMode === 0) {
    return side === "BUY" ? state.prices.of(trigger.price).notional(quantity) : quantity;
  }
  return side === "BUY" ? quantity : divUp(quantity, trigger.price, STOP_DECIMALS);
}

function triggerOf(
  state: ExchangeMarket,
  { stopPrice }: OrderRequest,
  carried: CarriedStop | undefined,
): TriggerCondition | undefined {
  if (stopPrice === undefined) return undefined;
  return {
    price: stopPrice,
    // Without a price to compare with, the order is rejected anyway.
    fires: carried?.fires ?? firingOf(state, stopPrice) ?? "at-or-above",
    state: carried?.isFired === true ? "fired" : "idle",
    locked: ZERO,
  };
}

/** Which side of the last trade, or else of the mid, the stop price lies on (D24); undefined when the market has neither. */
function firingOf(state: ExchangeMarket, stopPrice: Fixed): Firing | undefined {
  const last = state.trades.newest();
  if (last !== undefined) {
    return state.prices.of(stopPrice).number >= last.price ? "at-or-above" : "at-or-below";
  }
  const [bid, ask] = [state.bestPrice("BUY"), state.bestPrice("SELL")];
  if (bid === undefined || ask === undefined) return undefined;
  return 2n * priceUnits(stopPrice) >= bid.units + ask.units ? "at-or-above" : "at-or-below";
}

/** Selling below or buying above the market limits a loss, the other two take a profit (D24). */
function orderTypeOf(
  { side, orderType }: OrderRequest,
  trigger: TriggerCondition | undefined,
  carried: CarriedStop | undefined,
): OrderType {
  if (carried !== undefined) return carried.orderType;
  if (trigger === undefined) return orderType;
  const isLoss = (side === "BUY") === (trigger.fires === "at-or-above");
  return `${isLoss ? "STOP_LOSS" : "TAKE_PROFIT"}_${orderType}`;
}
