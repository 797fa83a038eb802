import { addFixed, minFixed, negFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import { opposite } from "../domain/side.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Ledger } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";
import { affordable, notional, priceOfUnits } from "./notional.ts";
import type { Level, Order } from "./order.ts";
import type { OrderIndex } from "./order-index.ts";

/** What happens when an incoming order meets one of its own account (D17). */
export type SelfTradeRule = "cancel-incoming" | "cancel-resting";

/** Why an incoming order stopped trading. `spent`: what is left of it buys nothing (D21). */
export type TakeEnd = "filled" | "no-match" | "self-trade" | "spent";

/** What an incoming order would trade if it came now. */
export interface Preview {
  readonly base: Fixed;
  readonly quote: Fixed;
}

/**
 * Price-time priority (D17): best price first, first come first served within a price; a trade prints at the maker's price.
 * Every change of money, book, candles and events that a trade or a cancel causes happens here.
 */
export class Matching {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #selfTrade: SelfTradeRule;
  #tradeCount = 0;
  #userTradeCount = 0;

  constructor(ledger: Ledger, blocks: BlockBuilder, index: OrderIndex, selfTrade: SelfTradeRule) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#index = index;
    this.#selfTrade = selfTrade;
  }

  /** How many trades, and executions of accounts, there were: their ids go on from here. */
  get counts(): readonly [trades: number, userTrades: number] {
    return [this.#tradeCount, this.#userTradeCount];
  }

  restoreCounts([trades, userTrades]: readonly [number, number]): void {
    this.#tradeCount = trades;
    this.#userTradeCount = userTrades;
  }

  /** What a market order would use and get, up to an own order in its way; both 0 when nothing matches. */
  preview(state: MarketState, taker: Order): Preview {
    const makers = state.side(opposite(taker.terms.side));
    let base = ZERO;
    let quote = ZERO;
    let remaining = taker.remaining;
    for (let rank = 0; remaining > 0n; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined) break;
      for (let maker = level.head; maker !== undefined && remaining > 0n; maker = maker.next) {
        if (maker.terms.account === taker.terms.account) {
          if (this.#selfTrade === "cancel-incoming") return { base, quote };
          continue;
        }
        const quantity = fillable(taker, remaining, maker, level);
        if (quantity === 0n) return { base, quote };
        const paid = notional(level.units, quantity);
        base = addFixed(base, quantity);
        quote = addFixed(quote, paid);
        remaining = subFixed(remaining, taker.terms.orderMode === 1 ? paid : quantity);
      }
    }
    return { base, quote };
  }

  /** Trades an incoming order against the other side, up to `limit` (undefined: at any price). */
  take(state: MarketState, taker: Order, limit: number | undefined): TakeEnd {
    const { account } = taker.terms;
    const makers = state.side(opposite(taker.terms.side));
    // Emptied levels stay in place until the block is closed, so ranks do not move.
    for (let rank = 0; ; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined || (limit !== undefined && !makers.reaches(level, limit)))
        return "no-match";
      for (let maker = level.head; maker !== undefined; ) {
        const { next } = maker;
        if (maker.terms.account === account) {
          // A recording's own orders never trade with each other: a crossed recorded book stays as recorded.
          if (!account.isFlow) {
            if (this.#selfTrade === "cancel-incoming") return "self-trade";
            this.cancel(state, maker);
          }
        } else {
          const quantity = fillable(taker, taker.remaining, maker, level);
          if (quantity === 0n) return "spent";
          this.#trade(state, taker, maker, level, quantity);
          if (taker.remaining === 0n) return "filled";
        }
        maker = next;
      }
    }
  }

  /** Puts what is left of a limit order at the back of its level's queue and locks what it needs (D19). */
  rest(state: MarketState, order: Order, level: Level): void {
    const { side, account, market } = order.terms;
    if (side === "BUY") {
      this.#ledger.lock(account, market.quoteToken, notional(level.units, order.remaining));
    } else {
      this.#ledger.lock(account, market.baseToken, order.remaining);
    }
    level.append(order);
    this.#touch(state, order, level);
  }

  /** Ends an order by cancel: takes it off the book, frees its lock, tells its account. */
  cancel(state: MarketState, order: Order): void {
    if (order.level !== undefined) this.withdraw(state, order, order.level);
    order.status = "CANCELED";
    order.updatedAtMs = this.#blocks.timeMs;
    this.#index.end(order);
    this.#blocks.orderEvent("CANCEL", order);
  }

  /** Takes an order off its level and frees its lock; what becomes of it is the caller's to say. */
  withdraw(state: MarketState, order: Order, level: Level): void {
    const { side, account, market } = order.terms;
    if (side === "BUY") {
      this.#ledger.unlock(account, market.quoteToken, notional(level.units, order.remaining));
    } else {
      this.#ledger.unlock(account, market.baseToken, order.remaining);
    }
    level.unlink(order);
    this.#touch(state, order, level);
  }

  #touch(state: MarketState, order: Order, level: Level): void {
    this.#blocks.changes(state);
    state.touch(order.terms.side, level);
  }

  #trade(state: MarketState, taker: Order, maker: Order, level: Level, quantity: Fixed): void {
    const { baseToken, quoteToken } = state.market;
    const quote = notional(level.units, quantity);
    const takerBuys = taker.terms.side === "BUY";
    const buyer = takerBuys ? taker : maker;
    const seller = takerBuys ? maker : taker;
    const buyerFee = (takerBuys ? state.takerFee : state.makerFee).of(quantity);
    const sellerFee = (takerBuys ? state.makerFee : state.takerFee).of(quote);

    // The maker pays from what its order locked; the taker was asked for its funds at admission and locks nothing yet.
    const ledger = this.#ledger;
    ledger.debit(buyer.terms.account, quoteToken, quote, takerBuys ? "unlocked" : "locked");
    ledger.debit(seller.terms.account, baseToken, quantity, takerBuys ? "locked" : "unlocked");
    ledger.credit(buyer.terms.account, baseToken, subFixed(quantity, buyerFee));
    ledger.credit(seller.terms.account, quoteToken, subFixed(quote, sellerFee));
    ledger.credit(ledger.fees, baseToken, buyerFee);
    ledger.credit(ledger.fees, quoteToken, sellerFee);

    if (maker.terms.account.isFlow) {
      state.flow?.filled(maker.terms.side, level.price, level.flowQuantity);
    }
    maker.remaining = subFixed(maker.remaining, quantity);
    level.add(maker, negFixed(quantity));
    if (maker.remaining === 0n) level.unlink(maker);
    taker.remaining = subFixed(taker.remaining, taker.terms.orderMode === 1 ? quote : quantity);
    this.#touch(state, maker, level);

    this.#tradeCount += 1;
    const tradeId = String(this.#tradeCount);
    const { timeMs } = this.#blocks;
    const record = {
      marketId: state.market.marketId,
      tradeId,
      price: level.price,
      quantity,
      buyOrderId: buyer.orderId,
      sellOrderId: seller.orderId,
      timeMs,
      isBuyerMaker: !takerBuys,
    };
    state.trades.push(record);
    state.candles.trade(level.price, quantity, quote, timeMs);
    this.#blocks.trade(record);
    this.#execute(taker, level, quantity, quote, takerBuys ? buyerFee : sellerFee, tradeId, false);
    this.#execute(maker, level, quantity, quote, takerBuys ? sellerFee : buyerFee, tradeId, true);
  }

  /** Books one side of a trade on its order and tells its account. */
  #execute(
    order: Order,
    level: Level,
    quantity: Fixed,
    quote: Fixed,
    fee: Fixed,
    tradeId: string,
    isMaker: boolean,
  ): void {
    const { terms } = order;
    order.executedQty = addFixed(order.executedQty, quantity);
    order.executedQuoteQty = addFixed(order.executedQuoteQty, quote);
    order.status = order.remaining === 0n ? "FILLED" : "PARTIALLY_FILLED";
    order.updatedAtMs = this.#blocks.timeMs;
    if (terms.account.isFlow) return;
    this.#userTradeCount += 1;
    const fill = {
      recordId: this.#userTradeCount,
      tradeId,
      orderId: order.orderId,
      account: terms.account.address,
      marketId: terms.market.marketId,
      side: terms.side,
      orderType: terms.orderType,
      origPrice: terms.price,
      origQty: terms.orderMode === 1 ? ZERO : terms.quantity,
      price: priceOfUnits(level.units),
      quantity,
      fee,
      feeToken: terms.side === "BUY" ? terms.market.baseToken : terms.market.quoteToken,
      isMaker,
      timeMs: this.#blocks.timeMs,
    };
    this.#index.trade(terms.account, fill);
    if (order.status === "FILLED") this.#index.end(order);
    this.#blocks.orderEvent("TRADE", order, fill);
  }
}

/** How much base the taker can trade with this maker; 0 when its quote buys nothing (D21). */
function fillable(taker: Order, remaining: Fixed, maker: Order, level: Level): Fixed {
  if (taker.terms.orderMode === 0) return minFixed(remaining, maker.remaining);
  return minFixed(affordable(remaining, level.units), maker.remaining);
}
