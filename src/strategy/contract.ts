import type { z } from "zod";
import type { Decimal } from "../domain/decimal.ts";
import type { StopKind } from "../domain/command.ts";
import type { Side } from "../domain/side.ts";
import type { MarketView } from "./view.ts";
import type { WantedTpsl } from "./wanted-tpsl.ts";

/**
 * The plugin contract. A strategy is a name, a schema of its parameters, a start state and one synchronous function that
 * looks at the market and says which quotes it wants. It never sends, cancels, waits, reads a clock or a file.
 */

/** A quote that a strategy wants to have resting. */
export interface WantedQuote {
  /** In quote token; the engine rounds bids down and asks up to the venue's grid and never lets them cross the touch. */
  readonly price: number;
  /** In base token: decimal text or a Decimal; must be positive. */
  readonly size: string | Decimal;
  /**
   * `OwnOrder.id` of the order that is this quote, whatever its own price and size are: it stays as it is. When that order
   * is gone or on its way out, nothing is placed in its stead.
   */
  readonly order?: number;
  /** False: an order that fits stays, but none is placed. Default true. */
  readonly place?: boolean;
  /** Once the quote is filled whole, two orders close what it opened, of which only one is filled. */
  readonly tpsl?: WantedTpsl;
}

/**
 * A stop order that a strategy wants to have waiting. It stands until it is not wanted any more, is replaced when it is off by
 * more than the tolerances, and once it has fired it is over under its name: it is placed again only after a decision
 * without that name. So one name never trades twice.
 */
export interface WantedStop {
  /** The strategy's own key. */
  readonly name: string;
  readonly side: Side;
  /** In base token: decimal text or a Decimal; must be positive. */
  readonly size: string | Decimal;
  readonly stopPrice: number;
  /** Limit price once it fired; left out, it is a market order. */
  readonly price?: number;
  /**
   * `stop-loss` (the default) sells when the price falls to `stopPrice` or buys when it rises to it, `take-profit` the other
   * way round. With the market beyond `stopPrice` already, nothing is placed: `OwnStop.why` says so.
   */
  readonly kind?: StopKind;
}

/** What `decide` returns. Build it with `setQuotes`, `noQuotes` or `keepQuotes`. */
export type Decision =
  | {
      readonly type: "set";
      /** Best first is customary, any order is accepted. An empty side takes that side's quotes away. */
      readonly bids: readonly WantedQuote[];
      readonly asks: readonly WantedQuote[];
      readonly stops: readonly WantedStop[];
      /** How far a resting quote may be off its wanted price before it is replaced, as a share of the mid. Default 0. */
      readonly tolerance: number;
      /** How far its remaining size may be off the wanted size, as a share of the wanted size. Default 0.
       *  A partly filled quote counts with what remains. */
      readonly sizeTolerance: number;
      /** `OwnOrder.id` of orders that serve no quote, whatever they fit: they are canceled. `OwnLeg.id` of a leg ends its pair. */
      readonly drop: readonly number[];
      /** Why a side is empty or short, for people: shown on the page and in the journal. */
      readonly reason: Partial<Readonly<Record<Side, string>>>;
      /** Names that were replaced and that this decision was still made with; the kernel warns of each once. */
      readonly oldNames?: readonly string[];
      readonly wakeAtMs: number | undefined;
    }
  | { readonly type: "keep"; readonly wakeAtMs: number | undefined };

export interface DecideInput<Params, State> {
  readonly view: MarketView;
  readonly params: Params;
  /** The strategy's own state: plain data, mutated in place at will. */
  readonly state: State;
}

export interface StrategyDefinition<Schema extends z.ZodType = z.ZodType, State = unknown> {
  readonly name: string;
  /** One sentence for `touchline check` and the docs. */
  readonly summary?: string;
  /** zod schema of `params` in YAML; unknown keys should be refused (z.strictObject). */
  readonly params: Schema;
  /** Makes the start state, plain data. `seed` is for a Prng of the strategy's own. */
  init(input: { readonly params: z.output<Schema>; readonly seed: number }): State;
  /** Called once per batch of news, and at `wakeAtMs`. Must be quick, synchronous and free of side effects beyond `state`. */
  decide(input: DecideInput<z.output<Schema>, State>): Decision;
  /** Optional warnings about settings that burn money; shown by `check` and at start. `fees` are shares. */
  review?(input: {
    readonly params: z.output<Schema>;
    readonly makerFee: number;
    readonly takerFee: number;
  }): readonly string[];
}

/** Gives a strategy its types; the plugin's default export. */
export function defineStrategy<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
): StrategyDefinition<Schema, State> {
  return definition;
}

/** The target quotes and stop orders from now on, until the next decision, which replaces all of them. */
export function setQuotes(target: {
  readonly bids?: readonly WantedQuote[];
  readonly asks?: readonly WantedQuote[];
  readonly stops?: readonly WantedStop[];
  readonly tolerance?: number;
  readonly sizeTolerance?: number;
  readonly drop?: readonly number[];
  readonly reason?: Partial<Readonly<Record<Side, string>>>;
  /** @deprecated The old name of `reason`, read until the next minor version. */
  readonly why?: Partial<Readonly<Record<Side, string>>>;
  /** Ask again at this time even if nothing happens. */
  readonly wakeAtMs?: number;
}): Decision {
  return {
    type: "set",
    bids: target.bids ?? [],
    asks: target.asks ?? [],
    stops: target.stops ?? [],
    tolerance: target.tolerance ?? 0,
    sizeTolerance: target.sizeTolerance ?? 0,
    drop: target.drop ?? [],
    reason: target.reason ?? target.why ?? {},
    oldNames: target.why === undefined ? [] : ["why"],
    wakeAtMs: target.wakeAtMs,
  };
}

/** No quotes, with the reason; no stop orders either but those in `options.stops`. */
export function noQuotes(
  reason: string,
  options: { readonly stops?: readonly WantedStop[]; readonly wakeAtMs?: number } = {},
): Decision {
  return setQuotes({ reason: { BUY: reason, SELL: reason }, ...options });
}

/** Leave everything as it was wished last. */
export function keepQuotes(options: { readonly wakeAtMs?: number } = {}): Decision {
  return { type: "keep", wakeAtMs: options.wakeAtMs };
}
