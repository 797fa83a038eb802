import type { Resolution } from "../domain/candle.ts";
import type { Decimal } from "../domain/decimal.ts";
import type { Trade } from "../domain/depth.ts";
import type { Market } from "../domain/market.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import type { RiskStep } from "../domain/risk-step.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { CandlesView } from "./warm-up.ts";
import type { WantedTpsl } from "./wanted-tpsl.ts";

/** One price level, numbers. */
export interface Level {
  readonly price: number;
  readonly quantity: number;
}

/**
 * The book less our own resting quantity, so that a strategy never follows its own quotes. A side may be empty.
 */
export interface BookView {
  /** Best level of a side, undefined when the side is empty. */
  best(side: Side): Level | undefined;
  /** The `index`-th best level of a side (0 is the best). */
  level(side: Side, index: number): Level | undefined;
  /** Up to `count` levels, best first. */
  levels(side: Side, count: number): readonly Level[];
  /**
   * Price of the last level that taking `quantity` (base token) reaches; undefined when the side has less.
   */
  priceFor(side: Side, quantity: number): number | undefined;
  /** The average price of the first `quantity` base token of a side; undefined when the side has less, or for 0. */
  averageFor(side: Side, quantity: number): number | undefined;
  /** The quantity of a side's levels up to `price`, the level at it included. */
  quantityTo(side: Side, price: number): number;
  /** (best bid + best ask) / 2; undefined when a side is empty. */
  readonly mid: number | undefined;
  /** Mid weighted by the opposite side's quantity at the touch (Gatheral and Oomen, 2010); undefined as `mid`. */
  readonly weightedMid: number | undefined;
  /** Best ask − best bid; undefined as `mid`. */
  readonly spread: number | undefined;
}

/** One of the strategy's own live orders. */
export interface OwnOrder {
  /** Unique in the run; used in `WantedQuote.order`, in `drop` and as the `order` of fills. */
  readonly id: number;
  /** Level of the quote that it serves, or served last: `WantedQuote.key`. An order that is kept for another level's quote has that one's. */
  readonly key?: string;
  readonly side: Side;
  readonly price: number;
  /** What may still fill, base token. */
  readonly remaining: Decimal;
  /** What has been filled, in earlier runs too. */
  readonly executed: Decimal;
  readonly ageMs: number;
  /**
   * Base token that is ahead of it at its price, an estimate: what others had there when it was first seen working, less public trades at the
   * price since, and never more than others have there now. Undefined before, and without a fresh book.
   */
  readonly queueAhead: number | undefined;
  /** True once the venue acknowledged it and no cancel is under way. */
  readonly isWorking: boolean;
  /** A cancel is under way: the order serves no quote any more, but may still fill. */
  readonly isLeaving: boolean;
  /** Its take profit and stop loss. */
  readonly tpsl?: WantedTpsl;
}

/**
 * The take profit or stop loss of a quote, from the quote's placement to the leg's end. What one of the two legs fills is taken
 * off the other.
 */
export interface OwnLeg {
  /** Unique in the run; used in `drop` and as the `order` of fills. */
  readonly id: number;
  /** `OwnOrder.id` of the quote, which is gone after it was filled; undefined after a restart. */
  readonly entry: number | undefined;
  readonly kind: "takeProfit" | "stopLoss";
  readonly side: Side;
  /** Limit price; undefined for a market order. */
  readonly price: number | undefined;
  /** Stop loss only. */
  readonly stopPrice: number | undefined;
  readonly remaining: Decimal;
  readonly executed: Decimal;
  /**
   * `pending`: not placed, since the quote is not filled whole yet. `sent`: not yet acknowledged. `waiting`: for a trade at the
   * stop price. `working`: it may trade. `leaving`: a cancel is under way.
   */
  readonly state: "pending" | "sent" | "waiting" | "working" | "leaving";
}

/** A wanted stop order, or one that is still leaving. */
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
   * `wanted`: not sent, for the `reason` given. `sent`: not yet acknowledged. `waiting`: for a trade at the stop price.
   * `triggered`: it fired and may trade. `leaving`: a cancel is under way. `over`: it fired and has ended; it is not placed again
   * under this name.
   */
  readonly state: "wanted" | "sent" | "waiting" | "triggered" | "leaving" | "over";
  /** Why it is not sent, or why the venue refused it last. */
  readonly reason: string | undefined;
}

/** A take of the newest decision, or one that has not ended. */
export interface OwnTake {
  /** `workTo` for the takes that work towards a position: the newest one. */
  readonly name: string;
  /** `order` of its fills; undefined before an order was sent, and after a restart. */
  readonly id: number | undefined;
  /** Undefined for `workTo` while nothing is left to do. */
  readonly side: Side | undefined;
  /** Base token, as it was sent; before that as it is wanted, undefined for one wanted in quote token. */
  readonly size: Decimal | undefined;
  readonly executed: Decimal;
  /** Of its fills so far, quote per base; undefined without any. */
  readonly averagePrice: Decimal | undefined;
  /** Paid so far, in quote token: a fee in base token counts at its fill's price. */
  readonly fees: Decimal;
  /**
   * `wanted`: not sent, for the `reason` given. `sent`: not yet acknowledged. `working`: it may trade. `leaving`: a cancel is under way.
   * `over`: it has ended, and no other order is sent under this name.
   */
  readonly state: "wanted" | "sent" | "working" | "leaving" | "over";
  /** Why it is not sent, or why not all of it traded. */
  readonly reason: string | undefined;
}

