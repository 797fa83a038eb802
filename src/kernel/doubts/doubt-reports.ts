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
import type { Fill, OrderEvent, OrderReport } from "../../domain/order.ts";
import { isTerminal, receivedToken } from "../../domain/order.ts";
import { missingOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { DoubtCode } from "./doubt-state.ts";
import { doubt, leaveMarket } from "./doubts.ts";
import { feeRateOf, receivedOf } from "../risk/fill-fee.ts";
import { FILLS_PER_ORDER_MAX, wantFills } from "../orders/list-span.ts";
import { awaitFills } from "./awaited-fills.ts";
import type { KernelState } from "../state.ts";

/** Statements about own orders are compared with what is possible, before anything else in the kernel reads them. */

/** Where a statement comes from: what events say is asked again, what REST repeats is taken as meant. */
type Source = "event" | "REST";

/** A fee beyond this share of what was received, and beyond ten times the market's rate, cannot be. */
const FEE_SHARE_MAX = 0.05;
/** Fees are rounded to the token's decimals. */
const FEE_ROUNDING_SHARE = 0.01;
const FEE_ROUNDING = 1e-6;
/** Most fills remembered as doubted. */
const SEEN_MAX = 1_000;

interface BelievedEvent {
  /** The event as far as it is believed; undefined when none of it is. */
  readonly event: OrderEvent | undefined;
  /** A list of fills that is requested from now on decides what its order has executed. */
  readonly awaitsFills: boolean;
}

export function believedEvent(state: KernelState, event: OrderEvent): BelievedEvent {
  const order = trackedOf(state, event.order);
  if (order === undefined) return { event, awaitsFills: false };
  const report = believedReport(state, event.order, "event");
  if (report === undefined) return { event: undefined, awaitsFills: false };
  const { fill } = event;
  const problem = fill === undefined ? undefined : problemOf(state, order, fill);
  const isNew =
    fill !== undefined && problem !== undefined && note(state, order, fill, problem, "event");
  const isBelieved = problem === undefined || problem.code === "FEE_BEYOND_RATE";
  // The list of fills has the venue's second statement.
  const isFillOpen = !isBelieved && problem.code !== "FILL_CHANGED";
  const isEndOpen = report !== event.order && order.phase !== "ended" && isTerminal(report.status);
  const awaitsFills =
    state.config.awaitsDoubtedFills === true &&
    ((isFillOpen && isNew) || (isEndOpen && report.status !== "FILLED"));
  if (awaitsFills) awaitFills(state, order);
  else if (isFillOpen) wantFills(state);
  const isSame = report === event.order && isBelieved;
  const believed = isBelieved ? fill : undefined;
  return { event: isSame ? event : { ...event, order: report, fill: believed }, awaitsFills };
}

/** A report with the executed quantity that is believed; undefined when it is not about our order as we signed it. */
export function believedReport(
  state: KernelState,
  report: OrderReport,
  source: Source,
): OrderReport | undefined {
  const order = trackedOf(state, report);
  if (order === undefined) return report;
  const { marketId } = order;
  if (report.side !== order.side || report.marketId !== marketId) {
    const text = `order ${report.orderId} is ${order.side} in ${marketId}, and the venue says ${report.side} in ${report.marketId}`;
    doubt(state, "ORDER_MISMATCH", marketId, text);
    if (source === "event") askAgain(state, report);
    else leaveMarket(state, marketId, text);
    return undefined;
  }
  const largest = largestOf(state, order);
  if (largest === undefined) return report;
  const isLeg = order.leg !== undefined;
  const reported = isLeg ? maxFixed(report.origQty, report.executedQty) : report.executedQty;
  if (reported <= largest) return report;
  const said = reported === report.executedQty ? "was executed" : "is its size";
  const text = `order ${report.orderId} is of ${isLeg ? "at most " : ""}${fixedText(largest)}, and the venue says that ${fixedText(reported)} ${said}`;
  doubt(state, "EXECUTED_TOO_LARGE", marketId, text);
  if (source === "event") askAgain(state, report);
  else leaveMarket(state, marketId, text);
  const isFilled = report.status === "FILLED";
  const origQty = isLeg ? order.quantity : report.origQty;
  return { ...report, origQty, executedQty: isFilled ? order.quantity : order.executed };
}

/** The most that the order can execute; undefined while only the venue knows it, as for a replacement before its report (D23). */
function largestOf({ config }: KernelState, order: TrackedOrder): Fixed | undefined {
  const { leg, replaced, bracket, quantity } = order;
  if (leg === undefined) return replaced === undefined ? quantity : undefined;
  // The venue makes a leg as large as what its quote brought (D25). After a restart its size is the last one that was known.
  return config.doubtsLegSizes === true ? (bracket?.working?.quantity ?? quantity) : undefined;
}

/** A list of fills over REST, which nothing corrects any more: an impossible fill is booked as far as it is possible. */
export function believedFills(state: KernelState, fills: readonly Fill[]): readonly Fill[] {
  if (state.doubts === undefined) return fills;
  return fills.flatMap((fill) => {
    const order = state.orders.byId(fill.orderId);
    if (order === undefined) return [fill];
    const problem = problemOf(state, order, fill);
    if (problem === undefined) return [fill];
    note(state, order, fill, problem, "REST");
    if (problem.code === "FEE_BEYOND_RATE") return [fill];
    // Nobody can tell which of the two was right; the first one stays booked.
    if (problem.code === "FILL_CHANGED") return [];
    // With nothing missing it is a known fill under another trade id.
    const isRepeat = problem.code === "FILL_TOO_LARGE" && missingOf(order) === ZERO;
    if (!isRepeat) leaveMarket(state, order.marketId, problem.text);
    return problem.code === "FILLS_TOO_MANY" ? [] : possibleFill(state, order, fill);
  });
}

interface Problem {
  readonly code: DoubtCode;
  readonly text: string;
}

function problemOf(state: KernelState, order: TrackedOrder, fill: Fill): Problem | undefined {
  const { orders, config } = state;
  if (orders.isBooked(fill)) {
    if (config.doubtsChangedFills !== true || !orders.isBookedOtherwise(fill)) return undefined;
    const text = `trade ${fill.tradeId} is booked, and the venue now says ${fixedText(fill.quantity)} at ${fixedText(fill.price)}`;
    return { code: "FILL_CHANGED", text };
  }
  if (orders.bookedTrades(fill.orderId) >= FILLS_PER_ORDER_MAX) {
    const text = `order ${fill.orderId} has ${FILLS_PER_ORDER_MAX} fills, and the venue says that trade ${fill.tradeId} is another one`;
    return { code: "FILLS_TOO_MANY", text };
  }
  if (fill.side !== order.side || fill.marketId !== order.marketId) {
    const text = `trade ${fill.tradeId} is ${fill.side} in ${fill.marketId}, its order ${order.side} in ${order.marketId}`;
    return { code: "ORDER_MISMATCH", text };
  }
  if (isBeyondLimit(order, fill)) {
    const text = `trade ${fill.tradeId} of ${order.side} order ${fill.orderId} has the price ${fixedText(fill.price)}, the order's limit is ${order.price}`;
    return { code: "FILL_BEYOND_LIMIT", text };
  }
  const largest = largestOf(state, order);
  if (largest !== undefined && addFixed(order.filled, fill.quantity) > largest) {
    const text = `trade ${fill.tradeId} of ${fixedText(fill.quantity)} is larger than what order ${fill.orderId} of ${fixedText(largest)} had left`;
    return { code: "FILL_TOO_LARGE", text };
  }
  return feeProblem(state, fill);
}

/** Price 0 is that of a market order, which has no limit. */
function isBeyondLimit({ side, price, replaced }: TrackedOrder, fill: Fill): boolean {
  if (price === 0 || replaced !== undefined) return false;
  const limit = fixedFromNumber(price);
  return side === "BUY" ? fill.price > limit : fill.price < limit;
}

function feeProblem(state: KernelState, fill: Fill): Problem | undefined {
  const market = state.markets.get(fill.marketId)?.market;
  if (market === undefined) return undefined;
  const received = receivedOf(market, fill);
  if (received === undefined) {
    if (fill.fee === ZERO || state.config.doubtsFeeTokens !== true) return undefined;
    const text = `trade ${fill.tradeId} has a fee of ${fixedText(fill.fee)} of token ${fill.feeToken}, which market ${fill.marketId} does not trade`;
    return { code: "FEE_TOKEN_MISMATCH", text };
  }
  const rate = fixedToNumber(feeRateOf(market, fill));
  const fee = fixedToNumber(fill.fee);
  const [amount, due] = [fixedToNumber(received), fixedToNumber(received) * rate];
  const text = `trade ${fill.tradeId} has a fee of ${fixedText(fill.fee)} on ${fixedText(received)} received, the market's rate makes ${due}`;
  const most = Math.max(FEE_SHARE_MAX, 10 * Math.abs(rate)) * amount + FEE_ROUNDING;
  if (Math.abs(fee) > most) return { code: "FEE_IMPOSSIBLE", text };
  if (fee <= due + Math.abs(due) * FEE_ROUNDING_SHARE + FEE_ROUNDING) return undefined;
  return { code: "FEE_BEYOND_RATE", text };
}

/** The fill at its order's limit, of what the order had left, with the market's fee; none when nothing was left. */
function possibleFill(state: KernelState, order: TrackedOrder, fill: Fill): readonly Fill[] {
  if (fill.side !== order.side || fill.marketId !== order.marketId) return [];
  const market = state.markets.get(fill.marketId)?.market;
  const quantity = minFixed(fill.quantity, missingOf(order));
  if (quantity === ZERO) return [];
  const price = isBeyondLimit(order, fill) ? fixedFromNumber(order.price) : fill.price;
  const possible = { ...fill, quantity, price };
  if (market === undefined) return [possible];
  const code = feeProblem(state, possible)?.code;
  const isOtherToken = code === "FEE_TOKEN_MISMATCH";
  if (code !== "FEE_IMPOSSIBLE" && !isOtherToken) return [possible];
  const feeToken = isOtherToken ? receivedToken(fill.marketId, fill.side) : fill.feeToken;
  const received = receivedOf(market, { ...possible, feeToken }) ?? ZERO;
  const fee = mulFixed(received, absFixed(feeRateOf(market, fill)));
  return [{ ...possible, fee, feeToken }];
}

/** Returns whether it is the first doubt of this fill from this source. */
function note(
  state: KernelState,
  order: TrackedOrder,
  fill: Fill,
  { code, text }: Problem,
  source: Source,
): boolean {
  const { doubts } = state;
  if (doubts === undefined) return false;
  const key = `${source} ${fill.orderId} ${fill.tradeId}`;
  if (doubts.seen.has(key)) return false;
  doubts.seen.add(key);
  if (doubts.seen.size > SEEN_MAX) {
    const oldest = doubts.oldestSeen.next();
    if (oldest !== undefined) doubts.seen.delete(oldest);
  }
  doubt(state, code, order.marketId, text);
  return true;
}

/** The order that a report is about; undefined for orders of others, and where nothing is doubted. */
function trackedOf(state: KernelState, { orderId }: OrderReport): TrackedOrder | undefined {
  return state.doubts === undefined ? undefined : state.orders.byId(orderId);
}

function askAgain(state: KernelState, { orderId, status }: OrderReport): void {
  state.reads.want({ type: "order", orderId }, state.nowMs, { again: true });
  if (isTerminal(status)) wantFills(state);
}
