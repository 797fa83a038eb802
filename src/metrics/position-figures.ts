import { type Decimal, decimalOf } from "../domain/decimal.ts";
import type { BookedPosition } from "../orders/position-book.ts";
import { amountsText, sumMoney, sumText } from "./sum-text.ts";

/**
 * A position over all runs, as the page, `status`, the summary and `position show` have it. Amounts are decimal text, PnL is in quote
 * token, after fees.
 */
export interface PositionFigures {
  /** Net base token. */
  readonly base: string;
  /** Average cost, quote per base; null when flat, and over several strategies. */
  readonly averagePrice: string | null;
  /** Since the UTC day began; null before the day's first valuation. As the next two: null when a position is open without a mid. */
  readonly dayPnl: string | null;
  /** Since the position began: realised plus unrealised. */
  readonly totalPnl: string | null;
  readonly unrealisedPnl: string | null;
  /** At average cost. */
  readonly realisedPnl: string;
  /** Fees paid, by token id. */
  readonly fees: Readonly<Record<string, string>>;
}

/** The sum of positions in one market at its mid. */
export function positionFigures(
  booked: readonly BookedPosition[],
  mid: number | undefined,
): PositionFigures {
  const positions = booked.map(({ position }) => position);
  const [only, ...more] = positions;
  const sum = (parts: readonly (Decimal | undefined)[]): string | null =>
    parts.length === 0 ? "0" : sumMoney(parts);
  return {
    base: sumText(positions.map(({ base }) => base)),
    averagePrice: sumMoney([more.length > 0 ? undefined : only?.averagePrice]),
    dayPnl: sum(booked.map((one) => dayPnlOf(one, mid))),
    totalPnl: sum(positions.map((one) => one.totalAt(mid))),
    unrealisedPnl: sum(positions.map((one) => one.unrealisedAt(mid))),
    realisedPnl: sum(positions.map(({ realisedPnl }) => realisedPnl)) ?? "0",
    fees: amountsText(positions.flatMap(({ fees }) => [...fees])),
  };
}

/** PnL since the UTC day began; undefined before the day's first valuation, and without a mid that it needs. */
export function dayPnlOf(
  { position, day: { start } }: BookedPosition,
  mid: number | undefined,
): Decimal | undefined {
  const total = position.totalAt(mid);
  return start === undefined ? undefined : total?.minus(decimalOf(start));
}
