import { Decimal, decimalOf } from "../domain/decimal.ts";
import { addFixed, type Fixed, fixedText, subFixed, ZERO } from "../domain/fixed.ts";
import type { MarketId, TokenId } from "../domain/ids.ts";
import type { AccountDay, PartDay } from "./account-fold.ts";
import { conversion } from "./portfolio.ts";
import { amountsText, sumMoney } from "./sum-text.ts";

/** What PnL is added up by. */
export const groupings = ["strategy", "market", "day"] as const;
export type Grouping = (typeof groupings)[number];

/** Profit and loss of a span of days. Amounts are decimal text, in `currency`. */
export interface PnlRow {
  /** The strategy, the market or the day (`2026-01-31`); null for the total. */
  readonly name: string | null;
  /** The token id of the amounts: the quote token, or over several the reporting currency; null where they cannot be added up. */
  readonly currency: string | null;
  readonly fills: number;
  readonly realised: string | null;
  /** At the last mid of the span; null without a mid that it needs. */
  readonly unrealised: string | null;
  /** Realised plus the change of unrealised since the span began. */
  readonly pnl: string | null;
  readonly volume: string | null;
  /** By token id. */
  readonly fees: Readonly<Record<string, string>>;
}

/** A part of the account over a span of days, with the mids at both ends. */
interface Span {
  readonly first: PartDay;
  readonly last: PartDay;
  readonly all: readonly PartDay[];
  readonly openingMid: number | undefined;
  readonly closingMid: number | undefined;
}

/** The rows of a list of days and their total; `before` is the day before the first. */
export class PnlRows {
  readonly rows: readonly PnlRow[];
  readonly total: PnlRow;
  readonly #currency: TokenId | undefined;

  constructor(
    days: readonly AccountDay[],
    {
      by,
      before,
      currency,
    }: {
      readonly by: Grouping;
      readonly before: AccountDay | undefined;
      readonly currency: TokenId | undefined;
    },
  ) {
    this.#currency = currency;
    const mids = days.at(-1)?.mids ?? new Map();
    const all = spansOf(days, before);
    this.total = this.#row(null, all, mids);
    this.rows =
      by === "day"
        ? days.map((day, at) =>
            this.#row(dayText(day.day), spansOf([day], days[at - 1] ?? before), day.mids),
          )
        : [
            ...Map.groupBy(all, ({ first }) =>
              by === "strategy" ? first.strategy : first.opening.market.marketId,
            ),
          ].map(([name, spans]) => this.#row(name, spans, mids));
  }

  #row(name: string | null, spans: readonly Span[], mids: ReadonlyMap<MarketId, number>): PnlRow {
    const markets = spans.map(({ first }) => first.opening.market);
    const [quote, ...others] = new Set(markets.map(({ quoteToken }) => quoteToken));
    const isOne = others.length === 0 && (name !== null || this.#currency === undefined);
    const wanted = isOne ? quote : this.#currency;
    const { token, converted } = conversion(markets, (id) => mids.get(id), wanted);
    const sum = (of: (span: Span) => Decimal | undefined): string | null =>
      sumMoney([
        new Decimal(0),
        ...spans.map((span) => converted(of(span), span.first.opening.market.quoteToken)),
      ]);
    return {
      name,
      currency: token ?? null,
      fills: spans.flatMap(({ all }) => all).reduce((count, { fills }) => count + fills, 0),
      realised: sum(({ first, last }) => last.closing.realisedPnl.minus(first.opening.realisedPnl)),
      unrealised: sum(({ last, closingMid }) => last.closing.unrealisedAt(closingMid)),
      pnl: sum(pnlOf),
      volume: sum(({ all }) => decimalOf(all.map((one) => one.volumeQuote).reduce(addFixed, ZERO))),
      fees: feesOf(spans),
    };
  }
}

function pnlOf({ first, last, openingMid, closingMid }: Span): Decimal | undefined {
  const before = first.opening.totalAt(openingMid);
  return before && last.closing.totalAt(closingMid)?.minus(before);
}

function spansOf(days: readonly AccountDay[], before: AccountDay | undefined): readonly Span[] {
  const [firstDay] = days;
  const lastDay = days.at(-1);
  if (firstDay === undefined || lastDay === undefined) return [];
  return [...lastDay.parts].map(([key, last]) => {
    const all = days.flatMap(({ parts }) => parts.get(key) ?? []);
    const { marketId } = last.opening.market;
    return {
      first: all[0] ?? last,
      last,
      all,
      openingMid: before?.mids.get(marketId),
      closingMid: lastDay.mids.get(marketId),
    };
  });
}

function feesOf(spans: readonly Pick<Span, "first" | "last">[]): Readonly<Record<string, string>> {
  const fees = spans.flatMap(({ first, last }) =>
    [...last.closing.fees].map(([token, fee]): readonly [TokenId, Fixed] => [
      token,
      subFixed(fee, first.opening.fees.get(token) ?? ZERO),
    ]),
  );
  return amountsText(fees.filter(([, fee]) => fee !== ZERO));
}

/** A strategy in a market on one day, as a statement has it. Amounts are decimal text, PnL is in quote token. */
export function statementRow(
  part: PartDay,
  day: AccountDay,
  before: AccountDay | undefined,
  spanMs: number,
) {
  const { opening, closing, uptime, corrected } = part;
  const { marketId, quoteToken } = opening.market;
  const [openingMid, closingMid] = [before?.mids.get(marketId), day.mids.get(marketId)];
  const [span] = [{ first: part, last: part, all: [part], openingMid, closingMid }];
  const shares = uptime.sharesOf(spanMs);
  return {
    strategy: part.strategy,
    market: marketId,
    quoteToken,
    openingPosition: fixedText(opening.base),
    closingPosition: fixedText(closing.base),
    corrected: fixedText(corrected),
    fills: part.fills,
    fillsByHand: part.byHand,
    volumeBase: fixedText(part.volumeBase),
    volumeQuote: fixedText(part.volumeQuote),
    fees: feesOf([span]),
    realised: sumMoney([closing.realisedPnl.minus(opening.realisedPnl)]),
    openingUnrealised: sumMoney([opening.unrealisedAt(openingMid)]),
    closingUnrealised: sumMoney([closing.unrealisedAt(closingMid)]),
    pnl: sumMoney([pnlOf(span)]),
    openingMid: openingMid ?? null,
    closingMid: closingMid ?? null,
    uptimeBid: shares.bid,
    uptimeAsk: shares.ask,
    uptimeObligation: shares.obligation,
  };
}
export type StatementRow = ReturnType<typeof statementRow>;

/** `2026-01-31`. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
