import { Ring } from "../base/ring.ts";
import { ScratchList } from "../base/scratch-list.ts";
import type { DepthEvent } from "../domain/depth.ts";
import { fixedFromNumber } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import { rulesOf } from "../domain/rules-of.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { ExchangeBookSide } from "./exchange-book-side.ts";
import { Candles } from "./candles.ts";
import { type ExactPrice, PriceTable } from "./exact-price.ts";
import { FeeRate } from "./fee-rate.ts";
import { flat, type SnapshotPart, partLater, partNow, type SavedRows, unflat } from "./snapshot.ts";
import { priceOfUnits } from "./notional.ts";
import type { ExchangeLevel, Order } from "./order.ts";
import type { DepthChange, DepthLevel, TradeRecord } from "./records.ts";
import { StopBook } from "./stop-book.ts";

/** Recorded liquidity, whose levels are numbers beside the orders of a market (`RecordedLiquidity`). */
export interface NumericLiquidity {
  /** Makes orders of the recorded levels that an incoming order can trade with, until the block is closed. */
  reach(taker: Order, limit: number | undefined): void;
  /** The best price of this side, own orders included. */
  bestPrice(side: Side): number | undefined;
  /** Up to `limit` levels, own orders included, best first. */
  top(side: Side, limit: number): DepthLevel[];
  /** Ends the block's changes, as numbers; undefined when no level has changed. */
  closeEvent(timeMs: UnixMs): DepthEvent | undefined;
  /** As `closeEvent`, with exact quantities. */
  closeDepth(timeMs: UnixMs): DepthChange | undefined;
}

export interface ExchangeMarketLimits {
  readonly recentTrades: number;
  readonly candlesPerResolution: number;
}

/** A market's book, depth ids, trades and candles. */
export class ExchangeMarket {
  readonly market: Market;
  readonly bids = new ExchangeBookSide("BUY");
  readonly asks = new ExchangeBookSide("SELL");
  makerFee: FeeRate;
  takerFee: FeeRate;
  readonly trades: Ring<TradeRecord>;
  readonly candles: Candles;
  readonly stops = new StopBook();
  readonly rules: MarketRules;
  readonly prices: PriceTable;
  /** Set where a recording is played: then `bids` and `asks` hold own orders only, except for levels that they trade with. */
  recorded: NumericLiquidity | undefined = undefined;
  /** Id of the last level change (D36). */
  depthId = 0;
  updatedAtMs: UnixMs = unixMs(0);
  readonly #touchedBids = new ScratchList<ExchangeLevel>();
  readonly #touchedAsks = new ScratchList<ExchangeLevel>();

  constructor(market: Market, limits: ExchangeMarketLimits) {
    this.market = market;
    this.rules = rulesOf(market);
    this.prices = new PriceTable(this.rules);
    this.makerFee = new FeeRate(market.makerFee);
    this.takerFee = new FeeRate(market.takerFee);
    this.trades = new Ring(limits.recentTrades);
    this.candles = new Candles(limits.candlesPerResolution);
  }

  side(side: Side): ExchangeBookSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  get isTouched(): boolean {
    return this.#touchedBids.size > 0 || this.#touchedAsks.size > 0;
  }

