import { assert } from "../base/assert.ts";
import {
  addFixed,
  fixedFromNumber,
  minFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { opposite } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import { BookedTrade } from "./booked-trade.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Ledger } from "./ledger.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import { affordable } from "./notional.ts";
import { RecordedPrint } from "./recorded-print.ts";
import type { TradeRecord } from "./records.ts";
import { type ExchangeBracket, givenToken, type ExchangeLevel, type Order } from "./order.ts";
import type { OrderIndex } from "./order-index.ts";
import type { TriggerCondition } from "./trigger.ts";

/** Why an incoming order stopped trading. `spent`: its remaining quote buys nothing (D21). `full`: its block has no room for more trades. */
export type TakeEnd = "filled" | "no-match" | "self-trade" | "spent" | "full";

/** What an incoming order would trade now. */
export interface Preview {
  readonly base: Fixed;
  readonly quote: Fixed;
}

/** One side of a trade. */
export interface Execution {
  /** Base token. */
  readonly quantity: Fixed;
  readonly quote: Fixed;
  /** In the token received. */
  readonly fee: Fixed;
  readonly isMaker: boolean;
}

/** A trade about to happen. */
interface TradeTerms {
  readonly taker: Order;
  readonly maker: Order;
  /** Where the maker rests. */
  readonly level: ExchangeLevel;
  /** Base token. */
  readonly quantity: Fixed;
  readonly quote: Fixed;
  /** Each in the token that its side receives. */
  readonly takerFee: Fixed;
  readonly makerFee: Fixed;
}

/** Learns of the events that stop orders and legs depend on (D24, D25), as they happen. */
export interface OrderWatch {
  /** A trade at a price that stop orders wait for. */
  printed(state: ExchangeMarket, price: number): void;
  /** An order with a bracket traded. */
  executed(state: ExchangeMarket, order: Order, execution: Execution): void;
  /** An order with a bracket was canceled. */
  canceled(state: ExchangeMarket, order: Order): void;
}

/**
 * Matches by price-time priority (D17); trades print at the maker's price. Makes every change to balances, book, candles and events
 * that a trade or a cancel causes.
 */
export class Matching {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  #watch: OrderWatch | undefined;
  #tradeCount = 0;
  #userTradeCount = 0;

  constructor(ledger: Ledger, blocks: BlockBuilder, index: OrderIndex) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#index = index;
  }

  watchWith(watch: OrderWatch): void {
    this.#watch = watch;
  }

  /** Numbers of trades and of accounts' executions so far; the next ids follow from them. */
  get counts(): readonly [trades: number, userTrades: number] {
    return [this.#tradeCount, this.#userTradeCount];
  }

  restoreCounts([trades, userTrades]: readonly [number, number]): void {
    this.#tradeCount = trades;
    this.#userTradeCount = userTrades;
  }

  /** What a market order would trade in a block of its own, up to a resting order of its own account; both 0 when nothing matches. */
  preview(state: ExchangeMarket, taker: Order): Preview {
    state.recorded?.reach(taker, undefined);
    const makers = state.side(opposite(taker.side));
    let base = ZERO;
    let quote = ZERO;
    let remaining = taker.remaining;
    let pairs: Map<ExchangeBracket, Fixed> | undefined;
    let trades = 0;
    for (let rank = 0; remaining > 0n; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined) break;
      for (let maker = level.head; maker !== undefined && remaining > 0n; maker = maker.next) {
        if (maker.account === taker.account) return { base, quote };
        let available = maker.remaining;
        if (maker.bracket !== undefined && maker.isLeg) {
          // A fill of one leg reduces the other.
          const filled = pairs?.get(maker.bracket) ?? ZERO;
          available = subFixed(available, filled);
          if (available === 0n) continue;
          pairs ??= new Map();
          const part = fillable(taker, remaining, available, level);
          pairs.set(maker.bracket, addFixed(filled, part));
        }
        const quantity = fillable(taker, remaining, available, level);
        if (quantity === 0n) return { base, quote };
        if (trades === this.#blocks.tradesMax) return { base, quote };
        trades += 1;
        const paid = level.exact.notional(quantity);
        base = addFixed(base, quantity);
        quote = addFixed(quote, paid);
        remaining = subFixed(remaining, taker.orderMode === 1 ? paid : quantity);
      }
    }
    return { base, quote };
  }

  /** Trades an incoming order against the other side, up to `limit` (undefined: at any price). */
  take(state: ExchangeMarket, taker: Order, limit: number | undefined): TakeEnd {
    const { account } = taker;
    if (state.recorded !== undefined && !account.isFlow) state.recorded.reach(taker, limit);
    const makers = state.side(opposite(taker.side));
    // Emptied levels stay in place until the block is closed, so ranks are stable.
    for (let rank = 0; ; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined || (limit !== undefined && !makers.reaches(level, limit)))
        return "no-match";
      for (let maker = level.head; maker !== undefined; ) {
        const { next, bracket } = maker;
        if (maker.account === account) {
          // Recorded orders never trade with each other: a crossed recorded book stays as recorded.
          if (!account.isFlow) return "self-trade";
        } else {
          const quantity = fillable(taker, taker.remaining, maker.remaining, level);
          if (quantity === 0n) return "spent";
          if (this.#blocks.isFull && !account.isFlow) return "full";
          this.#trade(state, tradeTerms(state, taker, maker, quantity));
          if (taker.remaining === 0n) return "filled";
        }
        // A leg's fill may have canceled its pair, which may have been `next`. Filled orders are gone, so the queue's head is next.
        maker = bracket === undefined || account.isFlow ? next : level.head;
      }
    }
  }

  /** Appends a limit order's remainder to its level's queue and locks what it needs (D19). */
  rest(state: ExchangeMarket, order: Order, level: ExchangeLevel): void {
    // The pair of legs has a lock of its own.
    if (!order.isLeg) {
      if (order.side === "BUY" && (order.worth === 0n || order.executedQty !== 0n)) {
        order.worth = level.exact.notional(order.remaining);
      }
      this.#ledger.lock(order.account, givenToken(order), restNeed(order));
    }
    level.append(order);
    this.#touch(state, order, level);
  }

  /** Cancels an order: removes it from the book, releases its lock, and adds the event. */
  cancel(state: ExchangeMarket, order: Order): void {
    if (order.level !== undefined) this.#leaveBook(state, order, order.level);
    else if (order.trigger !== undefined) this.#disarm(state, order, order.trigger);
    order.status = "CANCELED";
    order.updatedAtMs = this.#blocks.timeMs;
    this.#index.end(order);
    this.#blocks.orderEvent("CANCEL", order);
    if (order.bracket !== undefined) this.#watch?.canceled(state, order);
  }

  /** Updates a level after the remaining quantity of one of its orders changed. */
  resize(state: ExchangeMarket, order: Order, level: ExchangeLevel, change: Fixed): void {
    level.add(change);
    this.#touch(state, order, level);
  }

  #leaveBook(state: ExchangeMarket, order: Order, level: ExchangeLevel): void {
    if (!order.isLeg) {
      this.#ledger.unlock(order.account, givenToken(order), restNeed(order));
    }
    level.unlink(order);
    this.#touch(state, order, level);
  }

  #disarm(state: ExchangeMarket, order: Order, trigger: TriggerCondition): void {
    if (trigger.state === "waiting") state.stops.remove(order);
    this.#ledger.unlock(order.account, givenToken(order), trigger.locked);
    trigger.locked = ZERO;
  }

  #touch(state: ExchangeMarket, order: Order, level: ExchangeLevel): void {
    this.#blocks.changes(state);
    state.touch(order.side, level);
  }

  #trade(state: ExchangeMarket, terms: TradeTerms): void {
    const { taker, maker, level, quantity, quote, takerFee, makerFee } = terms;
    this.#settle(state, terms);
    this.#reduce(state, terms);
    const tradeId = this.#print(state, terms);
    const { timeMs } = this.#blocks;
    execute(taker, quantity, quote, timeMs);
    execute(maker, quantity, quote, timeMs);
    if (!taker.account.isFlow || !maker.account.isFlow) {
      const trade = new BookedTrade({
        tradeId,
        taker,
        maker,
        price: level.exact,
        quantity,
        takerFee,
        makerFee,
        timeMs,
        recordId: this.#userTradeCount + 1,
      });
      this.#book(taker, trade);
      this.#book(maker, trade);
    }
    if (taker.bracket !== undefined) {
      this.#watch?.executed(state, taker, { quantity, quote, fee: takerFee, isMaker: false });
    }
    if (maker.bracket !== undefined) {
      this.#watch?.executed(state, maker, { quantity, quote, fee: makerFee, isMaker: true });
    }
    this.#wakeStops(state, level.price);
  }

  /**
   * Moves the money and the fees. The maker pays from what its order locked; the taker's funds were checked at admission, and
   * an order that does not rest yet locks nothing.
   */
  #settle({ market: { baseToken, quoteToken } }: ExchangeMarket, terms: TradeTerms): void {
    const { taker, maker, quantity, quote, takerFee, makerFee } = terms;
    const takerBuys = taker.side === "BUY";
    const buyer = takerBuys ? taker : maker;
    const seller = takerBuys ? maker : taker;
    const buyerFee = takerBuys ? takerFee : makerFee;
    const sellerFee = takerBuys ? makerFee : takerFee;
    const ledger = this.#ledger;
    ledger.debit(buyer.account, quoteToken, quote, takerBuys ? "unlocked" : "locked");
    ledger.debit(seller.account, baseToken, quantity, takerBuys ? "locked" : "unlocked");
    ledger.credit(buyer.account, baseToken, subFixed(quantity, buyerFee));
    ledger.credit(seller.account, quoteToken, subFixed(quote, sellerFee));
    ledger.charge(baseToken, buyerFee);
    ledger.charge(quoteToken, sellerFee);
  }

  /** Takes the traded quantity off both orders and off the maker's level. */
  #reduce(state: ExchangeMarket, { taker, maker, level, quantity, quote }: TradeTerms): void {
    maker.remaining = subFixed(maker.remaining, quantity);
    if (maker.worth !== 0n) maker.worth = subFixed(maker.worth, quote);
    level.add(negFixed(quantity));
    if (maker.remaining === 0n) level.unlink(maker);
    taker.remaining = subFixed(taker.remaining, taker.orderMode === 1 ? quote : quantity);
    if (taker.budget !== undefined) {
      taker.budget = subFixed(taker.budget, taker.side === "BUY" ? quote : quantity);
    }
    this.#touch(state, maker, level);
  }

  /** Publishes the trade and returns its id. */
  #print(state: ExchangeMarket, { taker, maker, level, quantity, quote }: TradeTerms): string {
    this.#tradeCount += 1;
    const tradeId = String(this.#tradeCount);
    const { timeMs } = this.#blocks;
    const takerBuys = taker.side === "BUY";
    const record = {
      marketId: state.market.marketId,
      tradeId,
      price: level.price,
      quantity,
      buyOrderId: takerBuys ? taker.orderId : maker.orderId,
      sellOrderId: takerBuys ? maker.orderId : taker.orderId,
      timeMs,
      isBuyerMaker: !takerBuys,
    };
    state.trades.push(record);
    state.candles.trade(level.price, quantity, quote, timeMs);
    this.#blocks.trade(record);
    return tradeId;
  }

  /** Publishes a trade between recorded orders: it moves no money. */
  printRecorded(
    state: ExchangeMarket,
    price: number,
    quantity: number,
    isBuyerMaker: boolean,
  ): void {
    const record = this.passRecorded(state, price, quantity, isBuyerMaker);
    const exact = record.quantity;
    const quote = state.prices.of(fixedFromNumber(price)).notional(exact);
    state.candles.trade(price, exact, quote, record.timeMs);
    this.#blocks.trade(record);
    this.#wakeStops(state, price);
  }

  /** Numbers a trade that reaches no stop order, and keeps it among the public trades. Candles have those of blocks only. */
  passRecorded(
    state: ExchangeMarket,
    price: number,
    quantity: number,
    isBuyerMaker: boolean,
  ): TradeRecord {
    this.#tradeCount += 1;
    const { timeMs } = this.#blocks;
    const record = new RecordedPrint(
      state,
      this.#tradeCount,
      price,
      quantity,
      timeMs,
      isBuyerMaker,
    );
    state.trades.push(record);
    return record;
  }

  #wakeStops(state: ExchangeMarket, price: number): void {
    if (state.stops.isReachedBy(price)) this.#watch?.printed(state, price);
  }

  /** Adds the trade to the history of one of its accounts, with its event. */
  #book(order: Order, trade: BookedTrade): void {
    if (order.account.isFlow) return;
    this.#userTradeCount += 1;
    this.#index.trade(order.account, trade);
    if (order.status === "FILLED") this.#index.end(order);
    this.#blocks.orderEvent("TRADE", order, trade);
  }
}

