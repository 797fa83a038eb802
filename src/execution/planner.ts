import { sortFew } from "../base/sort-few.ts";
import { type Fixed, subFixed, ZERO } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { isLeaving, remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";
import { assign } from "./assignment.ts";
import { begunCosts, costs, exactMatches, isBegun, legsFit, priceFits, sizeFits } from "./fit.ts";

/** A quote that should rest: a legal price and a positive size in base token. */
export interface PlannedQuote {
  readonly price: number;
  readonly size: Fixed;
  /** Take profit and stop loss at legal prices; a quote without them is served only by an order without them. */
  readonly tpsl?: Tpsl | undefined;
  /** Intent of the order that serves this quote whatever its price and size; when it is gone or leaving, nothing replaces it. */
  readonly order?: number | undefined;
  /** Nothing is to be placed for it, whatever the plan says: so no order waits for it or turns into it. */
  readonly placed?: boolean;
}

export interface PlanInput<Quote extends PlannedQuote = PlannedQuote> {
  readonly bids: readonly Quote[];
  readonly asks: readonly Quote[];
  /** How far an order's price may be off, as a share of the mid. */
  readonly tolerance: number;
  /** The same for an order that is farther from the market than its quote; default: `tolerance`. */
  readonly fartherTolerance?: number;
  /** How far an order's remaining size may be off, as a share of the wanted size. */
  readonly sizeTolerance: number;
  readonly mid: number;
  /** Intents of orders that may serve no quote; default none. */
  readonly drop?: readonly number[];
  /** The strategy's quotes in this market, without stop orders and legs; ended ones are skipped. */
  readonly orders: readonly TrackedOrder[];
  /** True when a modify may turn this order into another quote. Left out: never. */
  readonly mayModify?: ((order: TrackedOrder) => boolean) | undefined;
  /** Smallest order at a price: less is not placed beside a partly filled order. Left out: 0. */
  minSizeAt?(price: number): Fixed;
}

/**
 * Why an order is canceled. `withdrawn`: its side has no quotes. `price`: it is too far from every wanted price. `size`: only
 * its size is wrong. `legs`: only its take profit or stop loss is wrong. `surplus`: other orders serve the quotes that it fits.
 * `dropped`: the strategy named it in `drop`. `in doubt`: nobody knows whether the venue has it.
 */
export type CancelReason =
  | "withdrawn"
  | "price"
  | "size"
  | "legs"
  | "surplus"
  | "dropped"
  | "in doubt";

export interface Plan<Quote extends PlannedQuote = PlannedQuote> {
  /** A quote is in it twice when a second order fills up a partly filled one, and also in `place` when that one is still to be placed. */
  readonly keep: readonly { readonly order: TrackedOrder; readonly quote: Quote }[];
  /** Most dangerous first: the highest bids and the lowest asks. */
  readonly cancel: readonly PlannedCancel<Quote>[];
  /** Nearest the touch first, sides in turn. */
  readonly place: readonly Placement<Quote>[];
}

export interface PlannedCancel<Quote extends PlannedQuote = PlannedQuote> {
  readonly order: TrackedOrder;
  readonly reason: CancelReason;
  /** The order is no nearer to the mid than this quote and no larger, so it stays until this quote is sent. */
  readonly until?: Placement<Quote>;
}

export interface Placement<Quote extends PlannedQuote = PlannedQuote> {
  readonly side: Side;
  readonly price: number;
  readonly size: Fixed;
  /** Replaces an order that is being canceled, in this step or since an earlier one. */
  readonly replaces: boolean;
  /** Rank of the quote on its side; 0 is nearest the touch. */
  readonly rank: number;
  readonly quote: Quote;
  /** An order of ours that a modify turns into this quote, instead of a cancel and a placement. */
  readonly modifies?: PlannedModify;
}

export interface PlannedModify {
  readonly order: TrackedOrder;
  readonly reason: CancelReason;
  /** As for `PlannedCancel.until`: the order is no danger while the modify waits. */
  readonly mayWait: boolean;
}

/**
 * The least change from the live orders to the wanted quotes. The planner keeps as many orders as possible, each for one quote
 * that it fits, cancels the other orders and places the other quotes; where a modify can do both, it is one command. In order of
 * preference it keeps orders that surely exist, needs the fewest commands, and keeps exact orders, the nearest ones, and the
 * oldest, which stands first in the queue.
 *
 * A partly filled order whose price fits keeps its place in the queue although it has become too small: what is missing of its quote is
 * a quote of its own. So a quote has at most two orders.
 *
 * An order in flight that fits serves its quote. One in doubt (`unknown`) serves none and is canceled by its id. An order that is leaving
 * (`isLeaving`) serves nothing and is not canceled again.
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

interface MutablePlan<Quote extends PlannedQuote> {
  readonly keep: { readonly order: TrackedOrder; readonly quote: Quote }[];
  readonly cancel: PlannedCancel<Quote>[];
  readonly place: Placement<Quote>[];
}

function planSide<Quote extends PlannedQuote>(
  side: Side,
  wanted: readonly Quote[],
  input: PlanInput<Quote>,
  result: MutablePlan<Quote>,
): void {
  const orders: TrackedOrder[] = [];
  let leavingCount = 0;
  for (const order of input.orders) {
    if (order.side !== side || order.phase === "ended") continue;
    if (isLeaving(order)) leavingCount += 1;
    else if (order.phase === "unknown" && order.orderId !== undefined) {
      leavingCount += 1;
      result.cancel.push({ order, reason: "in doubt" });
    } else orders.push(order);
  }
  if (wanted.length === 0 && orders.length === 0) return;
  leavingCount += dropOrders(orders, input.drop ?? [], result);
  const sign = side === "BUY" ? -1 : 1;
  const whole = keepByName(wanted, orders, result);
  sortFew(whole, (left, right) => sign * (left.price - right.price));
  if (orders.length === 0) {
    placeAll(side, whole, leavingCount, result);
    return;
  }
  sortFew(orders, byCertaintyAndAge);

  const exact = exactMatches(whole, orders);
  const { quotes, wholes } =
    exact === undefined && orders.some(isBegun)
      ? keepBegun(whole, orders, input, result)
      : { quotes: whole, wholes: undefined };
  const serving = exact ?? (wholes && exactMatches(quotes, orders)) ?? serve(quotes, orders, input);
  if (orders.length === quotes.length && !serving.includes(-1)) {
    for (let rank = 0; rank < quotes.length; rank += 1) {
      const [part, order] = [quotes[rank], orders[serving[rank] ?? -1]];
      if (part === undefined || order === undefined) continue;
      result.keep.push({ order, quote: wholes?.get(part) ?? part });
    }
    return;
  }
  const leaving: TrackedOrder[] = [];
  orders.forEach((order, index) => {
    // In the step that made it the order has no id yet, so the next step cancels it.
    if (order.orderId !== undefined && !serving.includes(index)) leaving.push(order);
  });
  leaving.sort((left, right) => depthOf(left, input.mid) - depthOf(right, input.mid));
  const offered = wholes === undefined ? whole : [...whole, ...wholes.keys()];
  const successors =
    leaving.length === 0
      ? none
      : pairUp(
          quotes.filter((quote, rank) => serving[rank] === -1 && quote.placed !== true),
          leaving,
          input,
        );
  leavingCount += leaving.length;
  let until: Map<TrackedOrder, Placement<Quote>> | undefined;
  for (const [rank, part] of quotes.entries()) {
    const order = orders[serving[rank] ?? -1];
    const quote = wholes?.get(part) ?? part;
    if (order !== undefined) {
      result.keep.push({ order, quote });
      continue;
    }
    const { price, size } = part;
    const placement = { side, price, size, replaces: leavingCount > 0, rank, quote };
    leavingCount -= 1;
    const predecessor = successors.get(part);
    const mayWait = predecessor !== undefined && isBehind(predecessor, part);
    // A modify changes price and size, never the legs.
    const isPlain = quote.tpsl === undefined;
    if (predecessor !== undefined && isPlain && input.mayModify?.(predecessor) === true) {
      const reason = reasonOf(predecessor, offered, input);
      leaving.splice(leaving.indexOf(predecessor), 1);
      result.place.push({ ...placement, modifies: { order: predecessor, reason, mayWait } });
      continue;
    }
    result.place.push(placement);
    if (mayWait) (until ??= new Map()).set(predecessor, placement);
  }
  for (const order of leaving) {
    const placement = until?.get(order);
    const canceled = { order, reason: reasonOf(order, offered, input) };
    result.cancel.push(placement === undefined ? canceled : { ...canceled, until: placement });
  }
}

/** Places every quote: there is no order that could serve one. */
function placeAll<Quote extends PlannedQuote>(
  side: Side,
  quotes: readonly Quote[],
  leavingCount: number,
  { place }: MutablePlan<Quote>,
): void {
  for (let rank = 0; rank < quotes.length; rank += 1) {
    const quote = quotes[rank];
    if (quote === undefined) continue;
    const { price, size } = quote;
    place.push({ side, price, size, replaces: rank < leavingCount, rank, quote });
  }
}

const none: ReadonlyMap<PlannedQuote, TrackedOrder> = new Map();

/**
 * Keeps and removes the partly filled orders that are too small for quotes whose price they fit, as few as there are quotes. Gives the
 * quotes that have no order yet: `wholes` has the quote of each that is only what such an order leaves missing.
 */
function keepBegun<Quote extends PlannedQuote>(
  whole: readonly Quote[],
  orders: TrackedOrder[],
  input: PlanInput<Quote>,
  result: MutablePlan<Quote>,
): { readonly quotes: readonly Quote[]; readonly wholes: ReadonlyMap<Quote, Quote> } {
  const serving = assign(whole.length, orders.length, begunCosts(whole, orders, input));
  const kept = new Set<TrackedOrder>();
  const wholes = new Map<Quote, Quote>();
  const quotes = whole.flatMap((quote, rank) => {
    const order = orders[serving[rank] ?? -1];
    if (order === undefined || sizeFits(order, quote, input.sizeTolerance)) return [quote];
    kept.add(order);
    result.keep.push({ order, quote });
    const size = subFixed(quote.size, remainingOf(order));
    if (size < (input.minSizeAt?.(quote.price) ?? ZERO)) return [];
    const part = { ...quote, size };
    wholes.set(part, quote);
    return [part];
  });
  for (const order of kept) orders.splice(orders.indexOf(order), 1);
  return { quotes, wholes };
}

/**
 * The order of each quote, -1 for none. When a quote remains that a modify could serve, but all orders that may be modified
 * are kept while another order goes, the two are swapped: that saves a command.
 */
function serve<Quote extends PlannedQuote>(
  quotes: readonly Quote[],
  orders: readonly TrackedOrder[],
  input: PlanInput<Quote>,
): readonly number[] {
  const serving = assign(quotes.length, orders.length, costs(quotes, orders, input, false));
  if (input.mayModify === undefined) return serving;
  const kept = new Set(serving);
  let left = 0;
  let isOtherLeft = false;
  for (const [index, order] of orders.entries()) {
    if (kept.has(index)) continue;
    if (input.mayModify(order)) left += 1;
    else isOtherLeft = true;
  }
  const missing = quotes.filter(({ placed }, rank) => serving[rank] === -1 && placed !== true);
  if (!isOtherLeft || left >= missing.length) return serving;
  return assign(quotes.length, orders.length, costs(quotes, orders, input, true));
}

/** Which leaving order is replaced by which quote: orders that may be modified first, and the nearest to the mid for the nearest quote. */
function pairUp<Quote extends PlannedQuote>(
  missing: readonly Quote[],
  leaving: readonly TrackedOrder[],
  input: PlanInput<Quote>,
): ReadonlyMap<Quote, TrackedOrder> {
  const may = leaving.filter((order) => input.mayModify?.(order) === true);
  const others = leaving.filter((order) => !may.includes(order));
  const chosen = [...may, ...others]
    .slice(0, missing.length)
    .sort((left, right) => depthOf(left, input.mid) - depthOf(right, input.mid));
  const pairs = new Map<Quote, TrackedOrder>();
  for (const [at, quote] of missing.entries()) {
    const order = chosen[at];
    if (order !== undefined) pairs.set(quote, order);
  }
  return pairs;
}

/** Less exposed than the quote: no nearer to the mid, and no larger. */
function isBehind(order: TrackedOrder, quote: PlannedQuote): boolean {
  const isDeeper = order.side === "BUY" ? order.price <= quote.price : order.price >= quote.price;
  return isDeeper && remainingOf(order) <= quote.size;
}

/** Removes the orders that the strategy dropped; gives their number. */
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
    result.cancel.push({ order, reason: "dropped" });
    count += 1;
  }
  return count;
}

/** Keeps and removes the orders that quotes name; gives the quotes that name none, as a new list. */
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

function reasonOf<Quote extends PlannedQuote>(
  order: TrackedOrder,
  quotes: readonly Quote[],
  input: PlanInput<Quote>,
): CancelReason {
  if (quotes.length === 0) return "withdrawn";
  const near = quotes.filter((quote) => priceFits(order, quote, input));
  if (near.length === 0) return "price";
  const sized = near.filter((quote) => sizeFits(order, quote, input.sizeTolerance));
  if (sized.length === 0) return "size";
  return sized.some((quote) => legsFit(order, quote, input)) ? "surplus" : "legs";
}

/** Distance of an order from the mid into its side of the book, in quote token: the smaller, the sooner it trades. */
function depthOf(order: TrackedOrder, mid: number): number {
  return order.side === "BUY" ? mid - order.price : order.price - mid;
}

const certainty = { working: 0, "in-flight": 1, unknown: 2, pending: 3, ended: 4 } as const;

function byCertaintyAndAge(left: TrackedOrder, right: TrackedOrder): number {
  return (
    certainty[left.phase] - certainty[right.phase] ||
    left.madeAtMs - right.madeAtMs ||
    left.intent - right.intent
  );
}
