import { getOrMake } from "../base/get-or-make.ts";
import { fixedText, plainNumber, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { Decimal } from "../domain/decimal.ts";
import type { Block } from "../exchange/records.ts";
import type { MarkoutListener } from "../metrics/markouts.ts";
import type { PnlParts } from "../metrics/pnl-attribution.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import { EquitySeries } from "./equity-series.ts";
import { markoutHorizonsMs } from "./fill-statistics.ts";
import type { Owned } from "../domain/market-roles.ts";
import { OrderRows } from "./order-rows.ts";
import type { ReplayBook } from "./replay-book.ts";
import { moneyText, pnlText } from "./replay-result.ts";
import type { ReplayEquity, ReplayFill, ReplayMarkout, TableRows } from "./replay-tables.ts";

/** A strategy in a market at a moment. */
export interface EquityState {
  readonly book: ReplayBook;
  readonly position: Fixed;
  readonly pnl: PnlParts | undefined;
  readonly drawdown: Decimal;
}

/**
 * Collects the tables of a replay: fills, orders, equity and markouts. Its memory grows with fills and orders, not with recorded
 * events. A replay that does not need them has none.
 */
export class ReplayDetails {
  readonly #fills: ReplayFill[] = [];
  readonly #orders = new OrderRows();
  readonly #equity = new Map<string, EquitySeries>();
  readonly #markouts: {
    fill: ReplayFill & { readonly mid: string };
    later: Map<number, number>;
  }[] = [];
  #own: OwnOrders | undefined;

  /** The bot's notes of one step. */
  observe(notes: readonly Note[], nowMs: number): void {
    for (const note of notes) {
      if (note.type === "order") this.#orders.published(note.order, nowMs);
    }
  }

  /** A block of the exchange; called before its fills. */
  block(block: Block, own: OwnOrders, bookOf: (marketId: MarketId) => ReplayBook): void {
    this.#own = own;
    for (const event of block.orderEvents) {
      if (event.eventType !== "NEW") continue;
      const { orderId, marketId, side, price, orderType } = event.order;
      if (own.byId(orderId) === undefined) continue;
      const book = bookOf(marketId);
      const queue = book.quantityAt(side, Number(fixedText(price)));
      this.#orders.entered(orderId, {
        enteredMs: event.timeMs,
        queueAhead: orderType === "LIMIT" ? textOf(queue) : null,
        mid: textOf(book.mid),
      });
    }
  }

  /** An own fill, before it is in any statistic. */
  fill(
    fill: Fill,
    order: Pick<OrderSnapshot, "strategy" | "key">,
    mid: number | undefined,
  ): MarkoutListener {
    const row = fillRow(fill, order, mid);
    this.#fills.push(row);
    this.#orders.filled(fill.orderId, fill.timeMs);
    const later = new Map<number, number>();
    if (row.mid !== null) this.#markouts.push({ fill: { ...row, mid: row.mid }, later });
    return (horizonMs, laterMid) => later.set(horizonMs, laterMid);
  }

  /** A strategy's state after a fill, and at the end of the replay. */
  addEquity(owned: Owned, timeMs: number, state: () => EquityState): void {
    this.#series(owned, timeMs).fill(this.#equityRow(owned, timeMs, state()));
  }

  /** A strategy's state at a whole second from the start on. */
  equityAt(owned: Owned, timeMs: number, state: () => EquityState): void {
    const series = this.#series(owned, timeMs);
    if (series.isDue(timeMs)) series.sample(this.#equityRow(owned, timeMs, state()));
  }

  get tables(): TableRows {
    return {
      fills: this.#fills,
      orders: this.#orders.rows,
      equity: [...this.#equity.values()].flatMap(({ rows }) => rows),
      markouts: this.#markouts.flatMap(({ fill, later }) => markoutRows(fill, later)),
    };
  }

  #series({ strategy, marketId }: Owned, timeMs: number): EquitySeries {
    const key = `${strategy} ${marketId}`;
    return getOrMake(this.#equity, key, () => new EquitySeries(timeMs));
  }

  #equityRow(owned: Owned, timeMs: number, state: EquityState): ReplayEquity {
    const { strategy, marketId } = owned;
    const { book, position, drawdown } = state;
    const parts = state.pnl === undefined ? undefined : pnlText(state.pnl);
    return {
      timeMs,
      strategy,
      market: marketId,
      bid: textOf(book.touch.bid),
      ask: textOf(book.touch.ask),
      mid: textOf(book.mid),
      ownBid: textOf(this.#bestQuote(owned, "BUY")),
      ownAsk: textOf(this.#bestQuote(owned, "SELL")),
      position: fixedText(position),
      spread: parts?.spread ?? null,
      inventory: parts?.inventory ?? null,
      fees: parts?.fees ?? null,
      pnl: parts?.total ?? null,
      drawdown: moneyText(drawdown),
    };
  }

  #bestQuote({ strategy, marketId }: Owned, side: Side): number | undefined {
    let best: number | undefined;
    for (const order of this.#own?.live(strategy) ?? []) {
      if (
        order.marketId !== marketId ||
        order.side !== side ||
        order.role !== "quote" ||
        !order.isResting
      )
        continue;
      const isBetter =
        best === undefined || (side === "BUY" ? order.price > best : order.price < best);
      if (isBetter) best = order.price;
    }
    return best;
  }
}

function fillRow(
  fill: Fill,
  { strategy, key }: Pick<OrderSnapshot, "strategy" | "key">,
  mid: number | undefined,
): ReplayFill {
  return {
    timeMs: fill.timeMs,
    strategy,
    market: fill.marketId,
    key: key ?? null,
    side: fill.side,
    price: fixedText(fill.price),
    quantity: fixedText(fill.quantity),
    fee: fixedText(fill.fee),
    feeToken: fill.feeToken,
    liquidity: fill.isMaker ? "maker" : "taker",
    orderId: fill.orderId,
    mid: textOf(mid),
  };
}

function markoutRows(
  fill: ReplayFill & { readonly mid: string },
  later: ReadonlyMap<number, number>,
): readonly ReplayMarkout[] {
  const { timeMs, strategy, market, side, price, quantity, orderId, mid } = fill;
  const sign = side === "BUY" ? 1 : -1;
  return markoutHorizonsMs.map((horizonMs) => {
    const laterMid = later.get(horizonMs);
    const bpsFrom = (from: number): number | null =>
      laterMid === undefined ? null : sign * ((laterMid - from) / from) * 10_000;
    const row = { timeMs, strategy, market, side, price, quantity, orderId, mid, horizonMs };
    const [midToMidBps, fillToMidBps] = [bpsFrom(Number(mid)), bpsFrom(Number(price))];
    return { ...row, laterMid: textOf(laterMid), midToMidBps, fillToMidBps };
  });
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : plainNumber(value);
}
