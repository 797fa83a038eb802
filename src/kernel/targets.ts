import type { StopKind } from "../domain/command.ts";
import { Decimal } from "../domain/decimal.ts";
import { parseFixed, type Fixed } from "../domain/fixed.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { Decision, WantedQuote, WantedStop } from "../strategy/contract.ts";
import type { WantedTpsl } from "../strategy/wanted-tpsl.ts";

/** A quote of the newest decision, at a legal price and an exact size. */
export interface TargetQuote {
  readonly side: Side;
  /** A legal price; planning moves it inside the opposite touch. */
  price: number;
  readonly size: Fixed;
  /** Its take profit and stop loss, legal prices. */
  readonly tpsl: Tpsl | undefined;
  /** An order for it was kept or sent, or none is to be placed. */
  placed: boolean;
  /** False: a fitting order is kept, but none is placed; `placed` is true from the start. */
  readonly place: boolean;
  /** Intent of the one order to keep for it, whether it fits or not; undefined for any order that fits. */
  readonly order: number | undefined;
  /** The risk rule of the last denial, so that only changes are noted. */
  deniedBy: string | undefined;
}

/** A stop order of the newest decision, at legal prices and an exact size. */
export interface TargetStop {
  readonly name: string;
  readonly side: Side;
  readonly kind: StopKind;
  readonly size: Fixed;
  readonly stopPrice: number;
  /** 0 for a market order. */
  readonly price: number;
}

/** The targets of the newest decision. The next decision replaces all of them, including those that were not sent yet. */
export interface Targets {
  readonly quotes: readonly TargetQuote[];
  readonly stops: readonly TargetStop[];
  readonly tolerance: number;
  readonly sizeTolerance: number;
  /** Intents of orders to cancel although they may fit a quote. */
  readonly drop: readonly number[];
  readonly reason: Partial<Readonly<Record<Side, string>>>;
}

export const noTargets: Targets = {
  quotes: [],
  stops: [],
  tolerance: 0,
  sizeTolerance: 0,
  drop: [],
  reason: {},
};

/** Most quotes on a side of a decision: far above any sane ladder, low enough to bound one step. */
const MAX_QUOTES_PER_SIDE = 500;
/** Most stop orders of a decision. */
const MAX_STOPS = 100;

/** A decision's targets at legal prices and exact sizes in whole lots. Throws TypeError on invalid numbers, names or counts. */
export function targetsOf(
  decision: Extract<Decision, { type: "set" }>,
  rules: MarketRules,
): Targets {
  const { tolerance, sizeTolerance } = decision;
  if (!(tolerance >= 0 && sizeTolerance >= 0)) {
    throw new TypeError("tolerance and sizeTolerance are numbers of 0 or more");
  }
  const quotes: TargetQuote[] = [];
  addQuotes(quotes, rules, "BUY", decision.bids);
  addQuotes(quotes, rules, "SELL", decision.asks);
  return {
    quotes,
    stops: targetStops(decision.stops, rules),
    tolerance,
    sizeTolerance,
    drop: decision.drop,
    reason: reasonOf(decision),
  };
}

type Reasons = Targets["reason"];

/** An older decision has `why` in its place. */
function reasonOf({ reason, why }: { readonly reason?: Reasons; readonly why?: Reasons }): Reasons {
  return reason ?? why ?? {};
}

function addQuotes(
  targets: TargetQuote[],
  rules: MarketRules,
  side: Side,
  quotes: readonly WantedQuote[],
): void {
  if (quotes.length > MAX_QUOTES_PER_SIDE) {
    throw new TypeError(`${quotes.length} quotes on a side, more than ${MAX_QUOTES_PER_SIDE}`);
  }
  for (const quote of quotes) {
    checkPrice(quote.price, "a quote's price");
    const price = asQuote(rules, side, quote.price);
    const size = targetSizeOf(rules, quote.size, "a quote's size");
    const tpsl = quote.tpsl === undefined ? undefined : tpslOf(rules, side, quote.tpsl);
    if (price === 0 || size === 0n) continue;
    const { order, place = true } = quote;
    targets.push({ side, price, size, tpsl, placed: !place, place, order, deniedBy: undefined });
  }
}

/**
 * Take profit and stop loss at legal prices. The take profit never gets worse than wanted. The trigger rounds so that it fires
 * sooner, the stop loss's limit so that it is more likely to fill.
 */
function tpslOf(
  rules: MarketRules,
  side: Side,
  { takeProfit, stopLoss, stopLimit }: WantedTpsl,
): Tpsl {
  checkPrice(takeProfit, "takeProfit");
  checkPrice(stopLoss, "stopLoss");
  if (stopLimit !== undefined) checkPrice(stopLimit, "stopLimit");
  const exit = opposite(side);
  return {
    tpLimit: asQuote(rules, exit, takeProfit),
    slTrigger: asQuote(rules, exit, stopLoss),
    slLimit: stopLimit === undefined ? undefined : asQuote(rules, side, stopLimit),
  };
}

const noStops: readonly TargetStop[] = [];

function targetStops(stops: readonly WantedStop[], rules: MarketRules): readonly TargetStop[] {
  if (stops.length === 0) return noStops;
  if (stops.length > MAX_STOPS) {
    throw new TypeError(`${stops.length} stops, more than ${MAX_STOPS}`);
  }
  const targets = new Map<string, TargetStop>();
  for (const { name, side, stopPrice, price, kind = "stop-loss", ...stop } of stops) {
    if (name === "") throw new TypeError("a stop needs a name");
    if (targets.has(name)) throw new TypeError(`two stops are named "${name}"`);
    checkPrice(stopPrice, `stopPrice of "${name}"`);
    if (price !== undefined) checkPrice(price, `price of "${name}"`);
    const size = targetSizeOf(rules, stop.size, `size of "${name}"`);
    if (size === 0n) continue;
    // A stop loss rounds to fire sooner and to fill more likely; a take profit never gets worse than wanted.
    const isLoss = kind === "stop-loss";
    const limitSide = isLoss ? opposite(side) : side;
    targets.set(name, {
      name,
      side,
      kind,
      size,
      stopPrice: asQuote(rules, side, stopPrice),
      price: price === undefined ? 0 : asQuote(rules, limitSide, price),
    });
  }
  return [...targets.values()];
}

/** A legal price that is never worse for us than wanted: bids round down, asks up. */
function asQuote(rules: MarketRules, side: Side, price: number): number {
  return side === "BUY" ? rules.roundDown(price) : rules.roundUp(price);
}

function checkPrice(price: number, what: string): void {
  if (!Number.isFinite(price) || price <= 0) throw new TypeError(`${what} is ${price}`);
}

/** The size in whole lots. A size below one lot stays as it is, so that the risk gate denies it with a reason. */
function targetSizeOf(rules: MarketRules, size: string | Decimal, what: string): Fixed {
  const exact = exactSizeOf(size, what);
  const whole = rules.roundSize(exact);
  return whole === 0n ? exact : whole;
}

/** The exact size, a Decimal cut off after 8 decimals. Throws TypeError when it is negative or no number. */
export function exactSizeOf(size: string | Decimal, what: string): Fixed {
  // A strategy in plain JavaScript may return anything.
  if (typeof size !== "string" && !Decimal.isDecimal(size)) {
    throw new TypeError(`${what} is ${String(size)}; write a Decimal, or text such as "0.5"`);
  }
  const text =
    typeof size === "string" ? size : size.toDecimalPlaces(8, Decimal.ROUND_DOWN).toFixed();
  const value = parseFixed(text);
  if (value === undefined || value < 0n) throw new TypeError(`${what} is "${text}"`);
  return value;
}
