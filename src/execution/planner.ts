import type { Fixed } from "../domain/fixed.ts";
import { absFixed, subFixed } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import { remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";
import { assign } from "./assignment.ts";

/** A quote that should rest: a legal price (§4.5) and a positive size in base token. */
export interface PlannedQuote {
  readonly price: number;
  readonly size: Fixed;
  /** Intent of the order that is this quote, whatever it fits; when it is gone or leaving, nothing is placed instead. */
  readonly order?: number | undefined;
}

export interface PlanInput<Quote extends PlannedQuote = PlannedQuote> {
  readonly bids: readonly Quote[];
  readonly asks: readonly Quote[];
  /** How far an order's price may be off, as a share of the mid. */
  readonly tolerance: number;
  /** How far an order's remaining size may be off, as a share of the wanted size. */
  readonly sizeTolerance: number;
  readonly mid: number;
  /** Intents of orders that serve no quote; default none. */
  readonly drop?: readonly number[];
  /** The strategy's orders in this market; ended ones are passed over. */
  readonly orders: readonly TrackedOrder[];
}

/**
 * Why an order goes: `withdrawn` its side wants no quotes; `price` it is too far off every wanted price; `size` only its
 * size is wrong; `surplus` the quotes it fits are served by other orders; `dropped` the strategy said so.
 */
export type CancelWhy = "withdrawn" | "price" | "size" | "surplus" | "dropped";

export interface Plan<Quote extends PlannedQuote = PlannedQuote> {
  readonly keep: readonly { readonly order: TrackedOrder; readonly quote: Quote }[];
  /** Most dangerous first: the highest bids and the lowest asks. */
  readonly cancel: readonly { readonly order: TrackedOrder; readonly why: CancelWhy }[];
  /** Nearest the touch first, sides in turn. */
  readonly place: readonly Placement<Quote>[];
}

export interface Placement<Quote extends PlannedQuote = PlannedQuote> {
  readonly side: Side;
  readonly price: number;
  readonly size: Fixed;
  /** It takes the place of an order that is being canceled, now or since an earlier step. */
  readonly replaces: boolean;
  /** Place of the quote among those wanted on its side; 0 is nearest the touch. */
  readonly rank: number;
  readonly quote: Quote;
}

/**
 * The least change from the orders that live to the quotes that are wanted: as many orders as possible are kept, each for
 * one quote that it fits; the rest is canceled, the quotes that are left are placed. Among equally small changes it keeps
 * orders that surely exist before those of unknown outcome, exact ones before near ones, the nearest, and the oldest (it
 * stands first in the queue).
 *
 * An order in flight or of unknown outcome may live, so one that fits serves its quote (a second one would double it), and
 * one that does not is canceled by its id. An order on its way out (`isLeaving`) serves nothing and is not canceled again.
 */
export function plan<Quote extends PlannedQuote>(input: PlanInput<Quote>): Plan<Quote> {
  const result: MutablePlan<Quote> = { keep: [], cancel: [], place: [] };
  planSide("BUY", input.bids, input, result);
  planSide("SELL", input.asks, input, result);
  if (result.cancel.length > 1) {
    result.cancel.sort(
      (left, right) =>
        depthOf(left.order, input.mid) - depthOf(right.order, input.mid) ||
        byCertaintyAndAge(left.order, right.order),
    );
  }
  if (result.place.length > 1) result.place.sort((left, right) => left.rank - right.rank);
  return result;
}

/** Would this order do for this quote? */
export function fits(
  order: TrackedOrder,
  quote: PlannedQuote,
  limits: Pick<PlanInput, "tolerance" | "sizeTolerance" | "mid">,
): boolean {
  return priceFits(order, quote, limits) && sizeFits(order, quote, limits.sizeTolerance);
}

/**
 * A cancel of it was made and the tracker has not taken that back: under way, accepted, or its outcome still in question.
 * The tracker says `none` again once the order proved open after all; only then is it canceled anew.
 */
export function isLeaving(order: TrackedOrder): boolean {
  return order.cancel !== "none";
}

interface MutablePlan<Quote extends PlannedQuote> {
  readonly keep: { readonly order: TrackedOrder; readonly quote: Quote }[];
  readonly cancel: { readonly order: TrackedOrder; readonly why: CancelWhy }[];
  readonly place: Placement<Quote>[];
}

function planSide<Quote extends PlannedQuote>(
  side: Side,
  wanted: readonly Quote[],
  input: PlanInput<Quote>,
  result: MutablePlan<Quote>,
): void {
  const orders: TrackedOrder[] = [];
  let goingCount = 0;
  for (const order of input.orders) {
    if (order.side !== side || order.phase === "ended") continue;
    if (isLeaving(order)) goingCount += 1;
    else orders.push(order);
  }
  if (wanted.length === 0 && orders.length === 0) return;
  goingCount += dropOrders(orders, input.drop ?? [], result);
  const sign = side === "BUY" ? -1 : 1;
  const quotes = keepByName(wanted, orders, result).sort(
    (left, right) => sign * (left.price - right.price),
  );
  orders.sort(byCertaintyAndAge);

  const serving = assign(quotes.length, orders.length, costs(quotes, orders, input));
  const kept = new Set(serving);
  for (const [index, order] of orders.entries()) {
    // Without an id, in the very step that made it, it cannot be canceled yet: the next step will.
    if (kept.has(index) || order.orderId === undefined) continue;
    result.cancel.push({ order, why: whyOf(order, quotes, input) });
    goingCount += 1;
  }
  for (const [rank, quote] of quotes.entries()) {
    const order = orders[serving[rank] ?? -1];
    if (order !== undefined) {
      result.keep.push({ order, quote });
      continue;
    }
    const { price, size } = quote;
    result.place.push({ side, price, size, replaces: goingCount > 0, rank, quote });
    goingCount -= 1;
  }
}

/** Takes the orders out that are to serve no quote; gives how many. */
function dropOrders<Quote extends PlannedQuote>(
  orders: TrackedOrder[],
  drop: readonly number[],
  result: MutablePlan<Quote>,
): number {
  let count = 0;
  for (const intent of drop) {
    const at = orders.findIndex((order) => order.intent === intent);
    const order = orders[at];
    if (order?.orderId === undefined) continue;
    orders.splice(at, 1);
    result.cancel.push({ order, why: "dropped" });
    count += 1;
  }
  return count;
}

/** Keeps the orders that quotes name, and takes them out; gives the quotes that any order may serve, as a new list. */
function keepByName<Quote extends PlannedQuote>(
  wanted: readonly Quote[],
  orders: TrackedOrder[],
  result: MutablePlan<Quote>,
): Quote[] {
  return wanted.filter((quote) => {
    if (quote.order === undefined) return true;
    const at = orders.findIndex((order) => order.intent === quote.order);
    const order = orders[at];
    if (order !== undefined) {
      orders.splice(at, 1);
      result.keep.push({ order, quote });
    }
    return false;
  });
}

/** Far above any sane tolerance; keeps the sums below finite. */
const MAX_SHARE = 1_000;

/** Cost of serving a quote with an order: unknown outcome, then inexact, then how far off. Age needs none: `assign` takes the first of equals. */
function costs(
  quotes: readonly PlannedQuote[],
  orders: readonly TrackedOrder[],
  input: PlanInput,
): (row: number, column: number) => number | undefined {
  const farthest =
    Math.min(input.tolerance, MAX_SHARE) + Math.min(input.sizeTolerance, MAX_SHARE) + 0.001;
  const inexact = farthest * quotes.length + 1;
  const unknown = (inexact + farthest) * quotes.length + 1;
  return (row, column) => {
    const quote = quotes[row];
    const order = orders[column];
    if (quote === undefined || order === undefined || !fits(order, quote, input)) return undefined;
    const priceOff = Math.abs(order.price - quote.price) / input.mid;
    const sizeOff = sizeOffOf(order, quote);
    const off = (priceOff > 0 ? Math.min(priceOff, MAX_SHARE) : 0) + Math.min(sizeOff, MAX_SHARE);
    return (order.phase === "unknown" ? unknown : 0) + (off > 0 ? inexact + off : 0);
  };
}

/** A product of doubles may be a few ulps off what the settings' decimals mean; no tick is that small a share. */
const NOISE = 1e-12;

function priceFits(
  order: TrackedOrder,
  quote: PlannedQuote,
  limits: Pick<PlanInput, "tolerance" | "mid">,
): boolean {
  if (order.price === quote.price) return true;
  return Math.abs(order.price - quote.price) <= (limits.tolerance + NOISE) * limits.mid;
}

function sizeFits(order: TrackedOrder, quote: PlannedQuote, sizeTolerance: number): boolean {
  const remaining = remainingOf(order);
  return (
    remaining === quote.size ||
    (sizeTolerance > 0 && sizeOffOf(order, quote) <= sizeTolerance + NOISE)
  );
}

function sizeOffOf(order: TrackedOrder, quote: PlannedQuote): number {
  const difference = absFixed(subFixed(remainingOf(order), quote.size));
  return difference === 0n ? 0 : Number(difference) / Number(quote.size);
}

function whyOf(order: TrackedOrder, quotes: readonly PlannedQuote[], input: PlanInput): CancelWhy {
  if (quotes.length === 0) return "withdrawn";
  const near = quotes.filter((quote) => priceFits(order, quote, input));
  if (near.length === 0) return "price";
  return near.some((quote) => sizeFits(order, quote, input.sizeTolerance)) ? "surplus" : "size";
}

/** How deep in its side of the book an order lies, in quote token: the less, the sooner it trades. */
function depthOf(order: TrackedOrder, mid: number): number {
  return order.side === "BUY" ? mid - order.price : order.price - mid;
}

const certainty = { working: 0, "in-flight": 1, unknown: 2, ended: 3 } as const;

function byCertaintyAndAge(left: TrackedOrder, right: TrackedOrder): number {
  return (
    certainty[left.phase] - certainty[right.phase] ||
    left.madeAtMs - right.madeAtMs ||
    left.intent - right.intent
  );
}
