import { sortFew } from "../base/sort-few.ts";
import type { StopKind } from "../domain/command.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { SetDecision, WantedQuote, WantedStop } from "../strategy/contract.ts";
import { shortened, shown } from "../strategy/shown.ts";
import type { WantedTpsl } from "../strategy/wanted-tpsl.ts";
import { badPrice, badSize, readPrice, readSize } from "./strategy/read-amount.ts";

/** A quote of the newest decision, at a legal price and an exact size. */
export interface TargetQuote {
  readonly side: Side;
  /** A legal price; planning moves it inside the opposite touch. */
  price: number;
  readonly size: Fixed;
  /** Its take profit and stop loss, legal prices. */
  tpsl: Tpsl | undefined;
  /** An order for it was kept or sent, or none is to be placed. */
  placed: boolean;
  /** Intent of the one order to keep for it, whether it fits or not; undefined for any order that fits. */
  readonly order: number | undefined;
  /** Its level; undefined for that of `order`. */
  key: string | undefined;
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
  readonly fartherTolerance: number;
  readonly sizeTolerance: number;
  /** Intents of orders to cancel although they may fit a quote. */
  readonly drop: readonly number[];
  readonly reason: Partial<Readonly<Record<Side, string>>>;
}

export const noTargets: Targets = {
  quotes: [],
  stops: [],
  tolerance: 0,
  fartherTolerance: 0,
  sizeTolerance: 0,
  drop: [],
  reason: {},
};

/** The quotes without those of `moved` whose new price is that of another one: such a level is dropped, so that none pile up. */
export function withoutPiles(
  quotes: readonly TargetQuote[],
  moved: ReadonlySet<TargetQuote>,
): readonly TargetQuote[] {
  if (moved.size === 0) return quotes;
  const taken = { BUY: new Set<number>(), SELL: new Set<number>() };
  for (const quote of quotes) {
    if (!moved.has(quote) && quote.order === undefined) taken[quote.side].add(quote.price);
  }
  return quotes.filter((quote) => {
    const { side, price } = quote;
    if (!moved.has(quote)) return true;
    if (taken[side].has(price)) return false;
    taken[side].add(price);
    return true;
  });
}

/** Most quotes on a side of a decision: far above any sane ladder, low enough to bound one step. */
const MAX_QUOTES_PER_SIDE = 500;
/** Most stop orders of a decision. */
const MAX_STOPS = 100;
/** Most orders that a decision drops. */
const MAX_DROPS = 5_000;
const MAX_NAME_LENGTH = 100;
const MAX_REASON_LENGTH = 500;

/**
 * A decision's targets at legal prices and exact sizes in whole lots, copied, so that nothing of the strategy's is read again. Throws
 * TypeError, with a sentence that names field and value, when something is not what the contract says.
 */
export function targetsOf(decision: SetDecision, rules: MarketRules): Targets {
  const { bids, asks, stops, drop } = decision;
  const quotes: TargetQuote[] = [];
  addQuotes(quotes, rules, "BUY", bids);
  addQuotes(quotes, rules, "SELL", asks);
  return {
    quotes,
    stops: targetStops(stops, rules),
    tolerance: toleranceOf(decision.tolerance, "tolerance"),
    fartherTolerance: toleranceOf(
      decision.fartherTolerance ?? decision.tolerance,
      "fartherTolerance",
    ),
    sizeTolerance: toleranceOf(decision.sizeTolerance, "sizeTolerance"),
    drop: dropsOf(drop),
    reason: reasonOf(decision),
  };
}

function toleranceOf(tolerance: unknown, what: string): number {
  if (typeof tolerance === "number" && tolerance >= 0) return tolerance;
  throw new TypeError(`${what} is ${shown(tolerance)}; it is a share of 0 or more`);
}

/** The length of a list that a strategy returned. */
export function lengthOf(list: unknown, what: string, most: number): number {
  if (!Array.isArray(list)) throw new TypeError(`${what} is ${shown(list)}, not a list`);
  const { length } = list;
  if (length > most) throw new TypeError(`${what} has ${length} entries, more than ${most}`);
  return length;
}

