import { suggestion } from "../base/nearest.ts";
import type { z } from "zod";
import type { Decimal } from "../domain/decimal.ts";
import type { StopKind } from "../domain/command.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import type { Side } from "../domain/side.ts";
import { shown } from "./shown.ts";
import type { MarketView } from "./view.ts";
import type { WantedTake, WantedWork } from "./wanted-take.ts";
import type { WarmUp } from "./warm-up.ts";
import type { WantedTpsl } from "./wanted-tpsl.ts";

/**
 * The plugin contract. A strategy is a name, a schema of its parameters, a start state and one synchronous function that
 * looks at the market and returns the quotes it wants. It never sends, cancels, waits, reads a clock or a file.
 */

/** A quote that a strategy wants to have resting. */
export interface WantedQuote {
  /** In quote token; the kernel rounds bids down and asks up to legal prices and never lets them cross the touch. */
  readonly price: number;
  /** In base token: decimal text or a Decimal, cut down to the market's lot. A quote of size 0 is left out. */
  readonly size: string | Decimal;
  /**
   * `OwnOrder.id` of the order that serves this quote whatever its price and size: that order stays as it is. When it is gone
   * or leaving, nothing replaces it.
   */
  readonly order?: number;
  /** False: an order that fits is kept, but none is placed. Default true. */
  readonly place?: boolean;
  /**
   * Names its level, for `OwnOrder.key`, `OwnFill.key` and the figures by level: 1 to 100 characters. Default: its number on its side from
   * the best price on, "1" for the first, without quotes that name an `order`.
   */
  readonly key?: string;
  /** When the quote is filled whole, the venue places these two orders to close it; only one of them fills. */
  readonly tpsl?: WantedTpsl;
}

/**
 * A stop order that a strategy wants to have waiting. It stays in force until a decision drops it, and is replaced when it is off
 * by more than the tolerances. After it has fired its name is used up: it is placed again only after a decision without that
 * name, so one name never trades twice.
 */
export interface WantedStop {
  /** The strategy's own key. */
  readonly name: string;
  readonly side: Side;
  /** In base token: decimal text or a Decimal, cut down to the market's lot. A stop of size 0 is left out. */
  readonly size: string | Decimal;
  readonly stopPrice: number;
  /** Limit price after it has fired; left out, it is a market order. */
  readonly price?: number;
  /**
   * `stop-loss` (the default) sells when the price falls to `stopPrice` or buys when it rises to it, `take-profit` the other
   * way round. When the market is beyond `stopPrice` already, nothing is placed: `OwnStop.reason` says so.
   */
  readonly kind?: StopKind;
}

/**
 * What calls `decide` before `wakeAtMs`. `data`: every change of the book, every public trade, own orders and own fills. `orders`: own orders
 * and own fills. `time`: nothing else. Pulled quotes, operators and the risk ladder call it in any case. What happened meanwhile is in the
 * next view.
 */
export type WakeOn = "data" | "orders" | "time";

/** New quotes and stop orders for a market. */
export type SetDecision = Extract<MarketDecision, { readonly type: "set" }>;

/**
 * What `decide` returns, not as a Promise: the decision for its own market, or one for each market from `inMarkets`. Markets that are
 * left out stay as they are.
 */
export type Decision =
  | MarketDecision
  | {
      readonly type: "markets";
      readonly markets: Readonly<Record<string, MarketDecision>>;
      readonly wakeAtMs: number | undefined;
      readonly wakeOn?: WakeOn | undefined;
    };

/**
 * What is wanted in one market. Build it with `setQuotes`, `noQuotes` or `keepQuotes`. A value that the contract does not
 * allow, a price of NaN for example, ends the strategy: its orders are canceled, and the other strategies continue.
 */
