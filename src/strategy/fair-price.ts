import { type BaseAmount, inBase } from "../domain/base-amount.ts";
import { percentText } from "../domain/setting.ts";
import type { Side } from "../domain/side.ts";
import { type DepthPrice, depthPrice } from "./depth-price.ts";
import type { BookView, MarketView } from "./view.ts";

/**
 * The price that quotes are placed around, made so that it cannot be had for less than it is worth: a side's price moves at once only as far
 * as its best price and its average over a depth both do; the far side of the book moves a quote only as far as the market is usually wide;
 * and the book alone, without trades of others, moves a quote towards the market only over time. A quote always follows at once when that
 * price moves against it.
 */

export type PriceSource = "mid" | "weightedMid" | "lastTrade";

/** What `fairParams` give, and the first spreads, as shares of the mid. */
export interface FairSettings {
  readonly priceSource: PriceSource;
  readonly depth?: BaseAmount | undefined;
  readonly fairPeriod: number;
  readonly maxDeviation?: number | undefined;
  readonly maxSpread?: number | undefined;
}

/** Plain data for a strategy's state. */
export interface FairMemory {
  /** When it was followed last and the price of the book then; 0 before. */
  atMs: number;
  price: number;
  /** For how long it has been followed. */
  forMs: number;
  /** What each side had over the depth then, and its average over `fairPeriod`. */
  readonly depth: Record<Side, number>;
  readonly depthAverage: Record<Side, number>;
  /** The price's average over `fairPeriod`, and half the market's own spread over the last minutes. */
  average: number;
  halfSpread: number;
  /** Where others traded, weighted by quantity, when they did last, and the newest price. */
  traded: number;
  tradedMs: number;
  lastTrade: number | undefined;
}

export interface FairPrice {
  readonly doubt?: undefined;
  /** Mid of both sides' prices over the depth. */
  readonly mid: number;
  /** What bids and what asks are placed around: by `priceSource`, or farther from the market while that price is not believed. */
  readonly BUY: number;
  readonly SELL: number;
}

/** Over how long the market's usual spread is averaged. */
const USUAL_MS = 300_000;
/** After quotes were pulled and the strategy was not called for longer, what it knew is of another market. */
const LAPSE_MS = 1_000;
/** A market or a move this many times as wide as usual is no price to quote around. */
const FEW = 5;
/** Prices that are this near are equal but for the arithmetic of doubles. */
const NOISE = 1e-12;
/** Widest market that its own spread makes believed at once, as a share; a wider one has to last `BELIEVED_MS`. */
const START_SPREAD = 0.05;
/** With what a bot needs to know the market again, less than the 30 s within which it quotes after a trouble. */
const BELIEVED_MS = 20_000;

export function newFairMemory(): FairMemory {
  return {
    atMs: 0,
    price: 0,
    forMs: 0,
    depth: { BUY: 0, SELL: 0 },
    depthAverage: { BUY: 0, SELL: 0 },
    average: 0,
    halfSpread: 0,
    traded: 0,
    tradedMs: 0,
    lastTrade: undefined,
  };
}

/**
 * The fair price now, or the reason why there is none (`doubt`). Call it in every decision, since trades are shown once. `spread`: the first
 * spreads as shares of the mid; `size`: the first quote's size, over which prices are averaged when `depth` is not set.
 */
export function followFairPrice(
  memory: FairMemory,
  view: Pick<MarketView, "book" | "trades" | "nowMs" | "quotesPulled">,
  settings: FairSettings,
  quotes: { readonly spread: Readonly<Record<Side, number>>; readonly size: BaseAmount },
): FairPrice | { readonly doubt: string } {
  const { book, nowMs } = view;
  const touchMid = book.mid;
  if (touchMid === undefined) return { doubt: "a side of the book is empty" };
  const depth = inBase(settings.depth ?? quotes.size, touchMid).toNumber();
  followTrades(memory, view, { depth, periodMs: settings.fairPeriod, touchMid });
  const passedMs = passed(memory, view);
  const over = { depth, passedMs, periodMs: settings.fairPeriod };
  const bid = sidePrice(memory, book, "BUY", over);
  const ask = sidePrice(memory, book, "SELL", over);
  if (bid === undefined || ask === undefined) return { doubt: "a side of the book is empty" };

  const halfSpread = (ask.average - bid.average) / 2;
  const price = priceOf(settings.priceSource, memory, book, bid, ask);
  const own = ((quotes.spread.BUY + quotes.spread.SELL) / 2) * price;
  follow(memory, { nowMs, passedMs, price, halfSpread }, settings.fairPeriod);

  const usual = FEW * memory.halfSpread;
  const known = Math.max(
    (START_SPREAD / 2) * price,
    (memory.halfSpread * memory.forMs) / BELIEVED_MS,
  );
  const few = Math.max(FEW * own, Math.min(usual, known));
  const { maxSpread = (2 * few) / price, maxDeviation = (2 * few) / price } = settings;
  if (2 * halfSpread > maxSpread * price) {
    return { doubt: `the market's own spread is above ${percentText(maxSpread, 2)}` };
  }
  const { average } = memory;
  const isTraded = nowMs - memory.tradedMs <= settings.fairPeriod;
  const low = isTraded ? Math.min(average, memory.traded) : average;
  const high = isTraded ? Math.max(average, memory.traded) : average;
  if (price > high + maxDeviation * price || price < low - maxDeviation * price) {
    const from = `its average and from recent trades`;
    return {
      doubt: `the book's price is more than ${percentText(maxDeviation, 2)} from ${from}`,
    };
  }
  const reach = Math.max(memory.halfSpread, own);
  return {
    mid: (bid.average + ask.average) / 2,
    BUY: Math.min(price, bid.average + reach, high + quotes.spread.BUY * price),
    SELL: Math.max(price, ask.average - reach, low - quotes.spread.SELL * price),
  };
}

