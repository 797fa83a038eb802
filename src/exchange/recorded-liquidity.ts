import { assert } from "../base/assert.ts";
import type { DepthEvent, FlatLevels } from "../domain/depth.ts";
import {
  addFixed,
  fixedFromNumber,
  fixedToNumber,
  minFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder, MarketDataListener } from "./block-builder.ts";
import type { ExchangeMarket, NumericLiquidity } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { flowOrder } from "./flow-order.ts";
import type { ExchangeLevel, Order } from "./order.ts";
import type { QueueModel } from "./queue-model.ts";
import {
  type FlowTrade,
  flowAddress,
  FUNDS,
  isUsable,
  type RecordedFlowParts,
} from "./recorded-flow.ts";
import { type DepthLevels, RecordedSide } from "./recorded-side.ts";
import type { DepthLevel } from "./records.ts";

/**
 * Plays a recording into one market, whose levels are numbers (D35). Own orders rest in the exchange's book with all its rules; each has the
 * recorded quantity in front of it. After each recorded depth event every level has the recorded quantity, even if orders traded
 * with it in between. Where an own order can trade, the levels in question become exact orders of a funded account until the block
 * is closed, so that matching, fees and balances are those of any trade. Each call is one block.
 */
export class RecordedLiquidity implements NumericLiquidity {
  readonly #state: ExchangeMarket;
  readonly #blocks: BlockBuilder;
  readonly #matching: Matching;
  readonly #parts: RecordedFlowParts;
  readonly #queue: QueueModel;
  readonly #maker: Account;
  readonly #taker: Account;
  readonly #sides: Readonly<Record<Side, RecordedSide>>;
  #ignored = 0;

  constructor(parts: RecordedFlowParts, queue: QueueModel) {
    const { state, ledger } = parts;
    assert(
      state.flow === undefined && state.recorded === undefined,
      "a market has at most one recording",
    );
    this.#state = state;
    this.#blocks = parts.blocks;
    this.#matching = parts.matching;
    this.#parts = parts;
    this.#queue = queue;
    const number = parts.recordIds.next();
    this.#maker = ledger.flowAccount(flowAddress("a", number));
    this.#taker = ledger.flowAccount(flowAddress("b", number));
    for (const account of [this.#maker, this.#taker]) {
      ledger.deposit(account, state.market.baseToken, FUNDS);
      ledger.deposit(account, state.market.quoteToken, FUNDS);
    }
    this.#sides = {
      BUY: new RecordedSide("BUY", state, queue),
      SELL: new RecordedSide("SELL", state, queue),
    };
    state.recorded = this;
  }

  /** Number of recorded levels and trades that were skipped because no order can have their price or quantity. */
  get ignored(): number {
    const { BUY, SELL } = this.#sides;
    return this.#ignored + BUY.ignored + SELL.ignored;
  }

  /** Quantity of recorded liquidity at a price. */
  quantityAt(side: Side, price: number): number {
    return this.#sides[side].levels.quantityAt(price);
  }

  /** The recorded levels of a side, without what was traded since the newest depth event. */
  depthLevels(side: Side): DepthLevels {
    return this.#sides[side];
  }

  /** Applies a complete recorded book: levels that are not in it are removed. Of an empty book nothing is known, as after a gap. */
  snapshot(bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    const { BUY, SELL } = this.#sides;
    const timeMs = this.#parts.clock(nowMs);
    const isKnown = bids.length + asks.length > 0;
    this.#changed(BUY.applyWhole(bids, isKnown), SELL.applyWhole(asks, isKnown), timeMs);
  }

  /** Applies a recorded depth event: absolute quantities, 0 removes a level. Raised levels fill the own orders that they cross. */
  depth(bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    const { BUY, SELL } = this.#sides;
    const timeMs = this.#parts.clock(nowMs);
    this.#changed(BUY.apply(bids), SELL.apply(asks), timeMs);
  }

