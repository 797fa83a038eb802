import {
  absFixed,
  addFixed,
  type Fixed,
  fixedFromNumber,
  fixedText,
  fixedToNumber,
  maxFixed,
  minFixed,
  mulFixed,
  ZERO,
} from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { type Fill, type OrderEvent, type OrderReport, receivedToken } from "../../domain/order.ts";
import { missingOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import { FILLS_PER_ORDER_MAX, wantFills } from "../list-span.ts";
import { feeRateOf, receivedOf } from "../fill-fee.ts";
import type { KernelState } from "../state.ts";
import type { DoubtCode } from "./doubt-state.ts";
import { farFrom, midOf } from "./impossible-book.ts";
import { doubt, leaveMarket } from "./left-markets.ts";

/*
 * Statements about own orders are compared with what is possible, before anything else in the kernel reads them. An impossible event is
 * dropped, and the order and its fills are read over REST. What REST repeats leaves the market, and is taken as far as it is possible, so
 * that an order can end and a position is no further off than one order.
 */

/** A fee beyond this share of what was received, and beyond ten times the market's rate, cannot be. */
const FEE_SHARE_MAX = 0.05;
/** Fees are rounded to the token's decimals. */
const FEE_ROUNDING = 1e-6;
/** Most statements that are remembered. */
const SAID_MAX = 1_000;
/** A market is left when this many of its orders came back after their end. */
const RETURNED_MAX = 3;

interface Problem {
  readonly code: DoubtCode;
  readonly text: string;
}

/** The event; undefined when it is impossible, which has REST read. */
export function believedEvent(state: KernelState, event: OrderEvent): OrderEvent | undefined {
  const { orderId } = event.order;
  const order = ownOrder(state, orderId);
  if (order === undefined) return event;
  const problem =
    reportProblem(order, event.order) ??
    (event.fill === undefined ? undefined : fillProblem(state, order, event.fill));
  if (problem === undefined) return event;
  doubtStatement(state, order, problem);
  return undefined;
}

/** Notes an impossible statement about an order, and reads the order again. Returns whether the venue repeats it over REST, which leaves the market. */
function doubtStatement(
  state: KernelState,
  { marketId, orderId }: TrackedOrder,
  { code, text }: Problem,
  isFromRest = false,
): boolean {
  const { doubts, facts, nowMs, reads } = state;
  doubt(state, code, marketId, text);
  const statement = `${orderId} ${code}`;
  const isAgain = isFromRest && doubts.said.has(statement);
  if (isAgain) {
    leaveMarket(state, marketId, text);
    return true;
  }
  if (doubts.said.size >= SAID_MAX) doubts.said.clear();
  doubts.said.add(statement);
  facts?.account.fresh.suspect(nowMs, "a statement about an order is impossible");
  if (orderId !== undefined) reads.want({ type: "order", orderId }, nowMs, { again: true });
  wantFills(state);
  return false;
}

/** A report over REST as far as it is possible; undefined when it names another side or market than our order has. */
export function believedReport(state: KernelState, report: OrderReport): OrderReport | undefined {
  const order = ownOrder(state, report.orderId);
  const problem = order === undefined ? undefined : reportProblem(order, report);
  if (order === undefined || problem === undefined) return report;
  const { marketId, side, quantity, executed, leg } = order;
  doubtStatement(state, order, problem, true);
  if (report.side !== side || report.marketId !== marketId) return undefined;
  const origQty = leg === undefined ? report.origQty : quantity;
  return { ...report, origQty, executedQty: report.status === "FILLED" ? quantity : executed };
}

/** A list of fills over REST, in which an impossible fill is booked as far as it is possible. */
export function believedFills(state: KernelState, fills: readonly Fill[]): readonly Fill[] {
  return fills.flatMap((fill) => {
    const order = ownOrder(state, fill.orderId);
    const problem = order && fillProblem(state, order, fill);
    if (order === undefined || problem === undefined) return fill;
    return doubtStatement(state, order, problem, true)
      ? (possibleFill(state, order, fill) ?? [])
      : [];
  });
}

/** The venue shows an order open that it had ended, later than its reports may lag. */
export function orderReturned(
  state: KernelState,
  { marketId }: TrackedOrder,
  message: string,
): void {
  const { returned } = state.doubts;
  doubt(state, "ORDER_IMPOSSIBLE", marketId, message);
  const count = (returned.get(marketId) ?? 0) + 1;
  returned.set(marketId, count);
  if (count < RETURNED_MAX) return;
  leaveMarket(state, marketId, `${count} orders that it had ended were open`);
}

/** The order that a statement is about; undefined for orders of others, and at a simulated venue. */
function ownOrder({ facts, orders }: KernelState, orderId: OrderId): TrackedOrder | undefined {
  return facts === undefined ? undefined : orders.byId(orderId);
}

function reportProblem(order: TrackedOrder, report: OrderReport): Problem | undefined {
  const { marketId, side, leg } = order;
  const { orderId, executedQty } = report;
  if (report.side !== side || report.marketId !== marketId) {
    const text = `order ${orderId} is ${side} in ${marketId}, and the venue says ${report.side} in ${report.marketId}`;
    return { code: "ORDER_IMPOSSIBLE", text };
  }
  const largest = largestOf(order);
  const said = leg === undefined ? executedQty : maxFixed(report.origQty, executedQty);
  if (largest === undefined || said <= largest) return undefined;
  const text = `order ${orderId} is of ${fixedText(largest)}, and the venue says ${fixedText(said)}`;
  return { code: "ORDER_IMPOSSIBLE", text };
}

/** The most that the order can execute; undefined while only the venue knows it, as for a replacement before its report (D23). */
function largestOf({ leg, replaced, bracket, quantity }: TrackedOrder): Fixed | undefined {
  if (leg === undefined) return replaced === undefined ? quantity : undefined;
  // The venue makes a leg as large as what its quote brought (D25). After a restart its size is the last one that was known.
  return bracket?.working?.quantity ?? quantity;
}

function fillProblem(state: KernelState, order: TrackedOrder, fill: Fill): Problem | undefined {
  const { orders } = state;
  const { tradeId, orderId, side, marketId, price, quantity } = fill;
  const impossible = (text: string): Problem => ({
    code: "FILL_IMPOSSIBLE",
    text: `trade ${tradeId} of order ${orderId} ${text}`,
  });
  if (orders.isBooked(fill)) {
    return orders.isBookedOtherwise(fill)
      ? impossible(
          `is booked, and the venue now says ${fixedText(quantity)} at ${fixedText(price)}`,
        )
      : undefined;
  }
  if (orders.bookedTrades(orderId) >= FILLS_PER_ORDER_MAX) {
    return impossible(`is one more than ${FILLS_PER_ORDER_MAX}`);
  }
  if (side !== order.side || marketId !== order.marketId) {
    return impossible(`is ${side} in ${marketId}, the order ${order.side} in ${order.marketId}`);
  }
  if (isOffLimit(order, fill)) {
    return impossible(`has the price ${fixedText(price)}, the limit is ${order.price}`);
  }
  const largest = largestOf(order);
  if (largest !== undefined && addFixed(order.filled, quantity) > largest) {
    return impossible(
      `is of ${fixedText(quantity)}, more than what ${fixedText(largest)} had left`,
    );
  }
  return feeProblem(state, fill);
}

/** A trade has the maker's price (D17), and is never worse than a taker's limit. Price 0 is that of a market order, which has none. */
function isOffLimit({ side, price, replaced }: TrackedOrder, fill: Fill): boolean {
  if (price === 0 || replaced !== undefined) return false;
  const limit = fixedFromNumber(price);
  if (fill.isMaker) return fill.price !== limit;
  return side === "BUY" ? fill.price > limit : fill.price < limit;
}

/** Notes a fill far from both its order's limit and the book. A better price is possible, so the fill is booked as the venue says. */
export function noteFarFill(state: KernelState, order: TrackedOrder, fill: Fill): void {
  const market = state.facts === undefined ? undefined : state.markets.get(fill.marketId);
  if (market === undefined) return;
  const mid = midOf(market);
  const price = fixedToNumber(fill.price);
  const references = [order.price, mid].filter((reference) => reference > 0);
  if (references.length === 0) return;
  if (references.some((reference) => !farFrom(market.touch, price, reference))) return;
  const text = `trade ${fill.tradeId} of order ${fill.orderId} has the price ${price}; the limit is ${order.price === 0 ? "none" : order.price}, the mid ${mid === 0 ? "not known" : mid}. It is booked as the venue says, and PnL counts it: compare it with the balances`;
  doubt(state, "FILL_FAR_FROM_BOOK", fill.marketId, text);
}

function feeProblem(state: KernelState, fill: Fill): Problem | undefined {
  const market = state.markets.get(fill.marketId)?.market;
  if (market === undefined || fill.fee === ZERO) return undefined;
  const received = receivedOf(market, fill);
  const most =
    received === undefined
      ? 0
      : Math.max(FEE_SHARE_MAX, 10 * Math.abs(fixedToNumber(feeRateOf(market, fill)))) *
          fixedToNumber(received) +
        FEE_ROUNDING;
  if (Math.abs(fixedToNumber(fill.fee)) <= most) return undefined;
  const text = `trade ${fill.tradeId} of order ${fill.orderId} has a fee of ${fixedText(fill.fee)} of token ${fill.feeToken}, at most ${most} are possible`;
  return { code: "FEE_IMPOSSIBLE", text };
}

/** The fill at its order's limit, of what the order had left, with the market's fee; undefined when nothing of it is possible. */
function possibleFill(state: KernelState, order: TrackedOrder, fill: Fill): Fill | undefined {
  const { side, marketId } = order;
  const quantity = minFixed(fill.quantity, missingOf(order));
  const isOther = fill.side !== side || fill.marketId !== marketId || state.orders.isBooked(fill);
  const isFull = state.orders.bookedTrades(fill.orderId) >= FILLS_PER_ORDER_MAX;
  if (isOther || isFull || quantity === ZERO) return undefined;
  const price = isOffLimit(order, fill) ? fixedFromNumber(order.price) : fill.price;
  const possible = { ...fill, quantity, price };
  const market = state.markets.get(marketId)?.market;
  if (market === undefined || feeProblem(state, possible) === undefined) return possible;
  const feeToken = receivedToken(marketId, side);
  const received = receivedOf(market, { ...possible, feeToken }) ?? ZERO;
  return { ...possible, fee: mulFixed(received, absFixed(feeRateOf(market, fill))), feeToken };
}
