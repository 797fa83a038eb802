import { Decimal } from "../domain/decimal.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { Position } from "../orders/position.ts";

/** A strategy's state, from which a chart point is made. */
export interface Moment {
  /** Mid of the book without own orders; undefined while the book is not in sync or a side is empty. */
  readonly mid: number | undefined;
  /** The strategy's live orders. */
  readonly orders: readonly OrderSnapshot[];
  /** Over all runs. */
  readonly position: Position;
}

/** Points that are kept: one a second for an hour. */
export const MAX_POINTS = 3_600;

/** The series that the page can draw, by name. Each gives its value at a moment, or null. */
const series = {
  mid: ({ mid }) => mid ?? null,
  ownBid: ({ orders }) => bestQuote(orders, "BUY"),
  ownAsk: ({ orders }) => bestQuote(orders, "SELL"),
  position: ({ position }) => fixedToNumber(position.base),
  pnl: ({ position, mid }) =>
    mid === undefined ? null : position.totalPnl(new Decimal(mid)).toNumber(),
} satisfies Readonly<Record<string, (moment: Moment) => number | null>>;

export type SeriesName = keyof typeof series;

export const seriesNames = Object.keys(series) as readonly SeriesName[];

/** `[time, value of each series, …]` in the order of `seriesNames`. */
export type HistoryPoint = readonly [timeMs: number, ...values: (number | null)[]];

export function pointAt(timeMs: number, moment: Moment): HistoryPoint {
  return [timeMs, ...seriesNames.map((name) => series[name](moment))];
}

function bestQuote(orders: readonly OrderSnapshot[], side: Side): number | null {
  let best: number | null = null;
  for (const order of orders) {
    if (order.side !== side || order.role !== "quote" || !order.isResting) continue;
    const isBetter = best === null || (side === "BUY" ? order.price > best : order.price < best);
    if (isBetter) best = order.price;
  }
  return best;
}
