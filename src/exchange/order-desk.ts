import { assert } from "../base/assert.ts";
import { fixedText, fixedToNumber, subFixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { isTerminal, type OrderMode } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Ledger } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";
import type { Matching } from "./matching.ts";
import { fitsLedger, notional, priceUnits } from "./notional.ts";
import { Order, syntheticHash, type OrderTerms } from "./order.ts";
import type { OrderIndex } from "./order-index.ts";
import { ruleProblem } from "./order-rules.ts";
import type { Answer } from "./records.ts";

/** An order as its account wants it. */
export interface OrderRequest {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** In quote token; 0 for a market order. */
  readonly price: Fixed;
  /** In base token, in quote token when `orderMode` is 1; positive. */
  readonly quantity: Fixed;
}

/** What to change about an order (D23); at least one of the two. */
export interface OrderChange {
  readonly price: Fixed | undefined;
  /** The new total, what has executed included. */
  readonly quantity: Fixed | undefined;
}

export interface PlaceOptions {
  /** Hash of the transaction; one is made when there is none. */
  readonly txHash?: OrderId | undefined;
  /** False lets recorded prices off the grid in (D35). Default true. */
  readonly holdsPriceRule?: boolean;
}

/** Places, cancels and modifies orders of accounts that are known to have asked for it. Each accepted command is one block (D30). */
export class OrderDesk {
  readonly #markets: ReadonlyMap<MarketId, MarketState>;
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  #recordId = 0;

  constructor(
    markets: ReadonlyMap<MarketId, MarketState>,
    ledger: Ledger,
    blocks: BlockBuilder,
    index: OrderIndex,
    matching: Matching,
  ) {
    this.#markets = markets;
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#index = index;
    this.#matching = matching;
  }

  nextRecordId(): number {
    this.#recordId += 1;
    return this.#recordId;
  }

  /** Id of the newest order record. */
  get recordCount(): number {
    return this.#recordId;
  }

  restoreRecordCount(count: number): void {
    this.#recordId = count;
  }

  place(account: Account, request: OrderRequest, nowMs: UnixMs, options: PlaceOptions): Answer {
    const state = this.#markets.get(request.marketId);
    if (state === undefined) {
      return { code: 404, errMsg: `There is no market ${request.marketId}.` };
    }
    return this.#transact(state, account, request, nowMs, options, undefined);
  }

  cancel(account: Account, orderId: OrderId, nowMs: UnixMs, txHash: OrderId | undefined): Answer {
    const order = this.#openOrder(account, orderId);
    if (!(order instanceof Order)) return order;
    this.#blocks.open(nowMs, txHash);
    this.#matching.cancel(this.#stateOf(order), order);
    this.#blocks.close();
    return { code: 200, txHash: txHash ?? orderId, rejected: undefined };
  }

  /** Cancels every open order of the account; fine when there is none. */
  cancelAll(account: Account, nowMs: UnixMs, txHash: OrderId | undefined): Answer {
    this.#blocks.open(nowMs, txHash);
    for (const order of this.#index.open(account).reverse()) {
      this.#matching.cancel(this.#stateOf(order), order);
    }
    const hash = txHash ?? syntheticHash("block", this.#blocks.number);
    this.#blocks.close();
    return { code: 200, txHash: hash, rejected: undefined };
  }

  /** Cancel and replace (D23). The original is canceled even when its replacement is rejected. */
  modify(
    account: Account,
    orderId: OrderId,
    change: OrderChange,
    nowMs: UnixMs,
    options: PlaceOptions,
  ): Answer {
    const order = this.#openOrder(account, orderId);
    if (!(order instanceof Order)) return order;
    const { terms } = order;
    if (change.price === undefined && change.quantity === undefined) {
      return { code: 400, errMsg: "Neither newPrice nor newQty is given." };
    }
    if (change.quantity !== undefined && change.quantity <= order.executedQty) {
      return {
        code: 400,
        errMsg: `newQty ${fixedText(change.quantity)} is not above the executed ${fixedText(order.executedQty)}.`,
      };
    }
    const quantity =
      change.quantity === undefined
        ? order.remaining
        : subFixed(change.quantity, order.executedQty);
    const request: OrderRequest = {
      marketId: terms.market.marketId,
      side: terms.side,
      orderType: terms.orderType,
      orderMode: terms.orderMode,
      price: change.price ?? terms.price,
      quantity,
    };
    return this.#transact(this.#stateOf(order), account, request, nowMs, options, order);
  }

  /** One block with a new order, before which the one it replaces is canceled. */
  #transact(
    state: MarketState,
    account: Account,
    request: OrderRequest,
    nowMs: UnixMs,
    options: PlaceOptions,
    replaced: Order | undefined,
  ): Answer {
    const recordId = this.nextRecordId();
    const txHash = options.txHash ?? syntheticHash("order", recordId);
    const holdsPriceRule = options.holdsPriceRule ?? true;
    this.#blocks.open(nowMs, txHash);
    if (replaced !== undefined) this.#matching.cancel(state, replaced);
    const rejected = this.#admit(state, account, request, recordId, txHash, holdsPriceRule);
    this.#blocks.close();
    return { code: 200, txHash, rejected };
  }

