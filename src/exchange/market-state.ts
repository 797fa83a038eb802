import { Ring } from "../base/ring.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { BookSide } from "./book-side.ts";
import { Candles } from "./candles.ts";
import { FeeRate } from "./fee-rate.ts";
import type { Level } from "./order.ts";
import type { DepthChange, DepthLevel, TradeRecord } from "./records.ts";

/** Told when an order of recorded liquidity is filled, so that the next recorded depth can put it back (D35). */
export interface FlowWatch {
  filled(side: Side, price: number, flowQuantityBefore: Fixed): void;
}

export interface MarketLimits {
  readonly recentTrades: number;
  readonly candlesPerResolution: number;
}

/** One market: its book, its depth ids, its trades and candles. */
export class MarketState {
  readonly market: Market;
  readonly bids = new BookSide("BUY");
  readonly asks = new BookSide("SELL");
  readonly makerFee: FeeRate;
  readonly takerFee: FeeRate;
  readonly trades: Ring<TradeRecord>;
  readonly candles: Candles;
  flow: FlowWatch | undefined = undefined;
  /** Id of the last level change (D36). */
  depthId = 0;
  updatedAtMs: UnixMs = unixMs(0);
  #touchedBids: Level[] = [];
  #touchedAsks: Level[] = [];

  constructor(market: Market, limits: MarketLimits) {
    this.market = market;
    this.makerFee = new FeeRate(market.makerFee);
    this.takerFee = new FeeRate(market.takerFee);
    this.trades = new Ring(limits.recentTrades);
    this.candles = new Candles(limits.candlesPerResolution);
  }

  side(side: Side): BookSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  get isTouched(): boolean {
    return this.#touchedBids.length > 0 || this.#touchedAsks.length > 0;
  }

  /** Notes that the open block changed this level. */
  touch(side: Side, level: Level): void {
    if (level.isTouched) return;
    level.isTouched = true;
    (side === "BUY" ? this.#touchedBids : this.#touchedAsks).push(level);
  }

  /** Ends the block's changes: gives each its id, takes emptied levels away, and tells what changed. */
  closeDepth(timeMs: UnixMs): DepthChange {
    const bids = close(this.bids, this.#touchedBids);
    const asks = close(this.asks, this.#touchedAsks);
    const firstId = this.depthId + 1;
    this.depthId += bids.length + asks.length;
    this.updatedAtMs = timeMs;
    this.#touchedBids = [];
    this.#touchedAsks = [];
    return { marketId: this.market.marketId, firstId, finalId: this.depthId, timeMs, bids, asks };
  }
}

function close(side: BookSide, touched: readonly Level[]): DepthLevel[] {
  return touched.map((level) => {
    level.isTouched = false;
    if (level.head === undefined) side.drop(level);
    return { price: level.price, quantity: level.quantity };
  });
}