  /** Both sides have changed; `bid` and `ask` are their best prices that have more than before. */
  #changed(bid: number | undefined, ask: number | undefined, timeMs: UnixMs): void {
    const { BUY, SELL } = this.#sides;
    BUY.endBefore(SELL);
    SELL.endBefore(BUY);
    const crosses =
      (bid !== undefined && SELL.isReachedBy(bid)) || (ask !== undefined && BUY.isReachedBy(ask));
    const { marketData } = this.#blocks;
    if (marketData !== undefined && !crosses && !this.#state.isTouched) {
      this.#blocks.pass(timeMs);
      this.#publish(marketData, timeMs);
      return;
    }
    this.#blocks.open(timeMs, undefined);
    this.#blocks.changes(this.#state);
    if (bid !== undefined) this.#cross("BUY", bid);
    if (ask !== undefined) this.#cross("SELL", ask);
    this.#blocks.close();
  }

  /**
   * Applies a recorded trade. It removes what rests better than its price, since depth is older than trades; then own orders and recorded
   * levels up to its price trade with it by price and time. What is left prints too: it traded with orders that the depth does not show.
   */
  trade(trade: FlowTrade, nowMs: UnixMs): void {
    const { price, quantity, isBuyerMaker } = trade;
    if (!isUsable(price, quantity) || quantity === 0) {
      this.#ignored += 1;
      return;
    }
    const timeMs = this.#parts.clock(nowMs);
    const makers = this.#sides[isBuyerMaker ? "BUY" : "SELL"];
    const { marketData } = this.#blocks;
    const meetsOrder = makers.isReachedBy(price) || this.#state.stops.isReachedBy(price);
    if (marketData !== undefined && !meetsOrder) {
      this.#blocks.pass(timeMs);
      makers.removeBetter(price);
      makers.take(price, quantity);
      const { marketId, tradeId } = this.#matching.passRecorded(
        this.#state,
        price,
        quantity,
        isBuyerMaker,
      );
      marketData.trade({ marketId, tradeId, price, quantity, timeMs, isBuyerMaker });
      this.#publish(marketData, timeMs);
      return;
    }
    this.#blocks.open(timeMs, undefined);
    this.#blocks.changes(this.#state);
    makers.removeBetter(price);
    const left = this.#fillOwn(makers, trade);
    if (left > 0) {
      makers.take(price, left);
      this.#matching.printRecorded(this.#state, price, left, isBuyerMaker);
    }
    this.#blocks.close();
  }

  /** The best price of the account's own orders. */
  ownBest(side: Side): number | undefined {
    return this.#state.side(side).best()?.price;
  }

  /**
   * Fills own orders of a side at prices strictly better than `price`, by price and time, with this quantity at most, and returns what is
   * left of it. Orders that are new or have changed since `sinceMs` stand aside. Needs a queue that does not fill at an order's price.
   */
  fillBeyond(side: Side, { price, quantity }: FillReach, sinceMs: UnixMs, nowMs: UnixMs): number {
    const makers = this.#sides[side];
    if (quantity === 0 || !makers.isReachedBy(price)) return quantity;
    this.#blocks.open(this.#parts.clock(nowMs), undefined);
    this.#blocks.changes(this.#state);
    const aside = newOrders(makers, price, sinceMs);
    for (const { level, order } of aside) level.unlink(order);
    const left = this.#fillOwn(makers, { price, quantity, isBuyerMaker: side === "BUY" });
    for (const { level, order } of aside) level.append(order);
    this.#blocks.close();
    return left;
  }

  /** Whether a trade at this price triggers a stop order. */
  triggers(price: number): boolean {
    return this.#state.stops.isReachedBy(price);
  }

  /** A trade that meets no resting order, but triggers stop orders. */
  print({ price, quantity, isBuyerMaker }: FlowTrade, nowMs: UnixMs): void {
    this.#blocks.open(this.#parts.clock(nowMs), undefined);
    this.#blocks.changes(this.#state);
    this.#matching.printRecorded(this.#state, price, quantity, isBuyerMaker);
    this.#blocks.close();
  }

  #publish(marketData: MarketDataListener, timeMs: UnixMs): void {
    const event = this.closeDepth(timeMs);
    if (event !== undefined) marketData.depth(event);
  }

  // Called by matching and the market while a block is open.

  filled(side: Side, price: number, flowQuantityBefore: Fixed): void {
    const { taken } = this.#sides[side];
    if (this.#sides[side].isKnown(price) && !taken.has(price))
      taken.set(price, fixedToNumber(flowQuantityBefore));
  }

  reach(taker: Order, limit: number | undefined): void {
    const makers = this.#sides[opposite(taker.side)];
    let wanted = fixedToNumber(taker.remaining);
    const enough = -1e-6 * wanted;
    const prices: number[] = [];
    const cursor = makers.levels.cursor();
    while (wanted > enough && cursor.next()) {
      if (limit !== undefined && makers.isBetter(limit, cursor.price)) break;
      prices.push(cursor.price);
      wanted -= taker.orderMode === 1 ? cursor.price * cursor.quantity : cursor.quantity;
    }
    for (const price of prices) this.#open(makers, price);
    // Even when nothing trades, the levels have to become numbers again.
    this.#blocks.changes(this.#state);
  }

  bestPrice(side: Side): number | undefined {
    return this.#sides[side].bestPrice;
  }

  top(side: Side, limit: number): DepthLevel[] {
    return this.#sides[side].top(limit);
  }

  closeDepth(timeMs: UnixMs): DepthEvent | undefined {
    const state = this.#state;
    const bids = this.#closeSide(this.#sides.BUY);
    const asks = this.#closeSide(this.#sides.SELL);
    const count = (bids.length + asks.length) / 2;
    if (count === 0) return undefined;
    const firstId = state.depthId + 1;
    state.depthId += count;
    state.updatedAtMs = timeMs;
    const { marketId } = state.market;
    return { marketId, firstId, finalId: state.depthId, timeMs, bids, asks };
  }

  #closeSide(recorded: RecordedSide): FlatLevels {
    const { changes, opened, levels, orders, side } = recorded;
    if (opened.length > 0) changes.differs();
    for (const level of opened) this.#fold(recorded, level);
    opened.length = 0;
    const ends = this.#state.takeTouched(side);
    if (ends.length === 0) return changes.take(none);
    const touched = ends.map(({ price, quantity }) => {
      const before = levels.quantityAt(price);
      if (quantity === 0n) return [price, before] as const;
      for (let order = orders.find(price)?.head; order !== undefined; order = order.next) {
        order.front ??= recorded.remainingAt(price);
      }
      return [price, fixedToNumber(addFixed(quantity, fixedFromNumber(before)))] as const;
    });
    return changes.take(touched);
  }

  // Exact orders, where an own order trades.

  /** Fills the own orders that a trade reaches, with the recorded quantity before and between them, and returns what it has left. */
  #fillOwn(makers: RecordedSide, { price, quantity }: FlowTrade): number {
    const { orders } = makers;
    const best = orders.best();
    if (best === undefined || !orders.reaches(best, price)) return quantity;
    const { fillsAtPrice, fillsInPart } = this.#queue;
    let limit = price;
    if (fillsAtPrice) this.#openFor(makers, price, quantity);
    else {
      const beyond = makers.worstBeyond(price);
      if (beyond === undefined) return quantity;
      limit = beyond;
    }
    const whole = fixedFromNumber(quantity);
    const missing = fillsInPart ? ZERO : makers.missingForWhole(limit, whole);
    const taker = this.#order(this.#taker, opposite(makers.side), price, addFixed(whole, missing));
    this.#matching.take(this.#state, taker, limit);
    return fixedToNumber(taker.remaining);
  }

  /** A recorded price fills the own orders of the other side that it crosses. */
  #cross(side: Side, price: number): void {
    const makers = this.#sides[opposite(side)].orders;
    const best = makers.best();
    if (best === undefined || !makers.reaches(best, price)) return;
    let crossed = ZERO;
    for (let rank = 0; ; rank += 1) {
      const level = makers.at(rank);
      if (level === undefined || !makers.reaches(level, price)) break;
      crossed = addFixed(crossed, level.quantity);
    }
    this.#matching.take(this.#state, this.#order(this.#maker, side, price, crossed), price);
  }

  /** As `#open`. Where the quantity is not known, own orders of which nobody knows what is in front of them have the whole trade there. */
  #openFor(makers: RecordedSide, price: number, traded: number): void {
    if (makers.isKnown(price)) this.#open(makers, price);
    else if (makers.ordersAt(price) !== undefined)
      this.#place(makers, price, makers.mostInFront(price) + traded);
  }

  /** Makes orders of the recorded quantity at a price, before and between the own orders there. */
  #open(recorded: RecordedSide, price: number): void {
    const quantity = recorded.levels.swap(price, 0);
    if (quantity > 0) this.#place(recorded, price, quantity);
  }

  #place(recorded: RecordedSide, price: number, quantity: number): void {
    const level = recorded.orders.ensure(this.#state.prices.of(fixedFromNumber(price)));
    const own: Order[] = [];
    for (let order = level.head; order !== undefined; order = order.next) own.push(order);
    for (const order of own) level.unlink(order);
    let placed = ZERO;
    const placeUpTo = (front: Fixed): void => {
      if (front <= placed) return;
      level.append(this.#order(this.#maker, recorded.side, price, subFixed(front, placed)));
      placed = front;
    };
    const whole = fixedFromNumber(quantity);
    for (const order of own) {
      placeUpTo(minFixed(whole, fixedFromNumber(order.front ?? quantity)));
      level.append(order);
    }
    placeUpTo(whole);
    recorded.opened.push(level);
  }

  /** Makes numbers of a level's recorded orders again. */
  #fold(recorded: RecordedSide, level: ExchangeLevel): void {
    const isKnown = recorded.isKnown(level.price);
    let front = ZERO;
    let next: Order | undefined;
    for (let order = level.head; order !== undefined; order = next) {
      next = order.next;
      if (order.account.isFlow) {
        front = addFixed(front, order.remaining);
        level.unlink(order);
      } else if (isKnown || order.front !== undefined) order.front = fixedToNumber(front);
    }
    if (isKnown) {
      recorded.levels.swap(level.price, fixedToNumber(front));
      recorded.levels.settle();
    }
    if (level.head === undefined && !level.isTouched) recorded.orders.drop(level);
  }

  #order(account: Account, side: Side, price: number, quantity: Fixed): Order {
    const terms = { account, side, price: fixedFromNumber(price), quantity };
    return flowOrder(this.#parts.recordIds, this.#blocks, this.#state.market, terms);
  }
}

const none: readonly never[] = [];

type FillReach = Pick<FlowTrade, "price" | "quantity">;

/** Own orders at a price or better that are new or have changed since a time, in the order of their queues. */
function newOrders(
  { orders }: RecordedSide,
  price: number,
  sinceMs: UnixMs,
): readonly { readonly level: ExchangeLevel; readonly order: Order }[] {
  const found: { readonly level: ExchangeLevel; readonly order: Order }[] = [];
  for (let rank = 0; ; rank += 1) {
    const level = orders.at(rank);
    if (level === undefined || !orders.reaches(level, price)) return found;
    for (let order = level.head; order !== undefined; order = order.next) {
      if (order.updatedAtMs > sinceMs) found.push({ level, order });
    }
  }
}