  /** Makes the order inside the open block; the reason when it ends up REJECTED. */
  #admit(
    state: MarketState,
    account: Account,
    request: OrderRequest,
    recordId: number,
    orderId: OrderId,
    holdsPriceRule: boolean,
  ): string | undefined {
    assert(request.quantity > 0n && fitsLedger(request.quantity), "a quantity of 1e-18 or more");
    const order = new Order({
      recordId,
      orderId,
      account,
      market: state.market,
      side: request.side,
      orderType: request.orderType,
      orderMode: request.orderMode,
      price: request.price,
      quantity: request.quantity,
      timeMs: this.#blocks.timeMs,
    });
    const problem =
      ruleProblem(state, order.terms, holdsPriceRule) ??
      (order.terms.orderType === "LIMIT"
        ? this.#limitFunds(order.terms)
        : this.#marketFunds(state, order));
    if (problem !== undefined) {
      order.status = "REJECTED";
      this.#index.end(order);
      this.#blocks.orderEvent("REJECTED", order);
      return problem;
    }
    this.#index.add(order);
    this.#blocks.orderEvent("NEW", order);
    if (order.terms.orderType === "LIMIT") this.#enterLimit(state, order);
    else this.#enterMarket(state, order);
    return undefined;
  }

  #enterLimit(state: MarketState, order: Order): void {
    const limit = fixedToNumber(order.terms.price);
    const end = this.#matching.take(state, order, limit);
    if (end === "filled") return;
    if (end === "self-trade") {
      this.#matching.cancel(state, order);
      return;
    }
    const level = state.side(order.terms.side).ensure(limit, priceUnits(order.terms.price));
    this.#matching.rest(state, order, level);
  }

  #enterMarket(state: MarketState, order: Order): void {
    const end = this.#matching.take(state, order, undefined);
    // With nothing left to match the remainder is canceled (D20); so is quote that buys nothing (D21).
    if (end !== "filled") this.#matching.cancel(state, order);
  }

  /** A limit order needs its whole worth at its own price (D19). */
  #limitFunds(terms: OrderTerms): string | undefined {
    const buys = terms.side === "BUY";
    const token = buys ? terms.market.quoteToken : terms.market.baseToken;
    const needed = buys ? notional(priceUnits(terms.price), terms.quantity) : terms.quantity;
    return this.#covers(terms.account, token, needed);
  }

  /** A market order needs what it will use (D19), and has to match something (D20). */
  #marketFunds(state: MarketState, order: Order): string | undefined {
    const { terms } = order;
    const preview = this.#matching.preview(state, order);
    if (preview.base === 0n) return "nothing to match";
    return terms.side === "BUY"
      ? this.#covers(terms.account, terms.market.quoteToken, preview.quote)
      : this.#covers(terms.account, terms.market.baseToken, preview.base);
  }

  #covers(
    account: Account,
    token: OrderTerms["market"]["baseToken"],
    needed: Fixed,
  ): string | undefined {
    const unlocked = this.#ledger.unlocked(account, token);
    if (unlocked >= needed) return undefined;
    return `it needs ${fixedText(needed)} of token ${token}, unlocked are ${fixedText(unlocked)}`;
  }

  /** The account's order if it can still be canceled, else the refusal (D13). */
  #openOrder(account: Account, orderId: OrderId): Order | Answer {
    const order = this.#index.find(orderId);
    if (order === undefined) return { code: 404, errMsg: `There is no order ${orderId}.` };
    if (order.terms.account !== account) {
      return { code: 401, errMsg: `Order ${orderId} is not an order of ${account.address}.` };
    }
    if (isTerminal(order.status)) {
      return { code: 400, errMsg: `Order ${orderId} is ${order.status} already.` };
    }
    return order;
  }

  #stateOf(order: Order): MarketState {
    const state = this.#markets.get(order.terms.market.marketId);
    assert(state !== undefined, "an order's market exists");
    return state;
  }
}
