import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { PnlParts } from "../metrics/pnl-attribution.ts";
import { type SharpeEstimate, SharpeRatio } from "../metrics/sharpe-ratio.ts";
import { Drawdown } from "../orders/drawdown.ts";
import { type FillStatistics, STATISTICS_INTERVAL_MS } from "./fill-statistics.ts";
import type { MidOf, ReportingCurrency } from "../domain/reporting-currency.ts";

/** Figures of all strategies in the reporting currency. */
export interface TotalsResult {
  readonly currency: TokenId;
  readonly pnl: PnlParts;
  /** Filled value, each fill converted when it happened. */
  readonly volume: Decimal;
  /** Deepest fall of the total PnL below its peak, measured at fills and once a second. */
  readonly maxDrawdown: Decimal;
  readonly sharpe: SharpeEstimate | undefined;
}

interface Part {
  readonly market: Market;
  readonly fills: FillStatistics;
}

/** Adds up the strategies of all markets in the reporting currency, at the recorded mids of the moment. */
export class ReplayTotals {
  readonly #currency: ReportingCurrency;
  readonly #parts: readonly Part[];
  readonly #midOf: MidOf;
  readonly #drawdown = new Drawdown();
  readonly #whole: FillStatistics | undefined;
  readonly #sharpe = new SharpeRatio(STATISTICS_INTERVAL_MS);
  #volume = new Decimal(0);
  #hasFills = false;
  /** False after a fill in a token whose worth was not known. */
  #isComplete = true;

  /** `whole`: statistics of all `parts` in this currency, which measure the drawdown at every mid. Undefined: it is measured here. */
  constructor(
    currency: ReportingCurrency,
    parts: readonly Part[],
    midOf: MidOf,
    whole: FillStatistics | undefined,
  ) {
    this.#whole = whole;
    this.#currency = currency;
    this.#parts = parts;
    this.#midOf = midOf;
  }

  /** Adds a fill of one of the strategies, after the strategy's own statistics. */
  fill({ price, quantity }: Fill, { quoteToken }: Market): void {
    this.#hasFills = true;
    const rate = this.#currency.rate(quoteToken, this.#midOf);
    if (rate === undefined) this.#isComplete = false;
    else this.#volume = this.#volume.plus(decimalOf(price).times(decimalOf(quantity)).times(rate));
    this.mark();
  }

  /** Measures the drawdown now. */
  mark(): void {
    if (this.#whole !== undefined) return;
    const total = this.#hasFills ? this.#pnl()?.total : undefined;
    if (total !== undefined) this.#drawdown.add(total);
  }

  /** Adds a sample of the PnL; called every `STATISTICS_INTERVAL_MS`. */
  sample(): void {
    const pnl = this.#pnl()?.total.toNumber();
    if (pnl !== undefined) this.#sharpe.sample(pnl);
  }

  /** Undefined when something cannot be converted because a mid was never known. */
  result(): TotalsResult | undefined {
    const pnl = this.#pnl();
    if (pnl === undefined || !this.#isComplete) return undefined;
    return {
      currency: this.#currency.token,
      pnl,
      volume: this.#volume,
      maxDrawdown: this.#whole?.maxDrawdown ?? this.#drawdown.max,
      sharpe: this.#sharpe.estimate(),
    };
  }

  #pnl(): PnlParts | undefined {
    const zero = new Decimal(0);
    const sum = { spread: zero, inventory: zero, fees: zero, total: zero };
    for (const { market, fills } of this.#parts) {
      const parts = fills.pnl(this.#midOf(market.marketId));
      if (parts === undefined) return undefined;
      // Nothing was earned or lost: its worth does not matter.
      if (parts.total.isZero() && parts.spread.isZero() && parts.fees.isZero()) continue;
      const rate = this.#currency.rate(market.quoteToken, this.#midOf);
      if (rate === undefined) return undefined;
      sum.spread = sum.spread.plus(parts.spread.times(rate));
      sum.inventory = sum.inventory.plus(parts.inventory.times(rate));
      sum.fees = sum.fees.plus(parts.fees.times(rate));
      sum.total = sum.total.plus(parts.total.times(rate));
    }
    return sum;
  }
}