/** Computes what a trade exchanges. A maker that is filled pays its whole remaining worth, so that nothing stays locked. */
function tradeTerms(
  state: ExchangeMarket,
  taker: Order,
  maker: Order,
  quantity: Fixed,
): TradeTerms {
  const { level, worth } = maker;
  assert(level !== undefined, "a maker rests at a level");
  const isWholeWorth = worth !== 0n && quantity === maker.remaining;
  const quote = isWholeWorth ? worth : level.exact.notional(quantity);
  const takerBuys = taker.side === "BUY";
  return {
    taker,
    maker,
    level,
    quantity,
    quote,
    takerFee: state.takerFee.of(takerBuys ? quantity : quote),
    makerFee: state.makerFee.of(takerBuys ? quote : quantity),
  };
}

/** Updates one of the two orders after a trade. */
function execute(order: Order, quantity: Fixed, quote: Fixed, timeMs: UnixMs): void {
  order.executedQty = addFixed(order.executedQty, quantity);
  order.executedQuoteQty = addFixed(order.executedQuoteQty, quote);
  order.status = order.remaining === 0n ? "FILLED" : "PARTIALLY_FILLED";
  order.updatedAtMs = timeMs;
}

/** What a resting order locks: its worth in quote for a buy, its base quantity for a sell. */
function restNeed({ side, worth, remaining }: Order): Fixed {
  return side === "BUY" ? worth : remaining;
}

/** How much base the taker can trade with this maker; 0 when the taker's quote buys nothing (D21). */
function fillable(taker: Order, remaining: Fixed, available: Fixed, level: ExchangeLevel): Fixed {
  const wanted = taker.orderMode === 0 ? remaining : affordable(remaining, level.exact.units);
  const quantity = minFixed(wanted, available);
  const { budget } = taker;
  if (budget === undefined) return quantity;
  // A fired stop market order spends no more than was locked for it (D24).
  if (taker.side === "SELL") return minFixed(quantity, budget);
  const { exact } = level;
  return exact.notional(quantity) <= budget ? quantity : affordable(budget, exact.units);
}
