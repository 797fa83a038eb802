import { assert } from "../base/assert.ts";
import type { OrderingCommand } from "../domain/command.ts";
import { Decimal } from "../domain/decimal.ts";
import { addFixed, fixedToNumber, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { idsMadeBy, legIdsOf } from "../domain/leg-ids.ts";
import type { Market } from "../domain/market.ts";
import { isTerminal, type Fill } from "../domain/order.ts";
import type { Block } from "../exchange/records.ts";
import { Drawdown } from "../metrics/drawdown.ts";
import { type Markout, Markouts } from "../metrics/markouts.ts";
import { PnlAttribution, type PnlParts } from "../metrics/pnl-attribution.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { RecordedMid } from "./recorded-mid.ts";

/** Spans after a fill at which the mid is looked at again. */
const markoutHorizonsMs: readonly number[] = [1_000, 5_000, 30_000];

/** What came of one strategy's quotes, or of all quotes in one market. */
export interface StatisticsResult {
  /** Undefined when base is held and no mid was ever known. */
  readonly pnl: PnlParts | undefined;
  readonly markouts: readonly Markout[];
  /** Share of the quotes' quantity that was filled, without stop orders and legs; undefined when no quote was placed. */
  readonly fillRatio: number | undefined;
  /** Of the total PnL at the mid, quote token. */
  readonly maxDrawdown: Decimal;
}

/** One account of fills in one market. */
class Account {
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
 * Measures what a replayed bot did against the recorded mid, by the exchange's own time: a fill counts when it happened, not
 * when the bot received it.
 */
export class ReplayStatistics {
  readonly #mids = new Map<MarketId, RecordedMid>();
  readonly #byStrategy = new Map<string, Account>();
  /** All strategies together; only where one market is traded, since quote tokens do not add up. */
  readonly #all: Account | undefined;
  /** Who placed an order that is not over. */
  readonly #owners = new Map<OrderId, { readonly strategy: string; readonly isQuote: boolean }>();

  constructor(
    markets: readonly Market[],
    strategies: readonly { readonly name: string; readonly marketId: MarketId }[],
  ) {
    for (const { marketId } of markets) this.#mids.set(marketId, new RecordedMid());
    for (const { name, marketId } of strategies) {
      const market = markets.find((candidate) => candidate.marketId === marketId);
      assert(market !== undefined, "every strategy has its market");
      this.#byStrategy.set(name, new Account(market));
    }
    const [only] = markets;
    this.#all = only !== undefined && markets.length === 1 ? new Account(only) : undefined;
  }

  /** The mid of a market as recorded, newest. */
  mid(marketId: MarketId): number | undefined {
    return this.#mids.get(marketId)?.value;
  }

  /** A recorded event has happened. */
  recorded(marketId: MarketId, event: MarketEvent, nowMs: number): void {
    const mid = this.#mids.get(marketId);
    assert(mid !== undefined, "a market of the replay");
    if (!mid.apply(event) || mid.value === undefined) return;
    for (const account of this.#accounts()) {
      if (account.marketId === marketId) account.mid(nowMs, mid.value);
    }
  }

  /** A command that makes an order, and perhaps its legs, was decided. */
  ordered(command: OrderingCommand, txHash: OrderId): void {
    const { strategy, type } = command;
    for (const id of idsMadeBy(command, txHash)) {
      this.#owners.set(id, { strategy, isQuote: type !== "stop" && id === txHash });
    }
    if (command.type !== "place") return;
    this.#byStrategy.get(strategy)?.placed(command.quantity);
    this.#all?.placed(command.quantity);
  }

  /** What the exchange has just done. */
  block(block: Block): void {
    for (const { order, fill } of block.orderEvents) {
      const owner = this.#owners.get(order.orderId);
      if (owner === undefined) continue;
      if (fill !== undefined) {
        const mid = this.mid(fill.marketId);
        this.#byStrategy.get(owner.strategy)?.fill(fill, mid, owner.isQuote);
        this.#all?.fill(fill, mid, owner.isQuote);
      }
      if (isTerminal(order.status)) this.#forget(order, owner.isQuote);
    }
  }

  /** Who placed this order, as long as it is not over. */
  strategyOf(orderId: OrderId): string | undefined {
    return this.#owners.get(orderId)?.strategy;
  }

  #forget({ orderId, status }: Block["orderEvents"][number]["order"], isQuote: boolean): void {
    this.#owners.delete(orderId);
    if (status !== "REJECTED" || !isQuote) return;
    // Its legs never exist (D25), so nothing is said of them.
    const { takeProfit, stopLoss } = legIdsOf(orderId);
    this.#owners.delete(takeProfit);
    this.#owners.delete(stopLoss);
  }

  ofStrategy(name: string, nowMs: number): StatisticsResult {
    const account = this.#byStrategy.get(name);
    assert(account !== undefined, "a strategy of the replay");
    return account.at(nowMs, this.mid(account.marketId));
  }

  /** Undefined with several markets. */
  ofAll(nowMs: number): StatisticsResult | undefined {
    return this.#all?.at(nowMs, this.mid(this.#all.marketId));
  }

  *#accounts(): Generator<Account> {
    yield* this.#byStrategy.values();
    if (this.#all !== undefined) yield this.#all;
  }
}