export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function dropsOf(drop: readonly number[]): readonly number[] {
  const count = lengthOf(drop, "drop", MAX_DROPS);
  if (count === 0) return noDrops;
  const copy: number[] = [];
  for (let at = 0; at < count; at += 1) copy.push(idOf(drop[at], `drop[${at}]`));
  return copy;
}

const noDrops: readonly number[] = [];

function idOf(id: unknown, what: string): number {
  if (typeof id === "number") return id;
  throw new TypeError(`${what} is ${shown(id)}, not the id of an order`);
}

/** Why sides have no quotes. */
function reasonOf({ reason }: Pick<SetDecision, "reason">): Targets["reason"] {
  const given: unknown = reason;
  if (given === undefined || given === null) return noReason;
  if (!isObject(given)) {
    throw new TypeError(`reason is ${shown(given)}; write reason: { BUY: "…", SELL: "…" }`);
  }
  const { BUY, SELL } = reason;
  if (BUY === undefined && SELL === undefined) return noReason;
  return {
    ...(BUY === undefined ? {} : { BUY: reasonText(BUY, "BUY") }),
    ...(SELL === undefined ? {} : { SELL: reasonText(SELL, "SELL") }),
  };
}

const noReason: Targets["reason"] = {};

function reasonText(text: unknown, side: Side): string {
  if (typeof text === "string") return shortened(text, MAX_REASON_LENGTH);
  throw new TypeError(`reason.${side} is ${shown(text)}, not text`);
}

function addQuotes(
  targets: TargetQuote[],
  rules: MarketRules,
  side: Side,
  quotes: readonly WantedQuote[],
): void {
  const list = side === "BUY" ? "bids" : "asks";
  const count = lengthOf(quotes, list, MAX_QUOTES_PER_SIDE);
  const levels: TargetQuote[] = [];
  let sized: WantedQuote["size"] | undefined;
  let size: Fixed | undefined;
  for (let at = 0; at < count; at += 1) {
    const quote = quotes[at];
    if (quote === undefined || !isObject(quote)) {
      throw new TypeError(`${list}[${at}] is ${shown(quote)}, not a quote`);
    }
    const { order, place = true, key } = quote;
    const wanted = readPrice(quote.price);
    if (wanted === undefined) throw badPrice(quote.price, `${list}[${at}].price`);
    // Most quotes of a side have one size.
    if (quote.size !== sized) size = targetSizeOf(rules, quote.size);
    sized = quote.size;
    if (size === undefined) throw badSize(quote.size, `${list}[${at}].size`);
    const tpsl =
      quote.tpsl === undefined ? undefined : tpslOf(rules, side, quote.tpsl, `${list}[${at}].tpsl`);
    if (order !== undefined) idOf(order, `${list}[${at}].order`);
    if (typeof place !== "boolean") {
      throw new TypeError(`${list}[${at}].place is ${shown(place)}, not true or false`);
    }
    if (key !== undefined) nameOf(key, `${list}[${at}].key`);
    const price = asQuote(rules, side, wanted);
    if (price === 0 || size === 0n) continue;
    const target = { side, price, size, tpsl, placed: !place, order, key, deniedBy: undefined };
    targets.push(target);
    if (order === undefined) levels.push(target);
  }
  addKeys(side, levels);
}

/** Numbers the levels of a side that have no key, the best first. */
function addKeys(side: Side, levels: TargetQuote[]): void {
  if (levels.every(({ key }) => key !== undefined)) return;
  const sign = side === "BUY" ? -1 : 1;
  sortFew(levels, (one, other) => sign * (one.price - other.price));
  levels.forEach((level, at) => {
    level.key ??= String(at + 1);
  });
}

/** The take profit and the stop loss that a strategy wants for a quote of this side, at legal prices. */
function tpslOf(rules: MarketRules, side: Side, tpsl: WantedTpsl, what: string): Tpsl {
  if (!isObject(tpsl)) {
    throw new TypeError(`${what} is ${shown(tpsl)}; write tpsl: { takeProfit, stopLoss }`);
  }
  const { stopLimit } = tpsl;
  const takeProfit = priceOf(tpsl.takeProfit, `${what}.takeProfit`);
  const stopLoss = priceOf(tpsl.stopLoss, `${what}.stopLoss`);
  const limit = stopLimit === undefined ? undefined : priceOf(stopLimit, `${what}.stopLimit`);
  return legalTpsl(rules, side, { tpLimit: takeProfit, slTrigger: stopLoss, slLimit: limit });
}

