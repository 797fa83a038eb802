import { type Decimal, decimalOf } from "../domain/decimal.ts";
import { absFixed, addFixed, type Fixed, fixedText, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import { mainQuoteToken, type MidOf, ReportingCurrency } from "../domain/reporting-currency.ts";
import type { BookedPosition } from "../orders/position-book.ts";
import { dayPnlOf } from "./position-figures.ts";
import { sumMoney } from "./sum-text.ts";

/** A strategy's position with the mid of its market. */
export interface ValuedPosition {
  readonly booked: BookedPosition;
  readonly mid: number | undefined;
}

/** PnL of the strategies that earn it in one token, or in the reporting currency; null without a mid that it needs. */
export interface PortfolioPnl {
  readonly day: string | null;
  readonly total: string | null;
}

/** All positions over all runs, per token and in the reporting currency. Amounts are decimal text. */
export interface Portfolio {
  /** Token id; null where the quote tokens are unrelated, and so are the next two. */
  readonly currency: string | null;
  readonly pnl: PortfolioPnl;
  /** Value of the net positions, long or short, added up over base tokens; null also without a mid that it needs. */
  readonly exposure: string | null;
  /** By base token: the net position over all markets. */
  readonly positions: Readonly<Record<string, string>>;
  /** By quote token, in that token. */
  readonly pnlByToken: Readonly<Record<string, PortfolioPnl>>;
}

/** Converts amounts into the currency, or the main quote token of the markets; undefined without one, and without a mid on the way. */
export function conversion(
  markets: ConstructorParameters<typeof ReportingCurrency>[1],
  midOf: MidOf,
  currency: TokenId | undefined,
): {
  readonly token: TokenId | undefined;
  readonly converted: (amount: Decimal | undefined, from: TokenId) => Decimal | undefined;
} {
  const token = currency ?? mainQuoteToken(markets);
  const rates = token === undefined ? undefined : new ReportingCurrency(token, markets);
  return {
    token,
    converted(amount, from) {
      if (rates === undefined || amount === undefined) return undefined;
      // Nothing is worth nothing without a mid, too.
      if (amount.isZero()) return amount;
      const rate = rates.rate(from, midOf);
      return rate === undefined ? undefined : amount.times(rate);
    },
  };
}

/** `currency` is the configured reporting currency; undefined: the main quote token. */
export function portfolioOf(
  positions: readonly ValuedPosition[],
  currency: TokenId | undefined,
): Portfolio {
  const { token, converted } = conversionOf(positions, currency);
  const net = new Map<TokenId, Fixed>();
  const byQuote = new Map<TokenId, PnlSum>();
  for (const { booked, mid } of positions) {
    const { base, market } = booked.position;
    net.set(market.baseToken, addFixed(net.get(market.baseToken) ?? ZERO, base));
    const sum = byQuote.get(market.quoteToken) ?? { day: [], total: [] };
    sum.day.push(dayPnlOf(booked, mid));
    sum.total.push(booked.position.totalAt(mid));
    byQuote.set(market.quoteToken, sum);
  }
  const sumOf = (key: keyof PnlSum): string | null =>
    sumMoney([...byQuote].flatMap(([of, sum]) => sum[key].map((part) => converted(part, of))));
  return {
    currency: token ?? null,
    pnl: { day: sumOf("day"), total: sumOf("total") },
    exposure: sumMoney([...net].map(([of, base]) => converted(decimalOf(absFixed(base)), of))),
    positions: Object.fromEntries([...net].map(([of, base]) => [of, fixedText(base)])),
    pnlByToken: Object.fromEntries(
      [...byQuote].map(([of, { day, total }]) => [
        of,
        { day: sumMoney(day), total: sumMoney(total) },
      ]),
    ),
  };
}

/** Each position's PnL and value, long or short, in the currency; null as in `Portfolio`. */
export function reportedOf(
  positions: readonly ValuedPosition[],
  currency: TokenId | undefined,
): readonly (PortfolioPnl & Pick<Portfolio, "exposure">)[] {
  const { converted } = conversionOf(positions, currency);
  return positions.map(({ booked, mid }) => {
    const { base, market } = booked.position;
    const { quoteToken, baseToken } = market;
    return {
      day: sumMoney([converted(dayPnlOf(booked, mid), quoteToken)]),
      total: sumMoney([converted(booked.position.totalAt(mid), quoteToken)]),
      exposure: sumMoney([converted(decimalOf(absFixed(base)), baseToken)]),
    };
  });
}

function conversionOf(positions: readonly ValuedPosition[], currency: TokenId | undefined) {
  const markets = positions.map(({ booked }) => booked.position.market);
  const mids = new Map(positions.map(({ booked, mid }) => [booked.position.market.marketId, mid]));
  return conversion(markets, (marketId) => mids.get(marketId), currency);
}

interface PnlSum {
  readonly day: (Decimal | undefined)[];
  readonly total: (Decimal | undefined)[];
}
