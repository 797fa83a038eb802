import { type Owned, partsOf, type StrategyPart } from "../domain/market-roles.ts";
import { assert } from "../base/assert.ts";
import { fixedToNumber, subFixed, ZERO } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { type Fill, isTerminal, type OrderReport } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { DepthLevels } from "../exchange/recorded-side.ts";
import type { Block } from "../exchange/records.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import type { PlayedEvent } from "../recordings/recorded-gaps.ts";
import { limitsFor } from "../risk/settings.ts";
import {
  FillStatistics,
  STATISTICS_INTERVAL_MS,
  type StatisticsResult,
} from "./fill-statistics.ts";
import { ReplayBook } from "./replay-book.ts";
import type { EquityState, ReplayDetails } from "./replay-details.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { ReplayTotals, type TotalsResult } from "./replay-totals.ts";
import { mainQuoteToken, ReportingCurrency } from "../domain/reporting-currency.ts";

interface Part extends StrategyPart {
  readonly market: Market;
  readonly fills: FillStatistics;
  /** What its orders count in: `fills`, and those of all strategies together. */
  readonly counted: readonly FillStatistics[];
}

/** Time between two samples of the totals' drawdown. */
const SAMPLE_MS = 1_000;

/**
 * Measures a replayed bot's fills against the recorded mid, in the exchange's time: a fill counts when it happened, not when the
 * bot received it. From `start` on, everything is sampled at fixed intervals.
 */
export class ReplayStatistics {
  readonly #markets: ReadonlyMap<MarketId, Market>;
  readonly #books = new Map<MarketId, ReplayBook>();
  /** Time of each market's newest recorded book or depth event. */
  readonly #bookMs = new Map<MarketId, number>();
  /** One for each strategy and market. */
  readonly #parts: readonly Part[];
  /** All strategies together; undefined over several markets, whose quote tokens cannot be added. */
  readonly #all: FillStatistics | undefined;
  /** `#all` as a list. */
  readonly #whole: readonly FillStatistics[];
  /** Each once: those of the strategies, and those of all together where that is more than one. */
  readonly #each: readonly FillStatistics[];
  /** Undefined when the quote tokens differ and no reporting currency is set. */
  readonly #totals: ReplayTotals | undefined;
  readonly #details: ReplayDetails | undefined;
  #nextSampleMs = Number.POSITIVE_INFINITY;
  #nextStatisticsMs = Number.POSITIVE_INFINITY;

  /** `details` gets what the tables of a replay need. */
  constructor(
    { kernel, reportingCurrency }: Pick<ReplaySetup, "kernel" | "reportingCurrency">,
    details?: ReplayDetails,
  ) {
    this.#details = details;
    const { markets, strategies, risk } = kernel;
    this.#markets = new Map(markets.map((market) => [market.marketId, market]));
    for (const { marketId } of markets) this.#books.set(marketId, new ReplayBook());
    const statisticsOf = (market: Market): FillStatistics =>
      new FillStatistics(
        market,
        limitsFor(risk, market.marketId).maxPosition,
        details !== undefined,
      );
    const parts = partsOf(strategies).map((part) => {
      const market = this.#market(part.marketId);
      return { ...part, market, fills: statisticsOf(market) };
    });
    const [only, ...more] = markets;
    const [first, ...others] = parts;
    const isOneMarket = only !== undefined && more.length === 0;
    const isAlone = isOneMarket && first !== undefined && others.length === 0;
    this.#all = isAlone ? first.fills : isOneMarket ? statisticsOf(only) : undefined;
    this.#whole = this.#all === undefined ? [] : [this.#all];
    this.#parts = parts.map((part) => ({
      ...part,
      counted: [...new Set([part.fills, ...this.#whole])],
    }));
    this.#each = [...new Set([...parts.map(({ fills }) => fills), ...this.#whole])];
    const token = reportingCurrency ?? mainQuoteToken(markets);
    const midOf = (marketId: MarketId): number | undefined => this.mid(marketId);
    if (token === undefined) return;
    const currency = new ReportingCurrency(token, markets);
    const whole = token === only?.quoteToken ? this.#all : undefined;
    this.#totals = new ReplayTotals(currency, parts, midOf, whole);
  }

  /** From now on the recorded levels are those that `levelsOf` gives: they are kept elsewhere, and an event is applied there first. */
  share(levelsOf: (marketId: MarketId, side: Side) => DepthLevels): void {
    for (const marketId of this.#books.keys()) {
      this.#books.set(marketId, new ReplayBook((side) => levelsOf(marketId, side)));
    }
  }

  /** The bot starts: time is measured from here on. */
  start(startMs: number): void {
    this.#nextSampleMs = startMs;
    this.#nextStatisticsMs = startMs;
    this.advance(startMs);
  }

  /** The newest recorded mid of a market; undefined before the first. */
  mid(marketId: MarketId): number | undefined {
    return this.#books.get(marketId)?.mid;
  }

  /** The recorded book of a market of the replay, as trades have left it. */
  book(marketId: MarketId): ReplayBook {
    const book = this.#books.get(marketId);
    assert(book !== undefined, "a market of the replay");
    return book;
  }