export type MarketDecision =
  | {
      readonly type: "set";
      /** In any order, best first by custom. An empty side removes that side's quotes. */
      readonly bids: readonly WantedQuote[];
      readonly asks: readonly WantedQuote[];
      readonly stops: readonly WantedStop[];
      readonly takes: readonly WantedTake[];
      readonly workTo: WantedWork | undefined;
      /** How far a resting quote may be off its wanted price before it is replaced, as a share of the mid. Default 0. */
      readonly tolerance: number;
      /** The same for a quote that is farther from the market than wanted; default: `tolerance`. */
      readonly fartherTolerance?: number | undefined;
      /**
       * How far its remaining size may be off the wanted size, as a share of the wanted size. Default 0. A partly filled order that is off by
       * more keeps its place, and a second one has the rest if that is not below `minSize`.
       */
      readonly sizeTolerance: number;
      /** `OwnOrder.id` of orders to cancel even when they fit a quote. The `OwnLeg.id` of a leg ends its pair. */
      readonly drop: readonly number[];
      /** Why a side is empty or short, for people: shown on the page and in the log. */
      readonly reason: Partial<Readonly<Record<Side, string | undefined>>>;
      readonly wakeAtMs: number | undefined;
      /** Default `data`. */
      readonly wakeOn?: WakeOn | undefined;
    }
  | {
      readonly type: "keep";
      readonly wakeAtMs: number | undefined;
      readonly wakeOn?: WakeOn | undefined;
    };

export interface DecideInput<Params, State, Role extends string = string> {
  /** Of its own market; `markets` has the views of all. */
  readonly view: MarketView & { readonly markets: Readonly<Record<Role, MarketView>> };
  readonly params: Params;
  /** The strategy's own state: plain data that `decide` may change in place. */
  readonly state: State;
}

/**
 * How a strategy's state survives a restart. What `save` returns is kept as JSON, after own fills at once, otherwise at most once a
 * second, and at the end of the run.
 */
export interface StateKeeping<State> {
  /** Raise it when `save` returns another shape. */
  readonly version: number;
  /** The part of the state that the next run needs, as plain data for JSON: no bigint, Decimal, Map or NaN. Must not change the state. */
  save(state: State): unknown;
  /**
   * The state of a new run, from what version `version` of `save` returned; `state` is what `init` made. When it throws, the strategy
   * does not run: its message says why.
   */
  load(data: unknown, version: number, state: State): State;
}

export interface StrategyDefinition<
  Schema extends z.ZodType = z.ZodType,
  State = unknown,
  Role extends string = string,
> {
  readonly name: string;
  /** One sentence for `touchline check` and the docs. */
  readonly summary?: string;
  /**
   * Its names for its markets, for example `["main", "hedge"]`; the configuration says which market each is. The first is its own, always
   * called `main`. Left out: it has no other.
   */
  readonly markets?: readonly [typeof OWN_MARKET, ...Role[]];
  /** zod schema of `params` in YAML; unknown keys should be refused (z.strictObject). */
  readonly params: Schema;
  /**
   * The venue's candles and trades that it needs before its first decision (`view.candles`), or a function of its parameters at the start.
   * It waits for them for up to 30 s, then starts without.
   */
  readonly warmUp?: WarmUp | WarmUpFunction<z.output<Schema>>["of"];
  /** Makes the initial state, plain data. `seed` is for a `Prng` in that state. */
  init(input: { readonly params: z.output<Schema>; readonly seed: number }): State;
  /**
   * Called when its parameters were changed in a run, before its next decision, which follows at once: changes in place what the state has
   * from the parameters before. Parameters that `decide` reads need nothing here; one that may not change in a run has
   * `.meta({ restart: true })` in its schema.
   */
  tuned?(input: { readonly params: z.output<Schema>; readonly state: State }): void;
  /** How the state survives a restart; left out, every run begins with `init`. */
  readonly state?: StateKeeping<State>;
  /**
   * Called once per batch of new data, or less often with `wakeOn`, and at `wakeAtMs`, as long as one of its markets `isFresh`. Must be quick, synchronous and free of side effects beyond `state`.
   */
  decide(input: DecideInput<z.output<Schema>, State, Role | typeof OWN_MARKET>): Decision;
  /**
   * Warnings about settings that lose money, or whose quotes `risk.priceCollar` denies (null: it is off), shown by `check` and at start.
   * Fees and collar are shares, as is the tick: that of a price at the mid, once there is a book.
   */
  review?(input: {
    readonly params: z.output<Schema>;
    readonly makerFee: number;
    readonly takerFee: number;
    readonly priceCollar?: number | null;
    readonly tick?: number;
  }): readonly string[];
  /**
   * Its own numbers and words, by name, for `status`, page, result and sweep. Called when they are shown and at the end of a run; must not
   * change the state.
   */
  describe?(state: State): Readonly<Record<string, number | string>>;
  /** The most quotes that it wants at the same time, and how often it moves them: `check` and `doctor` compare their requests with `rateLimit`. */
  demand?(input: { readonly params: z.output<Schema> }): StrategyDemand;
}