/** A last trade outside the book is out of date and counts as the price of the side that it is beyond. */
function priceOf(
  source: PriceSource,
  { lastTrade }: FairMemory,
  book: BookView,
  bid: DepthPrice,
  ask: DepthPrice,
): number {
  const mid = (bid.average + ask.average) / 2;
  if (source === "lastTrade") {
    if (lastTrade === undefined) return mid;
    return Math.min(Math.max(lastTrade, bid.average), ask.average);
  }
  if (source === "mid") return mid;
  // The same distance from the mid on both sides, so that the quantities can be compared.
  const away = Math.max(mid - bid.last, ask.last - mid);
  const bids = book.quantityTo("BUY", (mid - away) * (1 - NOISE));
  const asks = book.quantityTo("SELL", (mid + away) * (1 + NOISE));
  return (bid.average * asks + ask.average * bids) / (bids + asks);
}

function followTrades(
  memory: FairMemory,
  { trades, nowMs }: Pick<MarketView, "trades" | "nowMs">,
  from: { readonly depth: number; readonly periodMs: number; readonly touchMid: number },
): void {
  for (const { price, quantity, isOwn } of trades) {
    if (isOwn) continue;
    memory.lastTrade = price;
    // A trade of dust says little: the price starts from the book's own and moves as far as the quantity is of the depth.
    if (nowMs - memory.tradedMs > from.periodMs) {
      memory.traded = memory.atMs === 0 ? from.touchMid : memory.average;
    }
    memory.traded += (price - memory.traded) * (quantity < from.depth ? quantity / from.depth : 1);
    memory.tradedMs = nowMs;
  }
}

/** How long what is remembered has lasted; `undefined` when it is nothing, or of another market. */
function passed(
  { atMs }: FairMemory,
  { nowMs, quotesPulled }: Pick<MarketView, "nowMs" | "quotesPulled">,
): number | undefined {
  const passedMs = Math.max(0, nowMs - atMs);
  return atMs === 0 || (quotesPulled && passedMs > LAPSE_MS) ? undefined : passedMs;
}

/**
 * What a side's first quantities trade at. Between the best price and the average over the depth it stays where it was over the last period:
 * one tiny order in front, and one large order behind a tiny one that goes, each move only one of the two.
 */
function sidePrice(
  memory: FairMemory,
  book: BookView,
  side: Side,
  over: {
    readonly depth: number;
    readonly passedMs: number | undefined;
    readonly periodMs: number;
  },
): DepthPrice | undefined {
  const found = depthPrice(book, side, over.depth);
  const best = book.best(side);
  if (found === undefined || best === undefined) return undefined;
  const { passedMs } = over;
  memory.depthAverage[side] =
    passedMs === undefined
      ? found.average
      : averaged(memory.depthAverage[side], memory.depth[side], passedMs / over.periodMs);
  memory.depth[side] = found.average;
  const [low, high] = [Math.min(found.average, best.price), Math.max(found.average, best.price)];
  const average = Math.min(Math.max(memory.depthAverage[side], low), high);
  return { average, last: found.last };
}

function follow(
  memory: FairMemory,
  now: {
    readonly nowMs: number;
    readonly passedMs: number | undefined;
    readonly price: number;
    readonly halfSpread: number;
  },
  periodMs: number,
): void {
  const { passedMs, price, halfSpread } = now;
  if (passedMs === undefined) {
    memory.average = price;
    memory.halfSpread = halfSpread;
    memory.forMs = 0;
  } else if (passedMs > 0) {
    memory.forMs += passedMs;
    memory.average = averaged(memory.average, memory.price, passedMs / periodMs);
    const usualMs = Math.min(USUAL_MS, memory.forMs);
    const counted = Math.min(halfSpread, 2 * memory.halfSpread);
    memory.halfSpread = averaged(memory.halfSpread, counted, passedMs / usualMs);
  }
  memory.atMs = now.nowMs;
  memory.price = price;
}

/** Counts what was seen before for as long as it lasted, so a price that is gone at once moves nothing. */
function averaged(average: number, seen: number, share: number): number {
  return average + (seen - average) * -Math.expm1(-share);
}