/** One of the strategy's own executions since the last decision. */
export interface OwnFill {
  /** Id of the filled quote, leg, stop order or take, which may be gone by now. */
  readonly order: number;
  readonly role: "quote" | "takeProfit" | "stopLoss" | "stop" | "take";
  /** Stop orders only: the name. */
  readonly stop?: string;
  /** Takes only: the name. */
  readonly take?: string;
  /** Quotes and their legs only: `OwnOrder.key`. */
  readonly key?: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly isMaker: boolean;
  /** Nothing of the order is left to fill. */
  readonly isComplete: boolean;
  readonly timeMs: UnixMs;
}

/**
 * The strategy's own account in this market, over all runs with this journal. PnL is in the quote token, average cost, after fees.
 */
export interface PositionView {
  /** Net base bought by own fills, net of fees, those of earlier runs included. */
  readonly base: Decimal;
  /** Average cost of the open part in quote per base; undefined when flat. */
  readonly averagePrice: Decimal | undefined;
  readonly realisedPnl: Decimal;
  /** At the mid; undefined without one. */
  readonly unrealisedPnl: Decimal | undefined;
}

/** What the risk ladder does to the strategy at present: the harder of its own step and the whole bot's. */
export interface RiskView {
  /**
   * `warn`: nothing. `widen`: the bot moves quotes away from the mid. `reduceOnly`: only quotes that bring the position nearer to 0 are
   * placed, cut to the position. While it is `pause` or `halt`, `decide` is not called.
   */
  readonly step: RiskStep;
  /** The trigger that holds it, for example `sessionLoss`; undefined at `normal`. */
  readonly trigger?: string;
  /** A sentence with value and limit; undefined at `normal`. */
  readonly reason?: string;
}

/** A public trade. */
export interface PublicTrade extends Trade {
  /** One of its two orders is an order of this bot. */
  readonly isOwn: boolean;
}

/** A price from elsewhere (`sources:` in the YAML). */
export interface SourceView {
  readonly bid: number;
  readonly ask: number;
  readonly mid: number;
  /** Since its receipt. */
  readonly ageMs: number;
  /** Receipt less its own time, in which the clocks may differ; undefined without one. */
  readonly lagMs: number | undefined;
}

/** Everything that a strategy sees in one decision. */
export interface MarketView {
  /** Time of the batch by our clock. */
  readonly nowMs: UnixMs;
  readonly market: Market;
  /** Fee rates of the market, as shares of what is received. */
  readonly makerFee: number;
  readonly takerFee: number;
  /** In sync and young enough to quote by; empty while it is not, which only a strategy with several markets sees (`isFresh`). */
  readonly book: BookView;
  /** Whether the market may be quoted in. A strategy with one market is not called otherwise. */
  readonly isFresh: boolean;
  /** The views of all markets of the strategy by its names for them, this one included. */
  readonly markets: Readonly<Record<string, MarketView>>;
  /** Public trades since the last decision, oldest first. */
  readonly trades: readonly PublicTrade[];
  /**
   * The candles of a resolution that `warmUp` of the strategy asks for, from the venue's history and public trades. Throws TypeError for
   * another one.
   */
  candles(resolution: Resolution): CandlesView;
  readonly fills: readonly OwnFill[];
  /**
   * The bot canceled the strategy's quotes, because of a pause, an outage, a stale book or the risk ladder, and the strategy has not set any since.
   * `keepQuotes` brings none of them back: set quotes at current prices.
   */
  readonly quotesPulled: boolean;
  readonly risk: RiskView;
  /** The strategy's live quotes. */
  readonly orders: readonly OwnOrder[];
  /** Legs of the strategy's quotes that have not ended. */
  readonly legs: readonly OwnLeg[];
  /** The strategy's stop orders: those of the newest decision, and others that have not ended. */
  readonly stops: readonly OwnStop[];
  /** The strategy's takes: those of the newest decision, and others that have not ended. */
  readonly takes: readonly OwnTake[];
  readonly position: PositionView;
  /** The price sources by name; undefined while one is older than its `maxAge`, or has no price yet. */
  readonly sources: Readonly<Record<string, SourceView | undefined>>;
  /**
   * Balance of the base or quote token: `free` for new orders, `total` including open orders. Undefined before it is known. Of a strategy with
   * a budget no more than that, with what its own fills brought or took.
   */
  balance(token: "base" | "quote"): { readonly free: Decimal; readonly total: Decimal } | undefined;
  /** The budget of the strategy in the tokens of this market, one over all its markets; undefined where none is set. */
  readonly budget: { readonly base: Decimal | undefined; readonly quote: Decimal | undefined };
  /** How long the venue took lately from a command to its response, milliseconds; undefined before the first response. */
  readonly latency: { readonly p50Ms: number; readonly p90Ms: number } | undefined;
  /** Which prices and sizes the market admits: ticks, lots, minimum sizes. */
  readonly rules: MarketRules;
  /** Smallest order size in base token at a price. */
  minSize(price: number): Decimal;
  /** Legal price at or below / at or above. */
  roundDown(price: number): number;
  roundUp(price: number): number;
  /** The size that an order of `size` has: whole lots, never more than `size`; 0 below one lot. A new quote has this much remaining. */
  roundSize(size: string | Decimal): Decimal;
}
