import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { ExactPrice } from "./exact-price.ts";
import type { Order } from "./order.ts";
import type { UserTrade } from "./records.ts";

/** A trade as both accounts' histories keep it. The record of each execution is created when it is queried. */
export class BookedTrade {
  readonly tradeId: string;
  readonly taker: Order;
  readonly maker: Order;
  readonly price: ExactPrice;
  /** Base token. */
  readonly quantity: Fixed;
  /** Each in the token that its side receives. */
  readonly takerFee: Fixed;
  readonly makerFee: Fixed;
  readonly timeMs: UnixMs;
  /** Record id of the first execution: the taker's, unless the taker is recorded flow. */
  readonly recordId: number;

  constructor(terms: Omit<BookedTrade, "of" | "ofAccount">) {
    this.tradeId = terms.tradeId;
    this.taker = terms.taker;
    this.maker = terms.maker;
    this.price = terms.price;
    this.quantity = terms.quantity;
    this.takerFee = terms.takerFee;
    this.makerFee = terms.makerFee;
    this.timeMs = terms.timeMs;
    this.recordId = terms.recordId;
  }

  /** The execution of one of the two orders. */
  of(order: Order): UserTrade {
    const { account, market, side } = order;
    const isMaker = order !== this.taker;
    return {
      recordId: isMaker && !this.taker.account.isFlow ? this.recordId + 1 : this.recordId,
      tradeId: this.tradeId,
      orderId: order.orderId,
      account: account.address,
      marketId: market.marketId,
      side,
      orderType: order.orderType,
      origPrice: order.price,
      origQty: order.orderMode === 1 ? ZERO : order.quantity,
      price: this.price.fixed,
      quantity: this.quantity,
      fee: isMaker ? this.makerFee : this.takerFee,
      feeToken: side === "BUY" ? market.baseToken : market.quoteToken,
      isMaker,
      timeMs: this.timeMs,
    };
  }

  /** The execution of one of the two accounts. */
  ofAccount(address: Address): UserTrade {
    return this.of(this.taker.account.address === address ? this.taker : this.maker);
  }
}
