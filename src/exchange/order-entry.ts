import { assert } from "../base/assert.ts";
import { fixedText, subFixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { isTerminal } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import {
  Admission,
  type AdmissionParts,
  type CarriedStop,
  type OrderRequest,
} from "./admission.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { CommandOptions, ModifyOrder, TpslRequest } from "./command.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { isLimit, Order, syntheticHash } from "./order.ts";
import type { OrderIndex } from "./order-index.ts";
import type { RecordIds } from "./record-ids.ts";
import { accepted, type CommandResult, type Refusal, refused } from "./records.ts";

export interface OrderEntryParts extends AdmissionParts {
  readonly markets: ReadonlyMap<MarketId, ExchangeMarket>;
}

/** A new order, and the order that it replaces (D23). */
interface NewOrder {
  readonly state: ExchangeMarket;
  readonly account: Account;
  readonly request: OrderRequest;
  readonly replaced: Order | undefined;
}

/** Places, cancels and modifies orders; callers have checked that the account sent the command. Each accepted command is one block (D30). */
export class OrderEntry {
  readonly #markets: ReadonlyMap<MarketId, ExchangeMarket>;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  readonly #admission: Admission;
  readonly #recordIds: RecordIds;

  constructor(parts: OrderEntryParts) {
    this.#markets = parts.markets;
    this.#admission = new Admission(parts);
    this.#recordIds = parts.recordIds;
    this.#blocks = parts.blocks;
    this.#index = parts.index;
    this.#matching = parts.matching;
  }

  place(
    account: Account,
    request: OrderRequest,
    nowMs: UnixMs,
    options: CommandOptions,
  ): CommandResult {
    const state = this.#markets.get(request.marketId);
    if (state === undefined) {
      return refused("notFound", `There is no market ${request.marketId}.`);
    }
    return this.#transact({ state, account, request, replaced: undefined }, nowMs, options);
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
    return accepted(txHash ?? orderId);
  }

  /** Cancels every open order of the account; accepted even when there is none. */
  cancelAll(account: Account, nowMs: UnixMs, txHash: OrderId | undefined): CommandResult {
    this.#blocks.open(nowMs, txHash);
    for (const order of this.#index.open(account).reverse()) {
      // Canceling one leg has already canceled its pair.
      if (!isTerminal(order.status)) this.#matching.cancel(this.#stateOf(order), order);
    }
    const hash = txHash ?? syntheticHash("block", this.#blocks.blockNumber);
    this.#blocks.close();
    return accepted(hash);
  }

  /** Cancels and replaces (D23). The original is canceled even when the replacement is rejected. */
  modify(
    account: Account,
    change: ModifyOrder,
    nowMs: UnixMs,
    options: CommandOptions,
  ): CommandResult {
    const { orderId } = change;
    const order = this.#openOrder(account, orderId);
    if (!(order instanceof Order)) return order;
    if (order.isLeg) {
      return refused("invalid", `Order ${orderId} is a leg, which cannot be modified.`);
    }
    if (change.price === undefined && change.quantity === undefined) {
      return refused("invalid", "Neither newPrice nor newQty is given.");
    }
    if (change.quantity !== undefined && change.quantity <= order.executedQty) {
      return refused(
        "invalid",
        `newQty ${fixedText(change.quantity)} is not above the executed ${fixedText(order.executedQty)}.`,
      );
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
    const state = this.#stateOf(order);
    return this.#transact({ state, account, request, replaced: order }, nowMs, options);
  }

  /** Makes one block that cancels the replaced order, if any, and then places the new one. */
  #transact(
    { state, account, request, replaced }: NewOrder,
    nowMs: UnixMs,
    options: CommandOptions,
  ): CommandResult {
    const recordId = this.#recordIds.next();
    const txHash = options.txHash ?? syntheticHash("order", recordId);
    this.#blocks.open(nowMs, txHash);
    if (replaced !== undefined) this.#matching.cancel(state, replaced);
    const rejected = this.#admission.admit(state, account, request, {
      recordId,
      orderId: txHash,
      carried: replaced === undefined ? undefined : carriedStop(replaced),
      isReplacement: replaced !== undefined,
    });
    this.#blocks.close();
    return accepted(txHash, rejected);
  }

  /** The account's open order, or the refusal when it cannot be canceled (D13). */
  #openOrder(account: Account, orderId: OrderId): Order | Refusal {
    const order = this.#index.find(orderId);
    if (order === undefined) return refused("notFound", `There is no order ${orderId}.`);
    if (order.account !== account) {
      return refused("unauthorized", `Order ${orderId} is not an order of ${account.address}.`);
    }
    if (isTerminal(order.status)) {
      return refused("invalid", `Order ${orderId} is ${order.status} already.`);
    }
    return order;
  }

  #stateOf(order: Order): ExchangeMarket {
    const state = this.#markets.get(order.market.marketId);
    assert(state !== undefined, "an order's market exists");
    return state;
  }
}

/** A replacement of a stop order keeps its type, its direction, and whether it has fired (D23). */
function carriedStop({ orderType, trigger }: Order): CarriedStop | undefined {
  if (trigger === undefined) return undefined;
  return { orderType, fires: trigger.fires, isFired: trigger.state === "fired" };
}

/** Take profit and stop loss of a working leg, unless the owner has canceled them. */
function liveTpsl({ bracket }: Order): TpslRequest | undefined {
  return bracket === undefined || isTerminal(bracket.takeProfit.status)
    ? undefined
    : bracket.request;
}