/**
 * Legal prices for the legs of a quote of this side. The take profit never gets worse than wanted. The trigger rounds so that it
 * fires sooner, the stop loss's limit so that it is more likely to fill.
 */
export function legalTpsl(
  rules: MarketRules,
  side: Side,
  { tpLimit, slTrigger, slLimit }: Tpsl,
): Tpsl {
  const exit = opposite(side);
  return {
    tpLimit: asQuote(rules, exit, tpLimit),
    slTrigger: asQuote(rules, exit, slTrigger),
    slLimit: slLimit === undefined ? undefined : asQuote(rules, side, slLimit),
  };
}

const noStops: readonly TargetStop[] = [];

function targetStops(stops: readonly WantedStop[], rules: MarketRules): readonly TargetStop[] {
  const count = lengthOf(stops, "stops", MAX_STOPS);
  if (count === 0) return noStops;
  const targets = new Map<string, TargetStop>();
  for (let at = 0; at < count; at += 1) {
    const stop = stops[at];
    if (stop === undefined || !isObject(stop)) {
      throw new TypeError(`stops[${at}] is ${shown(stop)}, not a stop order`);
    }
    const name = nameOf(stop.name, `stops[${at}].name`);
    if (targets.has(name)) throw new TypeError(`two stops are named "${name}"`);
    const target = targetStop(name, stop, rules);
    if (target.size > 0n) targets.set(name, target);
  }
  return [...targets.values()];
}

export function nameOf(name: unknown, what: string): string {
  if (typeof name === "string" && name !== "" && name.length <= MAX_NAME_LENGTH) return name;
  throw new TypeError(
    `${what} is ${shown(name)}; a name is text of 1 to ${MAX_NAME_LENGTH} characters`,
  );
}

function targetStop(name: string, stop: WantedStop, rules: MarketRules): TargetStop {
  const { kind = "stop-loss", side } = stop;
  const what = (field: string): string => `${field} of stop "${name}"`;
  checkOneOf(side, what("side"), "BUY", "SELL");
  checkOneOf(kind, what("kind"), "stop-loss", "take-profit");
  const stopPrice = priceOf(stop.stopPrice, what("stopPrice"));
  const size = targetSizeOf(rules, stop.size);
  if (size === undefined) throw badSize(stop.size, what("size"));
  // A stop loss rounds to fire sooner and to fill more likely; a take profit never gets worse than wanted.
  const limitSide = kind === "stop-loss" ? opposite(side) : side;
  const { price } = stop;
  const limit = price === undefined ? 0 : asQuote(rules, limitSide, priceOf(price, what("price")));
  if (price !== undefined && limit === 0) {
    // As 0 it would be sent as a market order.
    throw new TypeError(`${what("price")} is ${shown(price)}, below the market's lowest price`);
  }
  return { name, side, kind, size, stopPrice: asQuote(rules, side, stopPrice), price: limit };
}

export function checkOneOf(value: unknown, what: string, one: string, other: string): void {
  if (value === one || value === other) return;
  throw new TypeError(`${what} is ${shown(value)}; write "${one}" or "${other}"`);
}

/** A legal price that is never worse for us than wanted: bids round down, asks up. */
function asQuote(rules: MarketRules, side: Side, price: number): number {
  return side === "BUY" ? rules.roundDown(price) : rules.roundUp(price);
}

/** Throws TypeError when it is no price; `what` is in the message. */
export function priceOf(price: unknown, what: string): number {
  const read = readPrice(price);
  if (read === undefined) throw badPrice(price, what);
  return read;
}

/**
 * The size in whole lots; undefined when it is no size. One below a lot stays as it is, so that the risk gate denies it with a reason.
 */
export function targetSizeOf(rules: MarketRules, size: unknown): Fixed | undefined {
  const exact = readSize(size);
  if (exact === undefined) return undefined;
  const whole = rules.roundSize(exact);
  return whole === 0n ? exact : whole;
}
