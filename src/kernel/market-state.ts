import { assert } from "../base/assert.ts";
import { BookSync } from "../book/book-sync.ts";
import { BookLessOwn } from "../book/book-view.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { OrderTracker } from "../orders/order-tracker.ts";
import { limitsFor } from "../risk/settings.ts";
import type { BookView } from "../strategy/view.ts";
import { marketIdsOf } from "../domain/market-roles.ts";
import type { KernelConfig } from "./config.ts";
import { BookFact } from "./freshness/book-fact.ts";
import { newTouch, type Touch } from "./impossible/touch.ts";
import { newOtherBots, type OtherBots } from "./other-bots.ts";
import { sourceMarkets } from "./sources/source-config.ts";

/** One market that a strategy works in, or whose book is a price source. */
export interface MarketState {
  /** Its fees are those of the venue's newest list of markets. */
  market: Market;
  /** How many lists of markets in a row did not list it, 2 at most. */
  unlistedReads: number;
  readonly touch: Touch;
  /** For how long quotes may rest on a copy of its book and of the own orders; Infinity when the configuration turns the rule `stale-book` off. */
  readonly staleMs: number;
  readonly sync: BookSync;
  /** How old the book is. */
  readonly book: BookFact;
  /** What `bookLessOwn` gives; made when it is first read. */
  lessOwn: BookLessOwn | undefined;
  /** Since when the book cannot be read; undefined while it can. */
  blindSinceMs: number | undefined;
  /** Price of the newest public trade; undefined before the first. */
  lastTrade: number | undefined;
  /** `dueSinceMs`: since when the live book has changed without a comparison; undefined when it has not. */
  readonly audit: { dueSinceMs: number | undefined; hasWarned: boolean };
  readonly others: OtherBots;
  /** When the newest public trade came that names its orders, our clock; -Infinity before the first. */
  namedTradeMs: number;
  /** When the book is next looked at for own orders, and since when it lacks some; Infinity while it does not. */
  levelsMs: number;
  lacksSinceMs: number;
}

/** A market as strategies may see it: the object is the kernel's own, so that they cannot change it. */
export function shownMarket(market: Market): Market {
  Object.freeze(market.rules);
  return Object.freeze({ ...market });
}

export function marketStates(config: KernelConfig): ReadonlyMap<MarketId, MarketState> {
  const markets = new Map<MarketId, MarketState>();
  const traded = marketIdsOf(config.strategies);
  for (const marketId of new Set([...traded, ...sourceMarkets(config.sources)])) {
    const market = marketOf(config, marketId);
    const { priceCollar, staleBook } = limitsFor(config.risk, marketId);
    const sync = new BookSync(marketId);
    markets.set(marketId, {
      market: shownMarket(market),
      unlistedReads: 0,
      touch: newTouch(priceCollar ?? Number.POSITIVE_INFINITY),
      staleMs: staleBook ?? Number.POSITIVE_INFINITY,
      sync,
      book: new BookFact(sync, config.timing.channelCheckMs),
      lessOwn: undefined,
      blindSinceMs: undefined,
      lastTrade: undefined,
      audit: { dueSinceMs: undefined, hasWarned: false },
      others: newOtherBots(traded.includes(marketId)),
      namedTradeMs: Number.NEGATIVE_INFINITY,
      levelsMs: 0,
      lacksSinceMs: Number.POSITIVE_INFINITY,
    });
  }
  return markets;
}

export function marketOf(config: Pick<KernelConfig, "markets">, marketId: MarketId): Market {
  const market = config.markets.find((candidate) => candidate.marketId === marketId);
  assert(market !== undefined, `the config has market ${marketId}`);
  return market;
}

/** The part of the kernel that has the orders. */
interface HasOrders {
  readonly orders: OrderTracker;
}

/** The book of a market without our own resting orders; undefined while it is not in sync or impossible. */
export function bookLessOwn(state: HasOrders, market: MarketState): BookView | undefined {
  const { live } = market.sync;
  if (live === undefined || market.touch.isImpossible) return undefined;
  market.lessOwn ??= lessOwn(state, market.market.marketId, live);
  return market.lessOwn;
}

function lessOwn({ orders }: HasOrders, marketId: MarketId, live: ReadableBook): BookLessOwn {
  const bids = orders.ownQuantityByPrice(marketId, "BUY");
  const asks = orders.ownQuantityByPrice(marketId, "SELL");
  return new BookLessOwn(live, (side, price) => (side === "BUY" ? bids : asks).get(price) ?? 0);
}