/** A method, so that a strategy of any parameters is a `StrategyDefinition`. */
interface WarmUpFunction<Params> {
  of(input: { readonly params: Params }): WarmUp;
}

export interface StrategyDemand {
  readonly quotes: number;
  readonly refreshMs: number;
}

/** Gives a strategy its types; the plugin's default export. */
export function defineStrategy<Schema extends z.ZodType, State, Role extends string = string>(
  definition: StrategyDefinition<Schema, State, Role>,
): StrategyDefinition<Schema, State, Role> {
  return definition;
}

/** What `setQuotes` takes. */
const targetNames: ReadonlySet<string> = new Set([
  "bids",
  "asks",
  "stops",
  "takes",
  "workTo",
  "tolerance",
  "fartherTolerance",
  "sizeTolerance",
  "drop",
  "reason",
  "wakeAtMs",
  "wakeOn",
]);

/** The quotes, stop orders and takes wanted from now on; they replace those of the decision before. Throws TypeError for a name that it does not know. */
export function setQuotes(target: {
  readonly bids?: readonly WantedQuote[];
  readonly asks?: readonly WantedQuote[];
  readonly stops?: readonly WantedStop[];
  readonly takes?: readonly WantedTake[];
  readonly workTo?: WantedWork;
  readonly tolerance?: number;
  readonly fartherTolerance?: number;
  readonly sizeTolerance?: number;
  readonly drop?: readonly number[];
  readonly reason?: Partial<Readonly<Record<Side, string | undefined>>>;
  /** Call `decide` again at this time even if nothing happens. */
  readonly wakeAtMs?: number;
  /** What calls `decide` before that; default `data`. `time` needs `wakeAtMs`. */
  readonly wakeOn?: WakeOn;
}): MarketDecision {
  for (const name of Object.keys(target)) if (!targetNames.has(name)) throw unknownName(name);
  return {
    type: "set",
    bids: target.bids ?? [],
    asks: target.asks ?? [],
    stops: target.stops ?? [],
    takes: target.takes ?? [],
    workTo: target.workTo,
    tolerance: target.tolerance ?? 0,
    fartherTolerance: target.fartherTolerance,
    sizeTolerance: target.sizeTolerance ?? 0,
    drop: target.drop ?? [],
    reason: target.reason ?? {},
    wakeAtMs: target.wakeAtMs,
    wakeOn: target.wakeOn,
  };
}

function unknownName(name: string): TypeError {
  return new TypeError(`setQuotes has no ${shown(name)}${suggestion(name, targetNames)}`);
}

/** No quotes, with the reason; no stop orders and takes either except those in `options`. */
export function noQuotes(
  reason: string,
  options: {
    readonly stops?: readonly WantedStop[];
    readonly takes?: readonly WantedTake[];
    readonly workTo?: WantedWork;
    readonly wakeAtMs?: number;
    readonly wakeOn?: WakeOn;
  } = {},
): MarketDecision {
  return setQuotes({ reason: { BUY: reason, SELL: reason }, ...options });
}

/** Leave everything as the last decision set it. Quotes that the bot pulled since then stay away (`MarketView.quotesPulled`). */
export function keepQuotes(
  options: { readonly wakeAtMs?: number; readonly wakeOn?: WakeOn } = {},
): MarketDecision {
  return { type: "keep", wakeAtMs: options.wakeAtMs, wakeOn: options.wakeOn };
}

/** The decisions by market. */
export function decisionParts(decision: Decision): readonly (readonly [string, MarketDecision])[] {
  return decision.type === "markets" ? Object.entries(decision.markets) : [[OWN_MARKET, decision]];
}

/** A decision for each market, by the strategy's names for them. The earliest `wakeAtMs` counts, and the `wakeOn` that is woken by most. */
export function inMarkets(markets: Readonly<Record<string, MarketDecision>>): Decision {
  const all = Object.values(markets);
  const times = all.flatMap(({ wakeAtMs }) => wakeAtMs ?? []);
  const wakeOn = (["data", "orders", "time"] as const).find((one) =>
    all.some((decision) => (decision.wakeOn ?? "data") === one),
  );
  return {
    type: "markets",
    markets,
    wakeAtMs: times.length === 0 ? undefined : Math.min(...times),
    wakeOn,
  };
}
