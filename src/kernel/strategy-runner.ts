import { Decimal } from "../domain/decimal.ts";
import type { Trade } from "../domain/depth.ts";
import { parseFixed, type Fixed } from "../domain/fixed.ts";
import type { Fill } from "../domain/order.ts";
import { roundPriceDown, roundPriceUp } from "../domain/price.ts";
import type { Side } from "../domain/side.ts";
import type { Plan } from "../execution/planner.ts";
import type { Decision, WantedQuote } from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";
import type { StrategyBinding } from "./config.ts";

/** A quote of the newest decision, on the grid and exact. `served` once an order for it was kept or sent. */
export interface Wish {
  readonly side: Side;
  /** Legal; brought inside the opposite touch when it is planned. */
  price: number;
  readonly size: Fixed;
  served: boolean;
  /** False: an order that fits is kept, none is placed; it counts as served from the start. */
  readonly place: boolean;
  /** Intent of the order that is this quote whatever it fits; undefined for any order that fits. */
  readonly order: number | undefined;
  /** The risk rule that said no last, so that only changes are noted. */
  deniedBy: string | undefined;
}

/** What the newest decision wants; replaced whole by the next one, so an unsent older wish is gone. */
export interface Wishes {
  readonly quotes: readonly Wish[];
  readonly tolerance: number;
  readonly sizeTolerance: number;
  /** Intents of orders that serve no quote. */
  readonly drop: readonly number[];
  readonly why: Partial<Readonly<Record<Side, string>>>;
}

const nothing: Wishes = { quotes: [], tolerance: 0, sizeTolerance: 0, drop: [], why: {} };

/** Most quotes a side that a decision may want: far above any sane ladder, low enough to bound one step. */
const MAX_QUOTES_PER_SIDE = 500;
/** Public trades kept for one decision; older ones are dropped first. */
const MAX_TRADES = 10_000;

/** One strategy at work: its state, its newest wishes, and what happened since it was last asked. */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  readonly #state: unknown;
  wishes: Wishes = nothing;
  wakeAtMs: number | undefined;
  /** Set when the plugin threw or returned nonsense: it is never asked again and its orders are canceled. */
  fault: string | undefined;
  /**
   * The least change towards the wishes, made when they were; commands leave it as the budget allows. Kept until the next
   * wishes: what was served once is not judged again in between, so a partial fill alone replaces nothing.
   */
  plan: Plan<Wish> | undefined;
  /** Its quotes were taken down in the last step for a reason that is not its own: staleness, a pause. */
  isWithdrawn = false;
  /** Something happened in its market or to its orders since it was last asked. */
  hasNews = true;
  trades: Trade[] = [];
  fills: { readonly fill: Fill; readonly intent: number }[] = [];
  /** Until when a side rests after the venue refused a placement, and how often it did in a row. */
  readonly rest: Record<Side, { untilMs: number; refusals: number }> = {
    BUY: { untilMs: 0, refusals: 0 },
    SELL: { untilMs: 0, refusals: 0 },
  };
  /** Why the gate or the grid kept a side's quotes from being sent in the newest plan. */
  readonly held: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };
  /** Last reason noted for a side, so that only changes are noted. */
  readonly lastWhy: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };

  constructor(binding: StrategyBinding) {
    this.binding = binding;
    const { definition, params, seed } = binding;
    this.#state = definition.init({ params, seed });
  }

  get name(): string {
    return this.binding.name;
  }

  noteTrade(trade: Trade): void {
    if (this.trades.length >= MAX_TRADES) this.trades.shift();
    this.trades.push(trade);
    this.hasNews = true;
  }

  /** `intent` of the order that was filled. */
  noteFill(fill: Fill, intent: number): void {
    this.fills.push({ fill, intent });
    this.hasNews = true;
  }

  isDue(nowMs: number): boolean {
    return this.hasNews || (this.wakeAtMs !== undefined && this.wakeAtMs <= nowMs);
  }

  /** Asks the plugin once. True when it set new wishes; a throw or nonsense becomes `fault`. */
  decide(view: MarketView): boolean {
    let decision: Decision;
    try {
      decision = this.binding.definition.decide({
        view,
        params: this.binding.params,
        state: this.#state,
      });
      this.wakeAtMs = wakeOf(decision, view.nowMs);
      if (decision.type === "set") this.wishes = wishesOf(decision);
    } catch (thrown) {
      this.fault = thrown instanceof Error ? thrown.message : String(thrown);
      this.wishes = nothing;
      this.wakeAtMs = undefined;
      return true;
    } finally {
      this.hasNews = false;
      this.trades = [];
      this.fills = [];
    }
    return decision.type === "set";
  }

  /** The newest wishes are to be served again: their orders were taken down for a reason that is over. */
  wantAnew(): void {
    for (const wish of this.wishes.quotes) wish.served = !wish.place;
  }
}

/** A time that is past means a millisecond later, so that a careless strategy does not spin. */
function wakeOf({ wakeAtMs }: Decision, nowMs: number): number | undefined {
  if (wakeAtMs === undefined) return undefined;
  if (!Number.isFinite(wakeAtMs)) throw new TypeError(`wakeAtMs is ${wakeAtMs}, not a time`);
  return Math.max(wakeAtMs, nowMs + 1);
}

function wishesOf(decision: Extract<Decision, { type: "set" }>): Wishes {
  const { tolerance, sizeTolerance } = decision;
  if (!(tolerance >= 0 && sizeTolerance >= 0)) {
    throw new TypeError("tolerance and sizeTolerance are numbers of 0 or more");
  }
  return {
    quotes: [...sideWishes("BUY", decision.bids), ...sideWishes("SELL", decision.asks)],
    tolerance,
    sizeTolerance,
    drop: decision.drop,
    why: decision.why,
  };
}

function sideWishes(side: Side, quotes: readonly WantedQuote[]): Wish[] {
  if (quotes.length > MAX_QUOTES_PER_SIDE) {
    throw new TypeError(`${quotes.length} quotes on a side, more than ${MAX_QUOTES_PER_SIDE}`);
  }
  const wishes: Wish[] = [];
  for (const quote of quotes) {
    if (!Number.isFinite(quote.price) || quote.price <= 0) {
      throw new TypeError(`a quote's price is ${quote.price}`);
    }
    const price = side === "BUY" ? roundPriceDown(quote.price) : roundPriceUp(quote.price);
    const size = sizeOf(quote.size);
    if (price === 0 || size === 0n) continue;
    const { order, place = true } = quote;
    wishes.push({ side, price, size, served: !place, place, order, deniedBy: undefined });
  }
  return wishes;
}

/** Exact size, cut at 8 decimals. */
function sizeOf(size: string | Decimal): Fixed {
  const text =
    typeof size === "string" ? size : size.toDecimalPlaces(8, Decimal.ROUND_DOWN).toFixed();
  const value = parseFixed(text);
  if (value === undefined || value < 0n) throw new TypeError(`a quote's size is "${text}"`);
  return value;
}
