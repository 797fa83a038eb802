import { assert } from "../base/assert.ts";
import { fixedText, subFixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { isTerminal } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import { Admission, type CarriedStop, type OrderRequest } from "./admission.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Ledger } from "./ledger.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { isLimit, Order, syntheticHash, type TpslRequest } from "./order.ts";
import type { OrderIndex } from "./order-index.ts";
import type { RecordIds } from "./record-ids.ts";
import type { CommandResult } from "./records.ts";

/** What to change about an order (D23); at least one of the two. */
export interface OrderModification {
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
export class OrderEntry {
  readonly #markets: ReadonlyMap<MarketId, ExchangeMarket>;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  readonly #admission: Admission;
  readonly #recordIds: RecordIds;

  constructor(
    markets: ReadonlyMap<MarketId, ExchangeMarket>,
    ledger: Ledger,
    blocks: BlockBuilder,
    index: OrderIndex,
    matching: Matching,
    recordIds: RecordIds,
  ) {
    this.#markets = markets;
    this.#admission = new Admission(ledger, blocks, index, matching, recordIds);
    this.#recordIds = recordIds;
    this.#blocks = blocks;
    this.#index = index;
    this.#matching = matching;
  }

  place(
    account: Account,
    request: OrderRequest,
    nowMs: UnixMs,
    options: PlaceOptions,
  ): CommandResult {
    const state = this.#markets.get(request.marketId);
    if (state === undefined) {
      return { code: 404, errMsg: `There is no market ${request.marketId}.` };
    }
    return this.#transact(state, account, request, nowMs, options, undefined);
  }

  cancel(
    account: Account,
    orderId: OrderId,
    nowMs: UnixMs,
    txHash: OrderId | undefined,
  ): CommandResult {
    const order = this.#openOrder(account, orderId);
    if (!(order instanceof Order)) return order;
    this.#blocks.open(nowMs, txHash);
    this.#matching.cancel(this.#stateOf(order), order);
    this.#blocks.close();
    return { code: 200, txHash: txHash ?? orderId, rejected: undefined };
  }

  /** Cancels every open order of the account; fine when there is none. */
  cancelAll(account: Account, nowMs: UnixMs, txHash: OrderId | undefined): CommandResult {
    this.#blocks.open(nowMs, txHash);
    for (const order of this.#index.open(account).reverse()) {
      // A leg is canceled with its pair.
      if (!isTerminal(order.status)) this.#matching.cancel(this.#stateOf(order), order);
    }
    const hash = txHash ?? syntheticHash("block", this.#blocks.blockNumber);
    this.#blocks.close();
    return { code: 200, txHash: hash, rejected: undefined };
  }

  /** Cancel and replace (D23). The original is canceled even when its replacement is rejected. */
  modify(
    account: Account,
    orderId: OrderId,
    change: OrderModification,
    nowMs: UnixMs,
    options: PlaceOptions,
  ): CommandResult {
    const order = this.#openOrder(account, orderId);
    if (!(order instanceof Order)) return order;
    if (order.isLeg) {
      return { code: 400, errMsg: `Order ${orderId} is a leg, which cannot be modified.` };
    }
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
      marketId: order.market.marketId,
      side: order.side,
      orderType: isLimit(order.orderType) ? "LIMIT" : "MARKET",
      orderMode: order.orderMode,
      price: change.price ?? order.price,
      quantity,
      stopPrice: order.trigger?.price,
      tpsl: liveTpsl(order),
    };
    return this.#transact(this.#stateOf(order), account, request, nowMs, options, order);
  }

  /** One block with a new order, before which the one it replaces is canceled. */
  #transact(
    state: ExchangeMarket,
    account: Account,
    request: OrderRequest,
    nowMs: UnixMs,
    options: PlaceOptions,
    replaced: Order | undefined,
  ): CommandResult {
    const recordId = this.#recordIds.next();
    const txHash = options.txHash ?? syntheticHash("order", recordId);
    const holdsPriceRule = options.holdsPriceRule ?? true;
    this.#blocks.open(nowMs, txHash);
    if (replaced !== undefined) this.#matching.cancel(state, replaced);
    const rejected = this.#admission.admit(state, account, request, {
      recordId,
      orderId: txHash,
      holdsPriceRule,
      carried: replaced === undefined ? undefined : carriedStop(replaced),
    });
    this.#blocks.close();
    return { code: 200, txHash, rejected };
  }

  /** The account's order if it can still be canceled, else the refusal (D13). */
  #openOrder(account: Account, orderId: OrderId): Order | CommandResult {
    const order = this.#index.find(orderId);
    if (order === undefined) return { code: 404, errMsg: `There is no order ${orderId}.` };
    if (order.account !== account) {
      return { code: 401, errMsg: `Order ${orderId} is not an order of ${account.address}.` };
    }
    if (isTerminal(order.status)) {
      return { code: 400, errMsg: `Order ${orderId} is ${order.status} already.` };
    }
    return order;
  }

  #stateOf(order: Order): ExchangeMarket {
    const state = this.#markets.get(order.market.marketId);
    assert(state !== undefined, "an order's market exists");
    return state;
  }
}

/** A replacement stays the stop order that its original was, its direction and its being fired included (D23). */
function carriedStop({ orderType, trigger }: Order): CarriedStop | undefined {
  if (trigger === undefined) return undefined;
  return { orderType, fires: trigger.fires, isFired: trigger.state === "fired" };
}

/** Take profit and stop loss of a working leg, unless its owner has canceled them. */
function liveTpsl({ bracket }: Order): TpslRequest | undefined {
  return bracket === undefined || isTerminal(bracket.takeProfit.status)
    ? undefined
    : bracket.request;
}