  /** Marks this level as changed by the open block. */
  touch(side: Side, level: ExchangeLevel): void {
    if (level.isTouched) return;
    level.isTouched = true;
    (side === "BUY" ? this.#touchedBids : this.#touchedAsks).add(level);
  }

  save(): SnapshotPart[] {
    const { marketId } = this.market;
    const queues: QueueRow[] = [];
    for (const side of [this.bids, this.asks]) {
      for (let rank = 0; rank < side.size; rank += 1) {
        const level = side.at(rank);
        if (level !== undefined) queues.push(queueRow(side.side, level));
      }
    }
    return [
      partNow(`market/${marketId}`, [[this.depthId, this.updatedAtMs]]),
      partNow(`queues/${marketId}`, queues),
      partLater(`trades/${marketId}`, this.trades.oldestFirst(), tradeRow),
      ...this.candles.save(`candles/${marketId}`),
    ];
  }

  /** `orderOf` finds an order by its record id. */
  restore(saved: SavedRows, orderOf: (recordId: number) => Order): void {
    const { marketId } = this.market;
    for (const [depthId, updatedAtMs] of saved<[number, UnixMs]>(`market/${marketId}`)) {
      this.depthId = depthId;
      this.updatedAtMs = updatedAtMs;
    }
    for (const [side, , units, orders] of saved<QueueRow>(`queues/${marketId}`)) {
      const level = this.side(side).ensure(this.prices.of(priceOfUnits(BigInt(units))));
      for (const recordId of orders) {
        const order = orderOf(recordId);
        level.append(order);
        const isLocked = side === "BUY" && !order.isLeg;
        if (isLocked) order.worth = level.exact.notional(order.remaining);
      }
    }
    for (const row of saved(`trades/${marketId}`)) this.trades.push(unflat<TradeRecord>(row));
    this.candles.restore(`candles/${marketId}`, saved);
  }

  /** The best price of a side; undefined when it is empty. */
  bestPrice(side: Side): ExactPrice | undefined {
    if (this.recorded === undefined) return this.side(side).best()?.exact;
    const best = this.recorded.bestPrice(side);
    return best === undefined ? undefined : this.prices.of(fixedFromNumber(best));
  }

  /** Up to `limit` levels that have orders, best first. */
  top(side: Side, limit: number): DepthLevel[] {
    return this.recorded === undefined
      ? this.side(side).top(limit)
      : this.recorded.top(side, limit);
  }

  /** Removes and returns the changed levels of a side, with their quantities; emptied ones leave the book. */
  takeTouched(side: Side): readonly DepthLevel[] {
    return close(this.side(side), side === "BUY" ? this.#touchedBids : this.#touchedAsks);
  }

  /** Ends the block's changes: assigns their ids, removes emptied levels, and returns what changed; undefined when no level has. */
  closeDepth(timeMs: UnixMs): DepthChange | undefined {
    if (this.recorded !== undefined) return this.recorded.closeDepth(timeMs);
    const bids = this.takeTouched("BUY");
    const asks = this.takeTouched("SELL");
    const ids = this.nextDepthIds(bids.length + asks.length, timeMs);
    return ids && { ...ids, bids, asks };
  }

  /** The head of the next depth event, for this many changed levels; undefined for none. */
  nextDepthIds(count: number, timeMs: UnixMs): Omit<DepthChange, "bids" | "asks"> | undefined {
    if (count === 0) return undefined;
    const firstId = this.depthId + 1;
    this.depthId += count;
    this.updatedAtMs = timeMs;
    return { marketId: this.market.marketId, firstId, finalId: this.depthId, timeMs };
  }
}

/** A level's queue; its orders are saved elsewhere. */
type QueueRow = readonly [side: Side, price: number, units: string, recordIds: readonly number[]];

function queueRow(side: Side, level: ExchangeLevel): QueueRow {
  const orders: number[] = [];
  for (let order = level.head; order !== undefined; order = order.next) orders.push(order.recordId);
  return [side, level.price, String(level.exact.units), orders];
}

/** Field by field: those of a `RecordedPrint` are made when they are read. */
function tradeRow(trade: TradeRecord): unknown {
  const { marketId, tradeId, price, quantity, buyOrderId, sellOrderId } = trade;
  const { timeMs, isBuyerMaker } = trade;
  return flat({
    marketId,
    tradeId,
    price,
    quantity,
    buyOrderId,
    sellOrderId,
    timeMs,
    isBuyerMaker,
  });
}

function close(side: ExchangeBookSide, touched: ScratchList<ExchangeLevel>): readonly DepthLevel[] {
  if (touched.size === 0) return none;
  const changes = new Array<DepthLevel>(touched.size);
  for (let at = 0; at < changes.length; at += 1) {
    const level = touched.at(at);
    level.isTouched = false;
    if (level.head === undefined) side.drop(level);
    changes[at] = { price: level.price, quantity: level.quantity };
  }
  touched.clear();
  return changes;
}

const none: readonly DepthLevel[] = [];
