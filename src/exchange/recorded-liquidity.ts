import { assert } from "../base/assert.ts";
import type { DepthEvent, FlatLevels } from "../domain/depth.ts";
import {
  addFixed,
  fixed,
  fixedFromNumber,
  fixedToNumber,
  minFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import type { Address } from "../domain/ids.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder, MarketDataListener } from "./block-builder.ts";
import type { ExchangeMarket, NumericLiquidity } from "./exchange-market.ts";
import type { Ledger } from "./ledger.ts";
import type { Matching } from "./matching.ts";
import { type ExchangeLevel, Order } from "./order.ts";
import type { QueueModel } from "./queue-model.ts";
import type { RecordIds } from "./record-ids.ts";
import {
  type DepthLevels,
  isUsable,
  type OpenedLevel,
  RecordedSide,
  type RecordedSideRow,
} from "./recorded-side.ts";
import type { DepthChange, DepthLevel } from "./records.ts";

/** A public trade as recorded. */
export interface FlowTrade {
  readonly price: number;
  /** Base token. */
  readonly quantity: number;
  readonly isBuyerMaker: boolean;
}

/** The parts of an exchange that recorded liquidity uses. */
export interface RecordedLiquidityParts {
  readonly state: ExchangeMarket;
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly matching: Matching;
  readonly recordIds: RecordIds;
  /** The exchange's time, which never goes back. */
  clock(nowMs: UnixMs): UnixMs;
}

/** Recorded liquidity that is the whole market as a row of a snapshot. */
export type RecordedLiquidityRow = readonly [
  maker: Address,
  taker: Address,
  ignored: number,
  bids: RecordedSideRow,
  asks: RecordedSideRow,
];

/** More of each token than any recording trades. */
const FUNDS = fixed("1000000000000000000000000");

/**
 * Plays a recording, or public data of another venue, into one market (D35): the only engine for it, for the paper venue, replay and simulation.
 * The recorded levels are numbers (`RecordedSide`). The accounts' own orders rest in the exchange's book with all its rules; each has the
 * recorded quantity in front of it. After each recorded depth event every level has the recorded quantity, even if orders traded
 * with it in between. Where an own order can trade, the levels in question become exact orders of a funded account until the block
 * is closed, so that matching, fees and balances are those of any trade. Each call is one block.
 */
export class RecordedLiquidity implements NumericLiquidity {
  readonly #state: ExchangeMarket;
  readonly #blocks: BlockBuilder;
  readonly #matching: Matching;
  readonly #parts: RecordedLiquidityParts;
  readonly #queue: QueueModel;
  readonly #maker: Account;
  readonly #taker: Account;
  readonly #sides: Readonly<Record<Side, RecordedSide>>;
  #ignored = 0;

  constructor(parts: RecordedLiquidityParts, queue: QueueModel, saved?: RecordedLiquidityRow) {
    const { state, ledger } = parts;
    assert(state.recorded === undefined, "a market has at most one recording");
    this.#state = state;
    this.#blocks = parts.blocks;
    this.#matching = parts.matching;
    this.#parts = parts;
    this.#queue = queue;
    this.#sides = {
      BUY: new RecordedSide("BUY", state, queue),
      SELL: new RecordedSide("SELL", state, queue),
    };
    state.recorded = this;
    if (saved !== undefined) {
      const [maker, taker, ignored, bids, asks] = saved;
      this.#maker = ledger.account(maker);
      this.#taker = ledger.account(taker);
      this.#ignored = ignored;
      this.#sides.BUY.restore(bids);
      this.#sides.SELL.restore(asks);
      return;
    }
    // Each market has its own two addresses, so that recordings never share a balance.
    const number = parts.recordIds.next();
    this.#maker = ledger.flowAccount(flowAddress("a", number));
    this.#taker = ledger.flowAccount(flowAddress("b", number));
    for (const account of [this.#maker, this.#taker]) {
      ledger.deposit(account, state.market.baseToken, FUNDS);
      ledger.deposit(account, state.market.quoteToken, FUNDS);
    }
  }

  save(): RecordedLiquidityRow {
    const { BUY, SELL } = this.#sides;
    return [this.#maker.address, this.#taker.address, this.ignored, BUY.save(), SELL.save()];
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

  /** The recording is the whole market: its book is empty, and so is from now on each price that it does not show. */
  clear(nowMs: UnixMs): void {
    const { BUY, SELL } = this.#sides;
    const timeMs = this.#parts.clock(nowMs);
    this.#changed(BUY.applyWhole(noLevels, true), SELL.applyWhole(noLevels, true), timeMs);
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
    const left = this.#fillOwn(makers, { price, quantity });
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
    const event = this.closeEvent(timeMs);
    if (event !== undefined) marketData.depth(event);
  }

  // Called by matching and the market while a block is open.

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

  closeEvent(timeMs: UnixMs): DepthEvent | undefined {
    const { BUY, SELL } = this.#sides;
    const bids = BUY.changes.take(this.#closeSide(BUY));
    const asks = SELL.changes.take(this.#closeSide(SELL));
    const ids = this.#state.nextDepthIds((bids.length + asks.length) / 2, timeMs);
    return ids && { ...ids, bids, asks };
  }

  closeDepth(timeMs: UnixMs): DepthChange | undefined {
    const { BUY, SELL } = this.#sides;
    const bids = this.#exactChanges(BUY);
    const asks = this.#exactChanges(SELL);
    const ids = this.#state.nextDepthIds(bids.length + asks.length, timeMs);
    return ids && { ...ids, bids, asks };
  }

  #exactChanges(recorded: RecordedSide): readonly DepthLevel[] {
    const touched = this.#closeSide(recorded);
    const changes = recorded.changes.take(touched);
    const exact: DepthLevel[] = [];
    for (let at = 0; at < changes.length - 2 * touched.length; at += 2) {
      const quantity = fixedFromNumber(changes[at + 1] ?? 0);
      exact.push({ price: changes[at] ?? 0, quantity });
    }
    exact.push(...touched);
    return exact;
  }

  /** Makes numbers of the opened levels again. Returns the levels on which own orders have changed, with all that is there. */
  #closeSide(recorded: RecordedSide): readonly DepthLevel[] {
    const { changes, opened, levels, orders, side } = recorded;
    if (opened.length > 0) {
      changes.differs();
      for (const one of opened) this.#fold(recorded, one);
      opened.length = 0;
    }
    const touched = this.#state.takeTouched(side);
    if (touched.length === 0) return touched;
    return touched.map(({ price, quantity }) => {
      const there = fixedFromNumber(levels.quantityAt(price));
      if (quantity === 0n) return { price, quantity: there };
      for (let order = orders.find(price)?.head; order !== undefined; order = order.next) {
        order.front ??= recorded.remainingAt(price);
      }
      return { price, quantity: addFixed(quantity, there) };
    });
  }

  // Exact orders, where an own order trades.

  /** Fills the own orders that a trade reaches, with the recorded quantity before and between them, and returns what it has left. */
  #fillOwn(makers: RecordedSide, { price, quantity }: FillReach): number {
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
    recorded.opened.push({ level, quantity });
  }

  /** Makes numbers of a level's recorded orders again. */
  #fold(recorded: RecordedSide, { level, quantity }: OpenedLevel): void {
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
      const left = fixedToNumber(front);
      if (left < quantity) recorded.noteTaken(level.price, quantity);
      recorded.levels.swap(level.price, left);
      recorded.levels.settle();
    }
    if (level.head === undefined && !level.isTouched) recorded.orders.drop(level);
  }

  #order(account: Account, side: Side, price: number, quantity: Fixed): Order {
    return new Order({
      recordId: this.#parts.recordIds.next(),
      orderId: undefined,
      account,
      market: this.#state.market,
      side,
      orderType: "LIMIT",
      orderMode: 0,
      price: fixedFromNumber(price),
      quantity,
      timeMs: this.#blocks.timeMs,
    });
  }
}

const noLevels: FlatLevels = new Float64Array();

type FillReach = Pick<FlowTrade, "price" | "quantity">;

/** Address of one of the two accounts behind recorded liquidity: `a` holds its levels, `b` sends its trades. */
function flowAddress(kind: "a" | "b", number: number): Address {
  return `0xf10${kind}${number.toString(16).padStart(36, "0")}` as Address;
}

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
