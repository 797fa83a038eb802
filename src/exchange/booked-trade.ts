import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { UnixMs } from "../domain/time.ts";
import type { ExactPrice } from "./exact-price.ts";
import type { Order } from "./order.ts";
import type { UserTrade } from "./records.ts";

/** What a trade moved. */
export interface TradeTerms {
  readonly tradeId: string;
  readonly taker: Order;
  readonly maker: Order;
  readonly price: ExactPrice;
  /** Base token. */
  readonly quantity: Fixed;
  /** In the token that each receives. */
  readonly takerFee: Fixed;
  readonly makerFee: Fixed;
  readonly timeMs: UnixMs;
  /** Record id of its first execution: the taker's, unless that is recorded flow. */
  readonly recordId: number;
}

/** A trade as histories keep it, one for both of its executions: their records are made when somebody asks. */
export class BookedTrade {
  readonly #terms: TradeTerms;

  constructor(terms: TradeTerms) {
    this.#terms = terms;
  }

  /** The execution of one of its two orders. */
  of(order: Order): UserTrade {
    const { taker, tradeId, price, quantity, takerFee, makerFee, timeMs, recordId } = this.#terms;
    const { account, market, side } = order;
    const isMaker = order !== taker;
    return {
      recordId: isMaker && !taker.account.isFlow ? recordId + 1 : recordId,
      tradeId,
      orderId: order.orderId,
      account: account.address,
      marketId: market.marketId,
      side,
      orderType: order.orderType,
      origPrice: order.price,
      origQty: order.orderMode === 1 ? ZERO : order.quantity,
      price: price.fixed,
      quantity,
      fee: isMaker ? makerFee : takerFee,
      feeToken: side === "BUY" ? market.baseToken : market.quoteToken,
      isMaker,
      timeMs,
    };
  }

  /** The execution of the account that is one of its two. */
  ofAccount(address: string): UserTrade {
    const { taker, maker } = this.#terms;
    return this.of(taker.account.address === address ? taker : maker);
  }
}
