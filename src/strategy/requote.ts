import { type Side, sides } from "../domain/side.ts";
import { type MarketDecision, noQuotes, type WantedQuote } from "./contract.ts";
import type { MarketView } from "./view.ts";

/**
 * When a strategy decides anew: at once when a quote has become more dangerous than its target, at the timer or after a larger move when
 * it is only too far away. The strategy says where its first quotes should be now (`starts`); its other quotes move with them.
 */

/** What `refresh`, `tolerance` and `requote` of `quoteParams` mean for one strategy; shares of the mid, and milliseconds. */
export interface Requote {
  readonly refresh: number;
  readonly tolerance: number;
  readonly nearer: number;
  readonly farther: number;
  readonly minInterval: number | undefined;
}

/** The tolerances of a decision, for `setQuotes`. */
export interface RequoteLimits {
  readonly tolerance: number;
  readonly fartherTolerance: number;
}

/** Plain data for a strategy's state. */
export interface RequoteMemory {
  /** When the timer is due, when quotes were set last, and when `decide` has to be called again. */
  timerMs: number;
  setMs: number;
  wakeAtMs: number;
  /** Where the first quotes should have been when quotes were set last, and how far that may move either way, in quote token. */
  readonly starts: Record<Side, number>;
  readonly room: Record<Side, { nearer: number; farther: number }>;
}

/** The default tolerance as a share of the first spread. */
const TOLERANCE_SHARE = 0.25;
/** Where first quotes should be while there is no fair price: quotes are pulled at once, and set again as soon as there is one. */
export const nowhere: Readonly<Record<Side, number>> = {
  BUY: Number.NEGATIVE_INFINITY,
  SELL: Number.POSITIVE_INFINITY,
};

/** `noQuotes`, after which quotes are set as soon as there is a fair price again. */
export function unquoted(
  memory: RequoteMemory,
  ...decision: Parameters<typeof noQuotes>
): MarketDecision {
  Object.assign(memory.starts, nowhere);
  return noQuotes(...decision);
}

export function newRequoteMemory(): RequoteMemory {
  const none = { nearer: 0, farther: 0 };
  return {
    timerMs: 0,
    setMs: 0,
    wakeAtMs: 0,
    starts: { BUY: 0, SELL: 0 },
    room: { BUY: none, SELL: none },
  };
}

/** `spread`: the nearer first spread or the step between levels, as a share of the mid; the defaults are shares of it. */
export function requoteOf(
  settings: {
    readonly refresh: number;
    readonly tolerance?: number | undefined;
    readonly requote: {
      readonly [Name in "nearer" | "farther" | "minInterval"]?: number | undefined;
    };
  },
  spread: number,
): Requote {
  const { refresh, tolerance = TOLERANCE_SHARE * spread, requote } = settings;
  const { nearer = tolerance, farther = Math.max(spread, tolerance), minInterval } = requote;
  return { refresh, tolerance, nearer, farther, minInterval };
}

/**
 * The tolerances to set quotes with now; undefined while the quotes should be kept until `memory.wakeAtMs`. `starts`: where the first quote
 * of each side should be now. The timer, an own fill, pulled quotes and a quote in danger never wait.
 */
export function requoteDue(
  memory: RequoteMemory,
  view: Pick<MarketView, "nowMs" | "fills" | "orders" | "quotesPulled">,
  starts: Readonly<Record<Side, number>>,
  { refresh, tolerance, nearer, farther, minInterval }: Requote,
): RequoteLimits | undefined {
  const { nowMs } = view;
  if (nowMs >= memory.timerMs) {
    memory.timerMs = nowMs + refresh;
    return { tolerance: nearer, fartherTolerance: tolerance };
  }
  const limits = { tolerance: nearer, fartherTolerance: farther };
  // A venue that lies may report fills of nothing.
  if (view.quotesPulled || view.fills.some(({ quantity }) => quantity.gt(0))) return limits;
  const nearerBy = (side: Side): number =>
    (memory.starts[side] - starts[side]) * (side === "BUY" ? 1 : -1);
  // An order that has ended without a fill was canceled or lost by the venue: it is placed again at the timer, not at once.
  const rests = (side: Side): boolean =>
    view.orders.some((order) => order.side === side && !order.isLeaving);
  if (sides.some((side) => nearerBy(side) > memory.room[side].nearer && rests(side))) return limits;
  memory.wakeAtMs = memory.timerMs;
  const isFar = (side: Side): boolean => -nearerBy(side) > memory.room[side].farther;
  const wasNowhere = (side: Side): boolean => memory.starts[side] === nowhere[side];
  if (!sides.some((side) => isFar(side) && (wasNowhere(side) || rests(side)))) return undefined;
  if (minInterval === undefined) {
    // The round trip itself: until the venue has acknowledged what was sent last.
    const isOpen = view.orders.some(({ isWorking, isLeaving }) => !isWorking && !isLeaving);
    return isOpen ? undefined : limits;
  }
  if (nowMs >= memory.setMs + minInterval) return limits;
  memory.wakeAtMs = Math.min(memory.timerMs, memory.setMs + minInterval);
  return undefined;
}

/**
 * Remembers the quotes that are set. Orders that are kept off their targets leave less room for the next move, and so does the nearest price
 * that each side may have (`bounds`).
 */
export function quotesSet(
  memory: RequoteMemory,
  view: Pick<MarketView, "nowMs" | "orders">,
  set: {
    readonly quotes: Readonly<Record<Side, readonly WantedQuote[]>>;
    readonly starts: Readonly<Record<Side, number>>;
    readonly bounds?: Readonly<Record<Side, number | undefined>>;
    readonly limits: RequoteLimits;
    readonly mid: number;
  },
  { farther }: Requote,
): void {
  const { starts, limits, mid } = set;
  const { orders } = view;
  const most = { nearer: limits.tolerance * mid, farther: limits.fartherTolerance * mid };
  memory.setMs = view.nowMs;
  memory.wakeAtMs = memory.timerMs;
  for (const side of sides) {
    const sign = side === "BUY" ? 1 : -1;
    const quotes = set.quotes[side];
    const bound = set.bounds?.[side] ?? sign * Number.POSITIVE_INFINITY;
    let nearer = most.nearer;
    let left = farther * mid;
    let danger = Number.POSITIVE_INFINITY;
    for (const quote of quotes) danger = Math.min(danger, sign * (bound - quote.price));
    for (const order of orders) {
      if (order.side !== side || order.isLeaving) continue;
      const off = sign * (order.price - nearestPrice(quotes, order.price));
      // The planner replaces the others.
      if (!(off <= most.nearer && -off <= most.farther)) continue;
      nearer = Math.min(nearer, most.nearer - off);
      left = Math.min(left, farther * mid + off);
      danger = Math.min(danger, sign * (bound - order.price));
    }
    memory.starts[side] = starts[side];
    memory.room[side] = { nearer: Math.min(nearer, Math.max(0, danger)), farther: left };
  }
}

/** NaN without a quote. */
function nearestPrice(quotes: readonly WantedQuote[], price: number): number {
  let nearest = Number.NaN;
  let away = Number.POSITIVE_INFINITY;
  for (const quote of quotes) {
    const distance = Math.abs(quote.price - price);
    if (distance >= away) continue;
    nearest = quote.price;
    away = distance;
  }
  return nearest;
}
