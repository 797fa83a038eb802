import { Decimal } from "../domain/decimal.ts";
import { addFixed, fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import { type InventoryFigures, InventoryStatistics } from "../metrics/inventory-statistics.ts";
import { type Markout, type MarkoutListener, Markouts } from "../metrics/markouts.ts";
import { PnlAttribution, type PnlParts } from "../metrics/pnl-attribution.ts";
import { type SharpeEstimate, SharpeRatio } from "../metrics/sharpe-ratio.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { SizeLimit } from "../risk/size-limit.ts";
import { type LevelFigures, LevelStatistics } from "./level-statistics.ts";
import { Reaction, type ReactionFigures } from "./reaction.ts";
import { DOUBT, Drawdown } from "../orders/drawdown.ts";

/** Horizons of the markouts. */
export const markoutHorizonsMs: readonly number[] = [
  100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000,
];
/** Time between two samples of the PnL (Sharpe ratio) and of the position (half-life). */
export const STATISTICS_INTERVAL_MS = 10_000;

/** Statistics of one strategy's orders, or of all orders in one market. */
export interface StatisticsResult {
  /** Undefined when base is held and no mid was ever known. */
  readonly pnl: PnlParts | undefined;
  readonly markouts: readonly Markout[];
  /** Filled share of the quantity of all quotes that were sent, without stop orders and legs; undefined when no quote was sent. */
  readonly fillRatio: number | undefined;
  /** Commands ÷ fills; undefined without fills. */
  readonly orderToTradeRatio: number | undefined;
  readonly commands: number;
  /** Orders with a fill. */
  readonly filledOrders: number;
  readonly makerFills: number;
  /** Maker fills of orders at whose price nothing was recorded when they entered the book. */
  readonly fillsWithNothingAhead: number;
  /** Age of the newest recorded book at the fills; undefined without fills. */
  readonly midAgeMs: { readonly mean: number; readonly max: number } | undefined;
  /** Maximum drawdown of the total PnL at the mid, in quote token. */
  readonly maxDrawdown: Decimal;
  readonly inventory: InventoryFigures;
  readonly sharpe: SharpeEstimate | undefined;
  readonly reaction: ReactionFigures;
  readonly levels: readonly LevelFigures[];
}

/** Measures the orders and fills of one strategy, or of all strategies in one market. Times never go back. */
export class FillStatistics {
  readonly marketId: MarketId;
  readonly reaction = new Reaction();
  readonly #levels = new LevelStatistics(markoutHorizonsMs);
  readonly #attribution: PnlAttribution;
  readonly #markouts = new Markouts(markoutHorizonsMs);
  readonly #drawdown = new Drawdown();
  readonly #inventory: InventoryStatistics;
  readonly #sharpe = new SharpeRatio(STATISTICS_INTERVAL_MS);
  readonly #tracksDrawdown: boolean;
  #drawdownNow = new Decimal(0);
  #recentMaxDrawdown = new Decimal(0);
  /** What the fills left of base and quote token, about. */
  #held = { base: 0, quote: 0 };
  #placed: Fixed = ZERO;
  #filled: Fixed = ZERO;
  #commands = 0;
  #fills = 0;
  #makerFills = 0;
  #filledOrders = 0;
  #fillsWithNothingAhead = 0;
  #midAgeMs = { sum: 0, max: 0 };
  /** The orders that may still be filled. */
  readonly #live = new Map<OrderId, { readonly hasNothingAhead: boolean; isFilled: boolean }>();

  /** `maxPosition`: the market's limit; null without one, and one in quote token is not measured. `tracksDrawdown`: `takeMaxDrawdown` will be called. */
  constructor(market: Market, maxPosition: SizeLimit | null, tracksDrawdown: boolean) {
    this.marketId = market.marketId;
    this.#tracksDrawdown = tracksDrawdown;
    this.#attribution = new PnlAttribution(market);
    const limit = typeof maxPosition === "bigint" ? maxPosition : undefined;
    this.#inventory = new InventoryStatistics(limit, STATISTICS_INTERVAL_MS);
  }

  /** Adds a quote that was sent. */
  placed({ quantity, key }: Pick<OrderSnapshot, "quantity" | "key">, nowMs: number): void {
    this.#placed = addFixed(this.#placed, quantity);
    if (key !== undefined) this.#levels.placed(key, quantity);
    this.#inventory.quoted(quantity, nowMs);
  }

  /** The quantity of a quote that was sent has changed. */
  resized(change: Fixed): void {
    this.#placed = addFixed(this.#placed, change);
  }

  /** Adds a command: a placement, modify or cancel. */
  command(): void {
    this.#commands += 1;
  }

  /** The exchange took an order, with this quantity recorded at its price. */
  entered(orderId: OrderId, queueAhead: number, key: string | undefined): void {
    this.#live.set(orderId, { hasNothingAhead: queueAhead === 0, isFilled: false });
    if (key !== undefined) this.#levels.entered(key, queueAhead);
  }

  /** The order cannot be filled any more. */
  ended(orderId: OrderId): void {
    this.#live.delete(orderId);
    this.#markouts.ended(orderId);
  }

  /** Adds a fill of an order, with the age of the book. `settled` is called at each horizon of its markout. */
  fill(
    fill: Fill,
    { mid, ageMs }: { readonly mid: number | undefined; readonly ageMs: number },
    { role, key }: Pick<OrderSnapshot, "role" | "key">,
    settled: MarkoutListener | undefined,
  ): void {
    if (role === "quote") this.#filled = addFixed(this.#filled, fill.quantity);
    this.#fills += 1;
    this.#countFill(fill);
    this.#midAgeMs.sum += ageMs;
    this.#midAgeMs.max = Math.max(this.#midAgeMs.max, ageMs);
    this.#attribution.fill(fill, mid);
    const { base, quote } = this.#attribution.position;
    this.#held = { base: fixedToNumber(base), quote: fixedToNumber(quote) };
    const { orderId, side, timeMs } = fill;
    const [price, quantity] = [fixedToNumber(fill.price), fixedToNumber(fill.quantity)];
    const ofLevel = key === undefined ? undefined : this.#levels.filled(key, fill, mid);
    this.#markouts.add({ orderId, side, price, quantity, timeMs }, (horizonMs, laterMid) => {
      settled?.(horizonMs, laterMid);
      ofLevel?.(horizonMs, laterMid);
    });
    this.#inventory.fill(base, fill.quantity, fill.timeMs);
    this.#mark(mid);
  }

  mid(timeMs: number, mid: number): void {
    this.#markouts.mid(timeMs, mid);
    this.reaction.mid(timeMs, mid);
    this.#mark(mid);
  }

  /** The mid is not known after `timeMs`, until the next one. The PnL keeps the last one. */
  lost(timeMs: number): void {
    this.#markouts.lost(timeMs);
  }

  /** Adds a sample of PnL and position; called every `STATISTICS_INTERVAL_MS` from the start on. */
  sample(nowMs: number, mid: number | undefined): void {
    this.#inventory.advance(nowMs);
    this.#inventory.sample();
    const pnl = this.pnl(mid)?.total.toNumber();
    if (pnl !== undefined) this.#sharpe.sample(pnl);
  }

  /** Maximum drawdown so far, in quote token. */
  get maxDrawdown(): Decimal {
    return this.#drawdown.max;
  }

  /** The deepest fall of the PnL below its peak since the last call, in quote token; at least the present one. */
  takeMaxDrawdown(): Decimal {
    const deepest = this.#recentMaxDrawdown;
    this.#recentMaxDrawdown = this.#drawdownNow;
    return deepest;
  }

  /** Base token that the fills left, net of fees. */
  get position(): Fixed {
    return this.#attribution.position.base;
  }

  /** The PnL parts at a mid; undefined when base is held and no mid is known. */
  pnl(mid: number | undefined): PnlParts | undefined {
    const isUnpriced = mid === undefined && this.#attribution.position.base !== ZERO;
    return isUnpriced ? undefined : this.#attribution.at(new Decimal(mid ?? 0));
  }

  at(nowMs: number, mid: number | undefined): StatisticsResult {
    return {
      pnl: this.pnl(mid),
      markouts: this.#markouts.at(nowMs),
      fillRatio:
        this.#placed === ZERO
          ? undefined
          : fixedToNumber(this.#filled) / fixedToNumber(this.#placed),
      orderToTradeRatio: this.#fills === 0 ? undefined : this.#commands / this.#fills,
      commands: this.#commands,
      filledOrders: this.#filledOrders,
      makerFills: this.#makerFills,
      fillsWithNothingAhead: this.#fillsWithNothingAhead,
      midAgeMs:
        this.#fills === 0
          ? undefined
          : { mean: this.#midAgeMs.sum / this.#fills, max: this.#midAgeMs.max },
      maxDrawdown: this.maxDrawdown,
      inventory: this.#inventory.at(nowMs),
      sharpe: this.#sharpe.estimate(),
      reaction: this.reaction.figures(),
      levels: this.#levels.figures,
    };
  }

  /** Whether the total PnL at this mid is certainly neither a new peak nor the deepest fall: most are not, and exact sums are slow. */
  #isBetween(mid: number): boolean {
    const { base, quote } = this.#held;
    const worth = base * mid;
    return this.#drawdown.ignores(quote + worth, DOUBT * (Math.abs(quote) + Math.abs(worth)));
  }

  #countFill({ orderId, isMaker }: Fill): void {
    const order = this.#live.get(orderId);
    if (order?.isFilled !== true) this.#filledOrders += 1;
    if (order !== undefined) order.isFilled = true;
    if (!isMaker) return;
    this.#makerFills += 1;
    if (order?.hasNothingAhead === true) this.#fillsWithNothingAhead += 1;
  }

  #mark(mid: number | undefined): void {
    if (mid === undefined || this.#fills === 0) return;
    if (!this.#tracksDrawdown && this.#isBetween(mid)) return;
    const total = this.#attribution.position.totalPnl(new Decimal(mid));
    this.#drawdown.add(total);
    if (!this.#tracksDrawdown) return;
    this.#drawdownNow = this.#drawdown.peak.minus(total);
    this.#recentMaxDrawdown = Decimal.max(this.#recentMaxDrawdown, this.#drawdownNow);
  }
}
