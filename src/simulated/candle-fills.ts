import { assert } from "../base/assert.ts";
import {
  addFixed,
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedToNumber,
  maxFixed,
  mulFixed,
  subFixed,
  truncFixed,
  ZERO,
} from "../domain/fixed.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import { rulesOf } from "../domain/rules-of.ts";
import { opposite, type Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { type QueueModel, riskAverseQueue } from "../exchange/queue-model.ts";
import type { RecordedLiquidity } from "../exchange/recorded-liquidity.ts";
import type { Candle, CandleOpen } from "../recordings/candle.ts";
import type { PlayedEvent } from "../recordings/recorded-gaps.ts";
import type { DepthLevels } from "../exchange/recorded-side.ts";
import type { FillModel, MarketFlow } from "./fill-model.ts";

/** The configuration's `models.candles`. */
export interface CandleSettings {
  /** Share of a candle's volume that own orders can trade. */
  readonly volumeShare: number;
  /** Distance from a candle's price to either side of the book that stands for it, as a share of the price. */
  readonly halfSpread: number;
}

export const defaultCandles: CandleSettings = { volumeShare: 0.1, halfSpread: 0.0002 };

/** Only prices strictly beyond an order's own fill it. */
const throughOnly: QueueModel = { ...riskAverseQueue, fillsAtPrice: false };
/** Quantities of the book are doubles. */
const DECIMALS = 8;
const SMALLEST = fixed("0.00000001");
const noLevels = new Float64Array();

/**
 * Fills by candles (docs/replay.md, "Candles"; decision 042). A candle does not say in which order its prices came, so each rule takes the
 * worse case: stop orders trigger first and at its worst price, the side that its close proves wrong is filled before the other, and an
 * order that is younger than the candle is not filled by it.
 */
export function candleFills(settings: CandleSettings): FillModel {
  return {
    open(exchange, marketId) {
      const market = exchange.markets.find((known) => known.marketId === marketId);
      assert(market !== undefined, "a market of the exchange");
      const recorded = exchange.recordedLiquidity(marketId, throughOnly);
      return new CandleFlow(recorded, rulesOf(market), settings);
    },
  };
}

class CandleFlow implements MarketFlow {
  readonly #recorded: RecordedLiquidity;
  readonly #rules: MarketRules;
  readonly #volumeShare: Fixed;
  readonly #halfSpread: number;
  /** What resting orders and stop orders traded at the open of the current candle. */
  #tradedAtOpen: Fixed = ZERO;
  /** Best prices and quantity of the book that stands for the candle. */
  #shown: { readonly bid: number; readonly ask: number; readonly size: Fixed } | undefined;

  constructor(recorded: RecordedLiquidity, rules: MarketRules, settings: CandleSettings) {
    this.#recorded = recorded;
    this.#rules = rules;
    this.#volumeShare = fixedFromNumber(settings.volumeShare);
    this.#halfSpread = settings.halfSpread;
  }

  get ignored(): number {
    return this.#recorded.ignored;
  }

  depthLevels(side: Side): DepthLevels {
    return this.#recorded.depthLevels(side);
  }

  play(event: PlayedEvent, nowMs: UnixMs): void {
    if (event.type === "candle") this.#candle(event.candle, nowMs);
    else {
      assert(event.type === "open", "a recording of candles has nothing else");
      // Before the first whole candle, no quantity is known that a book could have.
      if (this.#shown !== undefined) this.#open(event, this.#shown.size, nowMs);
    }
  }

  /** Orders that the open has passed fill before the bot sees it, and stop orders that it has reached trade there. */
  #open({ price, volume }: CandleOpen, size: Fixed, nowMs: UnixMs): void {
    const part = this.#sizeOf(volume);
    let left = fixedToNumber(part);
    for (const side of ["BUY", "SELL"] as const) {
      const reach = { price, quantity: left };
      left = this.#recorded.fillBeyond(side, reach, unixMs(Number.POSITIVE_INFINITY), nowMs);
    }
    let untaken = fixedFromNumber(left);
    if (this.#recorded.triggers(price)) {
      this.#showAround(price, maxFixed(untaken, this.#smallest), nowMs);
      const quantity = fixedToNumber(this.#smallest);
      this.#recorded.print({ price, quantity, isBuyerMaker: false }, nowMs);
      untaken = maxFixed(ZERO, subFixed(untaken, this.#taken()));
    }
    this.#tradedAtOpen = subFixed(part, untaken);
    this.#showAround(price, size, nowMs);
  }

  #candle(candle: Candle, nowMs: UnixMs): void {
    const { low, high, close, openMs } = candle;
    const part = this.#sizeOf(candle.volume);
    const used = addFixed(this.#taken(), this.#tradedAtOpen);
    const untaken = maxFixed(ZERO, subFixed(part, used));
    this.#showRange(low, high, maxFixed(untaken, this.#smallest), nowMs);
    let left = fixedToNumber(this.#trigger(low, high, untaken, nowMs));
    for (const side of this.#worstFirst(candle)) {
      const price = side === "BUY" ? low : high;
      left = this.#recorded.fillBeyond(side, { price, quantity: left }, openMs, nowMs);
    }
    this.#showAround(close, maxFixed(part, this.#smallest), nowMs);
  }

  /** Stop orders trade at the worst price of the candle. Returns what they leave of its volume. */
  #trigger(low: number, high: number, untaken: Fixed, nowMs: UnixMs): Fixed {
    const quantity = fixedToNumber(this.#smallest);
    let left = untaken;
    for (const price of [low, high]) {
      if (!this.#recorded.triggers(price)) continue;
      this.#recorded.print({ price, quantity, isBuyerMaker: price === low }, nowMs);
      left = maxFixed(ZERO, subFixed(left, this.#taken()));
      this.#showRange(low, high, maxFixed(left, this.#smallest), nowMs);
    }
    return left;
  }

  /** The side whose orders have lost more at the candle's close, then the other, which gets what is left of the volume. */
  #worstFirst({ low, high, close }: Candle): readonly [Side, Side] {
    const bid = this.#recorded.ownBest("BUY") ?? low;
    const ask = this.#recorded.ownBest("SELL") ?? high;
    const first = bid - close >= close - ask ? "BUY" : "SELL";
    return [first, opposite(first)];
  }

  /** What own orders have taken from the book since it was shown. */
  #taken(): Fixed {
    const shown = this.#shown;
    if (shown === undefined) return ZERO;
    const left = (side: Side, price: number): Fixed =>
      fixedFromNumber(this.#recorded.quantityAt(side, price));
    const both = addFixed(left("BUY", shown.bid), left("SELL", shown.ask));
    return subFixed(addFixed(shown.size, shown.size), both);
  }

  /** A book below and above all prices of a candle, which meets no resting order. */
  #showRange(low: number, high: number, size: Fixed, nowMs: UnixMs): void {
    const { nextBelow, nextAbove } = this.#rules;
    const ownBid = this.#recorded.ownBest("BUY") ?? 0;
    const ownAsk = this.#recorded.ownBest("SELL") ?? Number.POSITIVE_INFINITY;
    const bid = Math.min(moved(low, -1, this.#distance(low)), nextBelow(Math.min(ownAsk, low)));
    const ask = Math.max(moved(high, 1, this.#distance(high)), nextAbove(Math.max(ownBid, high)));
    this.#show(bid, ask, size, nowMs);
  }

  /**
   * A book around a price, so that its mid is that price. What is left of orders that the price has passed stays where it is, and the book
   * is wide enough not to cross it.
   */
  #showAround(price: number, size: Fixed, nowMs: UnixMs): void {
    const { nextBelow, nextAbove } = this.#rules;
    const ownBid = this.#recorded.ownBest("BUY");
    const ownAsk = this.#recorded.ownBest("SELL");
    const exact = fixedFromNumber(price);
    let distance = this.#distance(price);
    if (ownBid !== undefined) {
      distance = maxFixed(distance, subFixed(fixedFromNumber(nextAbove(ownBid)), exact));
    }
    if (ownAsk !== undefined) {
      distance = maxFixed(distance, subFixed(exact, fixedFromNumber(nextBelow(ownAsk))));
    }
    this.#show(moved(price, -1, distance), moved(price, 1, distance), size, nowMs);
  }

  #show(bid: number, ask: number, size: Fixed, nowMs: UnixMs): void {
    const quantity = fixedToNumber(size);
    const bids = bid > 0 ? Float64Array.of(bid, quantity) : noLevels;
    this.#recorded.snapshot(bids, Float64Array.of(ask, quantity), nowMs);
    this.#shown = { bid, ask, size };
  }

  /** Half the spread at a price, in whole ticks. */
  #distance(price: number): Fixed {
    const tick = this.#rules.tickAt(price);
    const ticks = Math.max(1, Math.ceil((price * this.#halfSpread) / tick - 1e-9));
    return mulFixed(fixedFromNumber(tick), fixedFromNumber(ticks));
  }

  #sizeOf(volume: number): Fixed {
    const share = mulFixed(fixedFromNumber(volume), this.#volumeShare);
    return this.#rules.roundSize(truncFixed(share, DECIMALS));
  }

  get #smallest(): Fixed {
    return maxFixed(this.#rules.lot, SMALLEST);
  }
}

function moved(price: number, sign: 1 | -1, distance: Fixed): number {
  const exact = fixedFromNumber(price);
  return fixedToNumber(sign > 0 ? addFixed(exact, distance) : subFixed(exact, distance));
}
