import {
  absFixed,
  addFixed,
  fixed,
  fixedText,
  fixedToNumber,
  mulFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { PositionFigures } from "../metrics/position-figures.ts";
import type { SummaryFields } from "../metrics/summary.ts";
import { NaivePosition } from "./naive-position.ts";

/** Share of what was traded by which doubles may miss a PnL. */
const NOISE = 1e-9;
/** No market of a world moves by this share of an average price. */
const FAR = 0.5;

/**
 * What a summary has to say of fills. It is written apart from `metrics/` and `orders/position.ts`, which it judges: PnL is the difference between
 * the price of what closes and the average price, while those have it from sums of both tokens.
 */
export class NaiveSummary {
  readonly position: NaivePosition;
  /** Of what is open, fees included. */
  #averagePrice = 0;
  #realisedPnl = 0;
  readonly #counts = { makerFills: 0, takerFills: 0 };
  #volumeBase: Fixed = ZERO;
  #volumeQuote: Fixed = ZERO;
  readonly #fees = new Map<TokenId, Fixed>();

  constructor(market: Pick<Market, "baseToken" | "quoteToken">) {
    this.position = new NaivePosition(market);
  }

  apply(fill: Fill): void {
    const { base, quote } = this.position;
    this.position.apply(fill);
    this.#value(base, subFixed(this.position.base, base), subFixed(this.position.quote, quote));
    this.#counts[fill.isMaker ? "makerFills" : "takerFills"] += 1;
    this.#volumeBase = addFixed(this.#volumeBase, fill.quantity);
    this.#volumeQuote = addFixed(this.#volumeQuote, mulFixed(fill.price, fill.quantity));
    this.#fees.set(fill.feeToken, addFixed(this.#fees.get(fill.feeToken) ?? ZERO, fill.fee));
  }

  #value(held: Fixed, base: Fixed, quote: Fixed): void {
    if (base === ZERO) return;
    const price = -fixedToNumber(quote) / fixedToNumber(base);
    const [before, change] = [fixedToNumber(absFixed(held)), fixedToNumber(absFixed(base))];
    if (held === ZERO || held > ZERO === base > ZERO) {
      this.#averagePrice = (before * this.#averagePrice + change * price) / (before + change);
      return;
    }
    const earned = price - this.#averagePrice;
    this.#realisedPnl += Math.min(before, change) * (held > ZERO ? earned : -earned);
    if (absFixed(base) > absFixed(held)) this.#averagePrice = price;
  }

  /** How these parts of a summary differ, which together are of the fills, except in their PnL; undefined when they do not. */
  differenceTo(parts: readonly SummaryFields[]): string | undefined {
    const { makerFills, takerFills } = this.#counts;
    const counts = { makerFills, takerFills, fills: makerFills + takerFills };
    for (const name of ["fills", "makerFills", "takerFills"] as const) {
      const told = parts.reduce((sum, fields) => sum + fields[name], 0);
      if (told !== counts[name]) return `${told} ${name} instead of ${counts[name]}`;
    }
    const amounts = [
      ["volumeBase", this.#volumeBase, ({ volumeBase }: SummaryFields) => volumeBase],
      ["volumeQuote", this.#volumeQuote, ({ volumeQuote }: SummaryFields) => volumeQuote],
      ...[...this.#fees].map(
        ([token, fee]) =>
          [`fees in ${token}`, fee, ({ fees }: SummaryFields) => fees[token] ?? "0"] as const,
      ),
    ] as const;
    for (const [name, known, toldBy] of amounts) {
      const told = parts.map(toldBy).reduce((sum, part) => addFixed(sum, fixed(part ?? "0")), ZERO);
      if (told !== known) return `${name} of ${fixedText(told)} instead of ${fixedText(known)}`;
    }
    return undefined;
  }

  /** The same of the PnL of a single strategy. The mid by which it values what is open is not known, but not far from its average price. */
  pnlDifference({
    realisedPnl,
    unrealisedPnl,
    averagePrice,
  }: Pick<SummaryFields, "realisedPnl" | "unrealisedPnl"> &
    Partial<Pick<PositionFigures, "averagePrice">>): string | undefined {
    const noise = NOISE * (1 + fixedToNumber(this.#volumeQuote));
    if (realisedPnl !== null && Math.abs(Number(realisedPnl) - this.#realisedPnl) > noise) {
      return `a realised PnL of ${realisedPnl} instead of ${this.#realisedPnl}`;
    }
    const value = Math.abs(fixedToNumber(this.position.base) * this.#averagePrice);
    if (Math.abs(Number(unrealisedPnl)) > FAR * value + noise) {
      return `an unrealised PnL of ${unrealisedPnl} of what cost ${value}`;
    }
    const isOpen = this.position.base !== ZERO && averagePrice !== undefined;
    return isOpen && Math.abs(Number(averagePrice) / this.#averagePrice - 1) > NOISE
      ? `an average price of ${averagePrice} instead of ${this.#averagePrice}`
      : undefined;
  }
}
