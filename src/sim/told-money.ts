import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { LostOrders } from "./lost-orders.ts";
import { NaiveSummary } from "./naive-summary.ts";
import { ToldFills } from "./told-fills.ts";

/** The name that the fills of adopted orders have, which no configured strategy can have (docs/positions.md). */
export const ADOPTED = "(adopted)";

/** Fills of a market as the bot reported them, and what they make of its money. */
export class ToldMoney {
  /** Every fill that the bot reported, once. */
  readonly fills: Fill[] = [];
  /** Trade ids of fills that were reported more than once, which is a bug. */
  readonly repeated: string[] = [];
  /** Of all fills, over all runs. */
  readonly all: NaiveSummary;
  /** Of all fills of a strategy, over all runs. */
  readonly allOf = new Map<string, NaiveSummary>();
  /** Of a strategy's fills in the current run. */
  readonly runOf = new Map<string, NaiveSummary>();
  readonly #market: Pick<Market, "baseToken" | "quoteToken">;
  readonly #lost: LostOrders;
  #run: NaiveSummary;
  readonly #ledger = new ToldFills();
  #runLedger = new ToldFills();

  constructor(market: Pick<Market, "baseToken" | "quoteToken">, lost: LostOrders) {
    this.#market = market;
    this.#lost = lost;
    this.all = new NaiveSummary(market);
    this.#run = new NaiveSummary(market);
  }

  /** Of the fills that the current run reported for its strategies, as its summary has to be. */
  get run(): NaiveSummary {
    return this.#run;
  }

  runStarts(): void {
    this.#run = new NaiveSummary(this.#market);
    this.runOf.clear();
    this.#runLedger = new ToldFills();
  }

  /** `mayRepeat`: the journal may have lost it since an earlier run reported it. Returns whether it is new. */
  told(fill: Fill, strategy: string, mayRepeat: boolean): boolean {
    this.#lost.told(fill);
    const isNew = this.#ledger.add(fill);
    const isNewToRun = this.#runLedger.add(fill);
    if (!isNewToRun || !(isNew || mayRepeat)) this.repeated.push(fill.tradeId);
    // Only a lost order can be an adopted one.
    const isOfStrategy = strategy !== ADOPTED || !this.#lost.has(fill.orderId);
    if (isNewToRun && isOfStrategy) {
      this.#run.apply(fill);
      this.#of(this.runOf, strategy).apply(fill);
    }
    if (!isNew) return false;
    this.all.apply(fill);
    this.#of(this.allOf, strategy).apply(fill);
    this.fills.push(fill);
    return true;
  }

  #of(summaries: Map<string, NaiveSummary>, strategy: string): NaiveSummary {
    const known = summaries.get(strategy) ?? new NaiveSummary(this.#market);
    summaries.set(strategy, known);
    return known;
  }

  has(trade: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#ledger.has(trade);
  }

  /** Whether the current run reported it. */
  hasInRun(trade: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#runLedger.has(trade);
  }
}