  /** Moves the time to `nowMs`, before what happens then is added. */
  advance(nowMs: number): void {
    while (this.#nextSampleMs <= nowMs) {
      const atMs = this.#nextSampleMs;
      this.#nextSampleMs += SAMPLE_MS;
      this.#totals?.mark();
      this.#sampleEquity(atMs);
      if (atMs < this.#nextStatisticsMs) continue;
      this.#nextStatisticsMs += STATISTICS_INTERVAL_MS;
      for (const fills of this.#each) fills.sample(atMs, this.mid(fills.marketId));
      this.#totals?.sample();
    }
  }

  /** Ends the measurement at `stopMs`. */
  stop(stopMs: number): void {
    this.advance(stopMs);
    for (const part of this.#parts) {
      this.#details?.addEquity(part, stopMs, () => this.#equity(part));
    }
  }

  /** Adds a recorded event. */
  recorded(marketId: MarketId, event: PlayedEvent, nowMs: number): void {
    const book = this.book(marketId);
    if (event.type !== "trade") this.#bookMs.set(marketId, nowMs);
    if (!book.apply(event) || book.mid === undefined) return;
    for (const fills of this.#each) {
      if (fills.marketId === marketId) fills.mid(nowMs, book.mid);
    }
  }

  /** Adds a quote that was sent. */
  placed(order: OrderSnapshot, nowMs: number): void {
    for (const fills of this.#of(order)) fills.placed(order, nowMs);
  }

  /** The recording has a gap in this market from here on. */
  lost(marketId: MarketId, nowMs: number): void {
    this.book(marketId).lose();
    for (const fills of this.#each) if (fills.marketId === marketId) fills.lost(nowMs);
  }

  /** The exchange took a quote with another quantity than was sent: less, where fills came before its modify. */
  resized(order: OrderSnapshot, before: OrderSnapshot): void {
    const change = subFixed(order.quantity, before.quantity);
    if (change === ZERO) return;
    for (const fills of this.#of(order)) fills.resized(change);
  }

  /** Adds a command that was sent. */
  command(command: Owned): void {
    for (const fills of this.#of(command)) fills.command();
  }

  /** Adds what the bot planned and what became of its quotes in a step. */
  noted(note: Note, nowMs: number): void {
    if (note.type === "planned") {
      for (const { reaction } of this.#of(note)) reaction.planned(note);
    } else if (note.type === "order" && note.order.role === "quote") {
      for (const { reaction } of this.#of(note.order)) reaction.order(note.order, nowMs);
    }
  }

  /** Adds the orders and fills of a block. `orders` holds the bot's orders, `knownMid` the mid of the book that it has received. */
  block(
    block: Block,
    orders: OwnOrders,
    knownMid: (marketId: MarketId) => number | undefined,
  ): void {
    this.#details?.block(block, orders, (marketId) => this.book(marketId));
    for (const { order, fill, eventType } of block.orderEvents) {
      const snapshot = orders.byId(order.orderId);
      if (snapshot === undefined) continue;
      if (eventType === "NEW") this.#entered(order, snapshot);
      if (fill !== undefined) {
        if (snapshot.role === "quote") {
          const known = knownMid(fill.marketId);
          for (const { reaction } of this.#of(snapshot)) {
            reaction.fill(snapshot.intent, fill.timeMs, known);
          }
        }
        this.fill(fill, snapshot);
      }
      if (!isTerminal(order.status)) continue;
      for (const fills of this.#of(snapshot)) fills.ended(order.orderId);
    }
  }

  #entered({ orderId, marketId, side, price }: OrderReport, order: OrderSnapshot): void {
    const ahead = this.book(marketId).quantityAt(side, fixedToNumber(price)) ?? 0;
    for (const fills of this.#of(order)) fills.entered(orderId, ahead, order.key);
  }

  /** Adds a fill of a strategy's order, in the exchange's time. */
  fill(fill: Fill, order: Pick<OrderSnapshot, "strategy" | "role" | "key">): void {
    const { strategy, key } = order;
    this.advance(fill.timeMs);
    const mid = this.mid(fill.marketId);
    let settled = this.#details?.fill(fill, { strategy, key }, mid);
    const ageMs = fill.timeMs - (this.#bookMs.get(fill.marketId) ?? fill.timeMs);
    const owned = { strategy, marketId: fill.marketId };
    for (const fills of this.#of(owned)) {
      fills.fill(fill, { mid, ageMs }, order, settled);
      settled = undefined;
    }
    this.#totals?.fill(fill, this.#market(fill.marketId));
    const part = this.#partOf(owned);
    if (part !== undefined) this.#details?.addEquity(part, fill.timeMs, () => this.#equity(part));
  }

  /** By the name of the part: `maker`, or `maker/hedge` in another market of the strategy. */
  ofPart(name: string, nowMs: number): StatisticsResult {
    const fills = this.#parts.find((part) => part.name === name)?.fills;
    assert(fills !== undefined, "a strategy of the replay");
    return fills.at(nowMs, this.mid(fills.marketId));
  }

  /** Undefined with several markets. */
  ofAll(nowMs: number): StatisticsResult | undefined {
    return this.#all?.at(nowMs, this.mid(this.#all.marketId));
  }

  /** All strategies in the reporting currency; undefined without one, and when a mid that it needs was never known. */
  totals(): TotalsResult | undefined {
    return this.#totals?.result();
  }

  #sampleEquity(atMs: number): void {
    if (this.#details === undefined) return;
    for (const part of this.#parts) {
      this.#details.equityAt(part, atMs, () => this.#equity(part));
    }
  }

  #equity({ fills }: Part): EquityState {
    const { marketId, position } = fills;
    const book = this.book(marketId);
    const drawdown = fills.takeMaxDrawdown();
    return { book, position, pnl: fills.pnl(book.mid), drawdown };
  }

  #partOf({ strategy, marketId }: Owned): Part | undefined {
    return this.#parts.find((part) => part.strategy === strategy && part.marketId === marketId);
  }

  /** The statistics that a strategy's orders in a market count in. */
  #of(owned: Owned): readonly FillStatistics[] {
    return this.#partOf(owned)?.counted ?? this.#whole;
  }

  #market(marketId: MarketId): Market {
    const market = this.#markets.get(marketId);
    assert(market !== undefined, "every strategy has its market");
    return market;
  }
}
