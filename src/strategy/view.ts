import type { Decimal } from "../domain/decimal.ts";
import type { Trade } from "../domain/depth.ts";
import type { Market } from "../domain/market.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { WantedTpsl } from "./wanted-tpsl.ts";

/** One price level, numbers. */
export interface Level {
  readonly price: number;
  readonly quantity: number;
}

/**
 * The book without our own resting quantity, so that mid and touch do not follow our own quotes. A side may be empty.
 */
export interface BookView {
  /** Best level of a side, undefined when the side is empty. */
  best(side: Side): Level | undefined;
  /** The `index`-th best level of a side (0 is the best). */
  level(side: Side, index: number): Level | undefined;
  /** Up to `count` levels, best first. */
  levels(side: Side, count: number): readonly Level[];
  /** (best bid + best ask) / 2; undefined when a side is empty. */
  readonly mid: number | undefined;
  /** Mid weighted by the opposite side's quantity at the touch (Gatheral and Oomen, 2010); undefined as `mid`. */
  readonly microprice: number | undefined;
  /** Best ask − best bid; undefined as `mid`. */
  readonly spread: number | undefined;
}

/** One of the strategy's own live orders. */
export interface OwnOrder {
  /** Names it within the run: for `WantedQuote.order` and `drop`, and the `order` of its fills. */
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  /** What may still fill, base token. */
  readonly remaining: Decimal;
  readonly ageMs: number;
  /** True once the venue acknowledged it and no cancel is under way. */
  readonly isWorking: boolean;
  /** A cancel of it is under way: it serves no quote any more, but may still fill. */
  readonly isLeaving: boolean;
  /** Its take profit and stop loss. */
  readonly tpsl?: WantedTpsl;
}

/**
 * A leg of a quote with take profit and stop loss, from the quote's placement to its end. A fill of one of the two reduces
 * the other.
 */
export interface OwnLeg {
  /** Names it within the run: for `drop`, and the `order` of its fills. */
  readonly id: number;
  /** `OwnOrder.id` of the quote, which is gone once it is filled; undefined over a restart. */
  readonly entry: number | undefined;
  readonly kind: "takeProfit" | "stopLoss";
  readonly side: Side;
  /** Limit price; undefined for a market order. */
  readonly price: number | undefined;
  /** Of the stop loss. */
  readonly stopPrice: number | undefined;
  readonly remaining: Decimal;
  readonly executed: Decimal;
  /**
   * `pending`: not placed, since the quote is not filled whole yet. `sent`: perhaps at the venue. `waiting`: for a trade at the stop
   * price. `working`: it may trade. `leaving`: a cancel of it is under way.
   */
  readonly state: "pending" | "sent" | "waiting" | "working" | "leaving";
}

/** What became of a wanted stop order, or of one that still leaves. */
export interface OwnStop {
  readonly name: string;
  /** `order` of its fills; undefined before an order was sent. */
  readonly id: number | undefined;
  readonly side: Side;
  readonly stopPrice: number;
  /** Limit price; undefined for a market order. */
  readonly price: number | undefined;
  /** What may still be filled, base token. */
  readonly remaining: Decimal;
  readonly executed: Decimal;
  /**
   * `wanted`: not sent, `reason` says why. `sent`: perhaps at the venue. `waiting`: for a trade at the stop price. `triggered`: it fired and may
   * trade. `leaving`: a cancel of it is under way. `over`: it fired and has ended; under this name it is not placed again.
   */
  readonly state: "wanted" | "sent" | "waiting" | "triggered" | "leaving" | "over";
  /** Why it is not sent, or was not taken last; for people. */
  readonly reason: string | undefined;
  /** @deprecated The old name of `reason`, filled until the next minor version. */
  readonly why: string | undefined;
}

/** One of the strategy's own executions since the last decision. */
export interface OwnFill {
  /** Id of the quote, leg or stop order that was filled, which may be gone by now. */
  readonly order: number;
  readonly role: "quote" | "takeProfit" | "stopLoss" | "stop";
  /** Of a stop order: its name. */
  readonly stop?: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly isMaker: boolean;
  readonly timeMs: UnixMs;
}

/** The strategy's own account in this market. PnL is in the quote token, average cost, after fees. */
export interface PositionView {
  /** Net base bought by own fills, net of fees, since the run began. */
  readonly base: Decimal;
  /** Average cost of the open part in quote per base; undefined when flat. */
  readonly averagePrice: Decimal | undefined;
  readonly realisedPnl: Decimal;
  /** At the mid; undefined without one. */
  readonly unrealisedPnl: Decimal | undefined;
}

/** Everything a strategy may look at in one decision. */
export interface MarketView {
  /** Time of the batch, ours. */
  readonly nowMs: UnixMs;
  readonly market: Market;
  /** Fee rates of the market, as shares of what is received. */
  readonly makerFee: number;
  readonly takerFee: number;
  /** In sync: a strategy is not asked while the local book is not, so nothing stale is ever seen. */
  readonly book: BookView;
  /** Public trades since the last decision, oldest first, own ones too. */
  readonly trades: readonly Trade[];
  readonly fills: readonly OwnFill[];
  /** The quotes among its live orders. */
  readonly orders: readonly OwnOrder[];
  /** Legs of its quotes that have not ended. */
  readonly legs: readonly OwnLeg[];
  /** Its stop orders by name: those of the newest decision, and others that have not ended. */
  readonly stops: readonly OwnStop[];
  readonly position: PositionView;
  /** The account's balance of the base or quote token: `free` for new orders, `total` with what open orders hold. Undefined before it is known. */
  balance(token: "base" | "quote"): { readonly free: Decimal; readonly total: Decimal } | undefined;
  /** Which prices and sizes the market admits: ticks, lots, minimum sizes. */
  readonly rules: MarketRules;
  /** Smallest order size in base token at a price. */
  minSize(price: number): Decimal;
  /** Legal price at or below / at or above. */
  roundDown(price: number): number;
  roundUp(price: number): number;
}
