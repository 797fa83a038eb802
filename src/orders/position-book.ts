import { Decimal, decimalOf, fixedOf } from "../domain/decimal.ts";
import { addFixed, fixed, type Fixed, fixedText, fixedToNumber, ZERO } from "../domain/fixed.ts";
import { tokensOf, type MarketId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { CarriedPosition } from "./carried.ts";
import { DayStart } from "./day-start.ts";
import { DOUBT, Drawdown } from "./drawdown.ts";
import { Position } from "./position.ts";

/** A strategy's position in a market, over all runs. */
export interface BookedPosition {
  readonly strategy: string;
  readonly position: Position;
  /** Of its total PnL, as the day. */
  drawdown: Drawdown;
  readonly day: DayStart;
}

/**
 * The position of every strategy in every market, those of earlier runs included: a strategy that is gone from the configuration, or
 * moved to another market, leaves its position here.
 */
export class PositionBook {
  readonly #entries = new Map<string, BookedPosition>();
  readonly #changed = new Set<BookedPosition>();

  /** The strategy's position in the market; a new one is flat. */
  of(strategy: string, marketId: MarketId): BookedPosition {
    const key = `${strategy} ${marketId}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      const { base, quote } = tokensOf(marketId);
      const position = new Position({ marketId, baseToken: base, quoteToken: quote });
      entry = { strategy, position, drawdown: new Drawdown(), day: new DayStart() };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  all(): readonly BookedPosition[] {
    return [...this.#entries.values()];
  }

  /** Net base of all strategies in a market. */
  net(marketId: MarketId): Fixed {
    let sum: Fixed = ZERO;
    for (const { position } of this.#entries.values()) {
      if (position.market.marketId === marketId) sum = addFixed(sum, position.base);
    }
    return sum;
  }

  /** Continues with the position that an earlier run left. */
  restore(carried: CarriedPosition): void {
    const entry = this.of(carried.strategy, carried.marketId);
    entry.position.restore(carried);
    entry.drawdown = new Drawdown(new Decimal(carried.peak), new Decimal(carried.maxDrawdown));
    const { day, dayStart } = carried;
    entry.day.clear();
    if (day !== undefined && dayStart !== undefined) entry.day.restore({ day, dayStart });
  }

  /** Books a new fill of the strategy. */
  apply(strategy: string, fill: Fill): void {
    const entry = this.of(strategy, fill.marketId);
    entry.position.apply(fill);
    this.#changed.add(entry);
  }

  /** Begins the day of the total PnL; false while an open position has no mid. `nowMs`: by the clock that begins days. */
  markDay(strategy: string, marketId: MarketId, mid: number | undefined, nowMs: number): boolean {
    const entry = this.of(strategy, marketId);
    const { position, day } = entry;
    if (mid === undefined && position.base !== ZERO) return false;
    const total = (): Fixed => fixedOf(position.totalAt(mid) ?? new Decimal(0));
    if (day.follow(nowMs, total)) this.#changed.add(entry);
    return true;
  }

  /** Follows the drawdown of the total PnL at this mid. */
  mark(strategy: string, marketId: MarketId, mid: number): void {
    const entry = this.of(strategy, marketId);
    const { position, drawdown } = entry;
    // Most marks are certainly neither a new peak nor the deepest fall, and exact sums are slow.
    const quote = fixedToNumber(position.quote);
    const worth = fixedToNumber(position.base) * mid;
    if (drawdown.ignores(quote + worth, DOUBT * (Math.abs(quote) + Math.abs(worth)))) return;
    if (drawdown.add(position.totalPnl(new Decimal(mid)))) this.#changed.add(entry);
  }

  forgetChanged(): void {
    // An empty set gets a new table as well.
    if (this.#changed.size > 0) this.#changed.clear();
  }

  /** The positions that have changed since the last call. */
  takeChanged(): readonly CarriedPosition[] {
    if (this.#changed.size === 0) return none;
    const items = [...this.#changed].map(carriedPosition);
    this.#changed.clear();
    return items;
  }
}

const none: readonly CarriedPosition[] = [];

/** A position as it is left to the next run. */
export function carriedPosition(entry: BookedPosition): CarriedPosition {
  const { strategy, position, drawdown, day } = entry;
  return {
    type: "position",
    strategy,
    marketId: position.market.marketId,
    ...position.saved(),
    peak: drawdown.peak.toFixed(),
    maxDrawdown: drawdown.max.toFixed(),
    ...day.saved(),
  };
}

/**
 * A position that a person sets: so much base, bought (or sold, when negative) at this average price. Realised PnL and fees stay, the
 * drawdown and the day start again from there.
 */
export function positionSetTo(
  before: CarriedPosition,
  base: Fixed,
  averagePrice: Decimal,
): CarriedPosition {
  const book = new PositionBook();
  book.restore(before);
  const { realisedPnl } = book.of(before.strategy, before.marketId).position;
  const cost = decimalOf(base).times(averagePrice);
  const { day: _, dayStart: __, ...rest } = before;
  return {
    ...rest,
    base: fixedText(base),
    quote: fixedText(fixed(realisedPnl.minus(cost).toDecimalPlaces(26).toFixed())),
    cost: cost.toFixed(),
    peak: realisedPnl.toFixed(),
    maxDrawdown: "0",
  };
}

/** A position after a trade that a person books. */
export function positionAfter(before: CarriedPosition, fill: Fill): CarriedPosition {
  const book = new PositionBook();
  book.restore(before);
  book.apply(before.strategy, fill);
  return carriedPosition(book.of(before.strategy, before.marketId));
}

/** The total with which an exported position began the day, or a later one; undefined when it is open and was not valued then. */
export function startSince({ base, quote, day, dayStart }: CarriedPosition, since: number) {
  if (day !== undefined && dayStart !== undefined && day >= since) return fixed(dayStart);
  return fixed(base) === ZERO ? fixed(quote) : undefined;
}

/**
 * A flat position with another bot's added: PnL, fees and the day's PnL are sums. Undefined when the start of the day is not known and
 * the flat position has PnL of that day.
 */
export function positionJoined(
  flat: CarriedPosition,
  taken: CarriedPosition,
): CarriedPosition | undefined {
  const { day: _, dayStart: __, ...rest } = flat;
  const fees = new Map(Object.entries(flat.fees));
  for (const [token, fee] of Object.entries(taken.fees)) {
    fees.set(token, sumOf(fees.get(token) ?? "0", fee));
  }
  const joined = {
    ...rest,
    base: taken.base,
    quote: sumOf(flat.quote, taken.quote),
    cost: taken.cost,
    fees: Object.fromEntries(fees),
    peak: new Decimal(flat.peak).plus(taken.peak).toFixed(),
    maxDrawdown: Decimal.max(flat.maxDrawdown, taken.maxDrawdown).toFixed(),
  };
  const day = Math.max(flat.day ?? NO_DAY, taken.day ?? NO_DAY);
  if (day === NO_DAY) return joined;
  const own = startSince(flat, day);
  const other = startSince(taken, day);
  if (own !== undefined && other !== undefined) {
    return { ...joined, day, dayStart: fixedText(addFixed(own, other)) };
  }
  return own === fixed(flat.quote) ? joined : undefined;
}

const NO_DAY = -1;

function sumOf(one: string, other: string): string {
  return fixedText(addFixed(fixed(one), fixed(other)));
}

/** A flat position without PnL and fees. */
export function flatPosition(strategy: string, marketId: MarketId): CarriedPosition {
  return carriedPosition(new PositionBook().of(strategy, marketId));
}
