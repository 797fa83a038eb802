import { assert } from "../base/assert.ts";
import { Decimal } from "../domain/decimal.ts";
import { addFixed, fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Block } from "../exchange/records.ts";
import { Drawdown } from "../orders/drawdown.ts";
import { type Markout, Markouts } from "../metrics/markouts.ts";
import { PnlAttribution, type PnlParts } from "../metrics/pnl-attribution.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { RecordedMid } from "./recorded-mid.ts";

/** Horizons of the markouts. */
const markoutHorizonsMs: readonly number[] = [1_000, 5_000, 30_000];

/** Statistics of one strategy's orders, or of all orders in one market. */
export interface StatisticsResult {
  /** Undefined when base is held and no mid was ever known. */
  readonly pnl: PnlParts | undefined;
  readonly markouts: readonly Markout[];
  /** Filled share of the quotes' quantity, without stop orders and legs; undefined when no quote was placed. */
  readonly fillRatio: number | undefined;
  /** Maximum drawdown of the total PnL at the mid, in quote token. */
  readonly maxDrawdown: Decimal;
}

/** Measures the fills of one strategy, or of all strategies in one market. */
class FillStatistics {
  readonly marketId: MarketId;
  readonly #attribution: PnlAttribution;
  readonly #markouts = new Markouts(markoutHorizonsMs);
  readonly #drawdown = new Drawdown();
  #placed: Fixed = ZERO;
  #filled: Fixed = ZERO;
  #hasFills = false;

  constructor(market: Market) {
    this.marketId = market.marketId;
    this.#attribution = new PnlAttribution(market);
  }

  placed(quantity: Fixed): void {
    this.#placed = addFixed(this.#placed, quantity);
  }

  fill(fill: Fill, mid: number | undefined, isQuote: boolean): void {
    if (isQuote) this.#filled = addFixed(this.#filled, fill.quantity);
    this.#hasFills = true;
    this.#attribution.fill(fill, mid);
    this.#markouts.fill(fill.side, fixedToNumber(fill.quantity), fill.timeMs);
    this.#mark(mid);
  }

  mid(timeMs: number, mid: number): void {
    this.#markouts.mid(timeMs, mid);
    this.#mark(mid);
  }

  #mark(mid: number | undefined): void {
    if (mid === undefined || !this.#hasFills) return;
    this.#drawdown.add(this.#attribution.position.totalPnl(new Decimal(mid)));
  }

  at(nowMs: number, mid: number | undefined): StatisticsResult {
    const isUnpriced = mid === undefined && this.#attribution.position.base !== ZERO;
    return {
      pnl: isUnpriced ? undefined : this.#attribution.at(new Decimal(mid ?? 0)),
      markouts: this.#markouts.at(nowMs),
      fillRatio:
        this.#placed === ZERO
          ? undefined
          : fixedToNumber(this.#filled) / fixedToNumber(this.#placed),
      maxDrawdown: this.#drawdown.max,
    };
  }
}

/**
 * Measures a replayed bot's fills against the recorded mid, in the exchange's time: a fill counts when it happened, not when the
 * bot received it.
 */
export class ReplayStatistics {
  readonly #mids = new Map<MarketId, RecordedMid>();
  readonly #byStrategy = new Map<string, FillStatistics>();
  /** All strategies together; undefined over several markets, whose quote tokens cannot be added. */
  readonly #all: FillStatistics | undefined;

  constructor(
    markets: readonly Market[],
    strategies: readonly { readonly name: string; readonly marketId: MarketId }[],
  ) {
    for (const { marketId } of markets) this.#mids.set(marketId, new RecordedMid());
    for (const { name, marketId } of strategies) {
      const market = markets.find((candidate) => candidate.marketId === marketId);
      assert(market !== undefined, "every strategy has its market");
      this.#byStrategy.set(name, new FillStatistics(market));
    }
    const [only] = markets;
    this.#all = only !== undefined && markets.length === 1 ? new FillStatistics(only) : undefined;
  }

  /** The newest recorded mid of a market; undefined before the first. */
  mid(marketId: MarketId): number | undefined {
    return this.#mids.get(marketId)?.value;
  }

  /** Adds a recorded event. */
  recorded(marketId: MarketId, event: MarketEvent, nowMs: number): void {
    const mid = this.#mids.get(marketId);
    assert(mid !== undefined, "a market of the replay");
    if (!mid.apply(event) || mid.value === undefined) return;
    for (const fills of this.#fillStatistics()) {
      if (fills.marketId === marketId) fills.mid(nowMs, mid.value);
    }
  }

  /** Adds a quote that was sent. */
  placed({ strategy, quantity }: OrderSnapshot): void {
    this.#byStrategy.get(strategy)?.placed(quantity);
    this.#all?.placed(quantity);
  }

  /** Adds the fills of a block. `orders` holds the bot's orders. */
  block(block: Block, orders: OwnOrders): void {
    for (const { order, fill } of block.orderEvents) {
      const own = fill === undefined ? undefined : orders.byId(order.orderId);
      if (fill === undefined || own === undefined) continue;
      const mid = this.mid(fill.marketId);
      const isQuote = own.role === "quote";
      this.#byStrategy.get(own.strategy)?.fill(fill, mid, isQuote);
      this.#all?.fill(fill, mid, isQuote);
    }
  }

  ofStrategy(name: string, nowMs: number): StatisticsResult {
    const fills = this.#byStrategy.get(name);
    assert(fills !== undefined, "a strategy of the replay");
    return fills.at(nowMs, this.mid(fills.marketId));
  }

  /** Undefined with several markets. */
  ofAll(nowMs: number): StatisticsResult | undefined {
    return this.#all?.at(nowMs, this.mid(this.#all.marketId));
  }

  *#fillStatistics(): Generator<FillStatistics> {
    yield* this.#byStrategy.values();
    if (this.#all !== undefined) yield this.#all;
  }
}
