import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import { minSizeAt, roundPriceDown, roundPriceUp } from "../domain/price.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Balances } from "../orders/balances.ts";
import type { Position } from "../orders/position.ts";
import { remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { BookView, MarketView, OwnFill, OwnOrder, PositionView } from "../strategy/view.ts";
import type { StrategyRunner } from "./strategy-runner.ts";

export interface ViewSources {
  readonly nowMs: UnixMs;
  readonly market: Market;
  readonly book: BookView;
  readonly runner: StrategyRunner;
  /** The strategy's own live orders, and those of all strategies. */
  readonly orders: readonly TrackedOrder[];
  readonly live: readonly TrackedOrder[];
  readonly position: Position;
  readonly balances: Balances;
}

/** What one strategy may look at now. Money becomes Decimal only when it is read. */
export function makeView(sources: ViewSources): MarketView {
  const { nowMs, market, book, runner, orders, live, position, balances } = sources;
  return {
    nowMs,
    market,
    book,
    trades: runner.trades,
    get fills() {
      return runner.fills.map(ownFill);
    },
    get orders() {
      return orders.map((order) => ownOrder(order, nowMs));
    },
    position: positionView(position, book),
    balance(token) {
      const tokenId = token === "base" ? market.baseToken : market.quoteToken;
      const held = balances.of(tokenId);
      const free = balances.free(tokenId, live);
      if (held === undefined || free === undefined) return undefined;
      return {
        free: decimalOf(free),
        total: decimalOf((held.unlocked + held.locked) as Fixed),
      };
    },
    minSize: (price) => decimalOf(minSizeAt(price)),
    roundDown: roundPriceDown,
    roundUp: roundPriceUp,
  };
}

function ownFill(fill: Fill): OwnFill {
  return {
    side: fill.side,
    price: decimalOf(fill.price),
    quantity: decimalOf(fill.quantity),
    isMaker: fill.isMaker,
    timeMs: fill.timeMs,
  };
}

function ownOrder(order: TrackedOrder, nowMs: UnixMs): OwnOrder {
  return {
    side: order.side,
    price: order.price,
    remaining: decimalOf(remainingOf(order)),
    ageMs: nowMs - order.madeAtMs,
    isWorking: order.phase === "working" && order.cancel === "none",
  };
}

function positionView(position: Position, book: BookView): PositionView {
  return {
    get base() {
      return decimalOf(position.base);
    },
    get averagePrice() {
      return position.averagePrice;
    },
    get realisedPnl() {
      return position.realisedPnl;
    },
    get unrealisedPnl() {
      return book.mid === undefined ? undefined : position.unrealisedPnl(new Decimal(book.mid));
    },
  };
}
