import { absFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { liveLegs } from "../orders/bracket.ts";
import { remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";

/** The quote that an order is compared with. */
export interface FittedQuote {
  readonly price: number;
  readonly size: Fixed;
  readonly tpsl?: Tpsl | undefined;
}

/** How far an order may be off its quote; see `PlanInput`. */
export interface FitLimits {
  readonly tolerance: number;
  readonly fartherTolerance?: number;
  readonly sizeTolerance: number;
  readonly mid: number;
  readonly mayModify?: ((order: TrackedOrder) => boolean) | undefined;
}

/** True when this order can serve this quote. */
export function fits(order: TrackedOrder, quote: FittedQuote, limits: FitLimits): boolean {
  return (
    priceFits(order, quote, limits) &&
    sizeFits(order, quote, limits.sizeTolerance) &&
    legsFit(order, quote, limits)
  );
}

/**
 * The order of each quote when every quote has one at exactly its price and size, the first of several; undefined otherwise. No
 * assignment is better: each pair costs nothing.
 */
export function exactMatches(
  quotes: readonly FittedQuote[],
  orders: readonly TrackedOrder[],
): number[] | undefined {
  if (quotes.length > orders.length) return undefined;
  const serving: number[] = [];
  for (const quote of quotes) {
    let at = 0;
    while (at < orders.length && (!isExact(orders[at], quote) || serving.includes(at))) at += 1;
    if (at === orders.length) return undefined;
    serving.push(at);
  }
  return serving;
}

function isExact(order: TrackedOrder | undefined, { price, size, tpsl }: FittedQuote): boolean {
  return (
    order !== undefined &&
    order.price === price &&
    order.phase !== "unknown" &&
    order.tpsl === undefined &&
    tpsl === undefined &&
    remainingOf(order) === size
  );
}

/** True when each leg of the order is within the wider tolerance of the quote's take profit and stop loss: legs move with their quote. */
export function legsFit(
  { tpsl, bracket }: TrackedOrder,
  quote: FittedQuote,
  {
    tolerance,
    fartherTolerance = 0,
    mid,
  }: Pick<FitLimits, "tolerance" | "fartherTolerance" | "mid">,
): boolean {
  if (tpsl === undefined || quote.tpsl === undefined) return tpsl === quote.tpsl;
  // The owner has canceled a leg.
  if (bracket !== undefined && liveLegs(bracket).length < 2) return false;
  const { tpLimit, slTrigger, slLimit } = quote.tpsl;
  const limits = { tolerance: Math.max(tolerance, fartherTolerance), mid };
  return (
    isNear(tpsl.tpLimit, tpLimit, limits) &&
    isNear(tpsl.slTrigger, slTrigger, limits) &&
    (tpsl.slLimit === undefined || slLimit === undefined
      ? tpsl.slLimit === slLimit
      : isNear(tpsl.slLimit, slLimit, limits))
  );
}

/** Far above any sane tolerance; keeps the sums below finite. */
const MAX_SHARE = 1_000;

/**
 * Cost of serving a quote with an order, by rank of importance: an order of unknown outcome, then (`sparesModify`) an order
 * that a modify could use elsewhere, then an inexact one, then the distance. Age costs nothing: `assign` takes the first of equals.
 */
export function costs(
  quotes: readonly FittedQuote[],
  orders: readonly TrackedOrder[],
  input: FitLimits,
  sparesModify: boolean,
): (row: number, column: number) => number | undefined {
  const farthest =
    Math.min(Math.max(input.tolerance, input.fartherTolerance ?? 0), MAX_SHARE) +
    Math.min(input.sizeTolerance, MAX_SHARE) +
    0.001;
  const inexact = farthest * quotes.length + 1;
  const spared = sparesModify ? (inexact + farthest) * quotes.length + 1 : 0;
  const unknown = (spared + inexact + farthest) * quotes.length + 1;
  return (row, column) => {
    const quote = quotes[row];
    const order = orders[column];
    if (quote === undefined || order === undefined || !fits(order, quote, input)) return undefined;
    const off = offOf(order, quote, input.mid);
    const isSpared = sparesModify && input.mayModify?.(order) === true;
    return (
      (order.phase === "unknown" ? unknown : 0) +
      (isSpared ? spared : 0) +
      (off > 0 ? inexact + off : 0)
    );
  };
}

/** True for an order that was filled in part. One with legs is compared by its whole size, so it is none. */
export function isBegun({ executed, tpsl, phase }: TrackedOrder): boolean {
  return executed > ZERO && tpsl === undefined && phase !== "unknown";
}

/**
 * As `costs`, where a partly filled order also fits a quote that it has become too small for. Such orders come first: of the others each
 * costs more than all distances together.
 */
export function begunCosts(
  quotes: readonly FittedQuote[],
  orders: readonly TrackedOrder[],
  input: FitLimits,
): (row: number, column: number) => number | undefined {
  const other = 2 * (MAX_SHARE + 1) * quotes.length + 1;
  return (row, column) => {
    const quote = quotes[row];
    const order = orders[column];
    if (quote === undefined || order === undefined) return undefined;
    const isShort = isBegun(order) && remainingOf(order) < quote.size;
    if (
      isShort
        ? !priceFits(order, quote, input) || quote.tpsl !== undefined
        : !fits(order, quote, input)
    )
      return undefined;
    return (isBegun(order) ? 0 : other) + offOf(order, quote, input.mid);
  };
}

/** A product of doubles may be a few ulps off the decimals of the settings; no tick is that small a share of a price. */
const NOISE = 1e-12;

export function priceFits(
  order: TrackedOrder,
  quote: FittedQuote,
  {
    tolerance,
    fartherTolerance = tolerance,
    mid,
  }: Pick<FitLimits, "tolerance" | "fartherTolerance" | "mid">,
): boolean {
  const isFarther = order.side === "BUY" ? order.price < quote.price : order.price > quote.price;
  return isNear(order.price, quote.price, {
    tolerance: isFarther ? fartherTolerance : tolerance,
    mid,
  });
}

/** True within the tolerance, which is a share of the mid. */
export function isNear(
  price: number,
  wanted: number,
  limits: Pick<FitLimits, "tolerance" | "mid">,
): boolean {
  if (price === wanted) return true;
  return Math.abs(price - wanted) <= (limits.tolerance + NOISE) * limits.mid;
}

export function sizeFits(order: TrackedOrder, quote: FittedQuote, sizeTolerance: number): boolean {
  const size = sizeOf(order);
  return (
    size === quote.size || (sizeTolerance > 0 && sizeOffOf(order, quote) <= sizeTolerance + NOISE)
  );
}

/** The remaining size; the whole size of an order with legs, since canceling it would leave what it filled without exits. */
function sizeOf(order: TrackedOrder): Fixed {
  return order.tpsl === undefined ? remainingOf(order) : order.quantity;
}

/** How far price and size are off together, as shares of mid and wanted size. */
function offOf(order: TrackedOrder, quote: FittedQuote, mid: number): number {
  const priceOff = Math.abs(order.price - quote.price) / mid;
  return (
    (priceOff > 0 ? Math.min(priceOff, MAX_SHARE) : 0) +
    Math.min(sizeOffOf(order, quote), MAX_SHARE)
  );
}

function sizeOffOf(order: TrackedOrder, quote: FittedQuote): number {
  const difference = absFixed(subFixed(sizeOf(order), quote.size));
  return difference === 0n ? 0 : Number(difference) / Number(quote.size);
}
