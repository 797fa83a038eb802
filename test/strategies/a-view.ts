import { BookLessOwn } from "../../src/book/book-view.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { Decimal, decimalOf } from "../../src/domain/decimal.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { MarketView, OwnFill, OwnLeg, OwnOrder } from "../../src/strategy/view.ts";
import { market, start } from "../kernel/harness.ts";

export interface ViewOptions {
  readonly afterMs?: number;
  /** Price and quantity, best first. */
  readonly bids?: readonly (readonly [number, number])[];
  readonly asks?: readonly (readonly [number, number])[];
  readonly lastTrade?: number;
  /** Default 1. */
  readonly lastTradeSize?: number;
  readonly isOwnTrade?: boolean;
  readonly fills?: readonly (Partial<OwnFill> & Pick<OwnFill, "order" | "side">)[];
  readonly orders?: readonly (Partial<OwnOrder> & Pick<OwnOrder, "id" | "side" | "price">)[];
  readonly legs?: readonly OwnLeg[];
  readonly quotesPulled?: boolean;
  /** Base bought by own fills since the start. */
  readonly bought?: number;
  readonly averagePrice?: number;
  /** Held base and quote; undefined before they are known. */
  readonly held?: { readonly base: number; readonly quote: number } | undefined;
  readonly makerFee?: number;
  /** Mid of the price source `ref`; undefined while it has no price. */
  readonly source?: number | undefined;
}

/** One for all views: a book takes a megabyte, and a test looks at thousands of views. */
const book = new LevelBook();

/**
 * A hand-made view, valid until the next one is made. By default the book is 1999.5 / 2000.5 with 5 on each side, and 50 base and 100,000
 * quote are held.
 */
export function aView(options: ViewOptions = {}): MarketView {
  book.load({
    bids: Float64Array.from((options.bids ?? [[1999.5, 5]]).flat()),
    asks: Float64Array.from((options.asks ?? [[2000.5, 5]]).flat()),
  });

  const held = "held" in options ? options.held : { base: 50, quote: 100_000 };
  const nowMs = unixMs(start + (options.afterMs ?? 0));
  const view: MarketView = {
    nowMs,
    market,
    isFresh: true,
    get markets() {
      return { main: view };
    },
    makerFee: options.makerFee ?? 0.0002,
    takerFee: 0.0005,
    sources:
      options.source === undefined
        ? {}
        : {
            ref: {
              bid: options.source,
              ask: options.source,
              mid: options.source,
              ageMs: 0,
              lagMs: undefined,
            },
          },
    budget: { base: undefined, quote: undefined },
    candles: () => ({ closed: [], open: undefined }),
    book: new BookLessOwn(book, () => 0),
    trades:
      options.lastTrade === undefined
        ? []
        : [
            {
              marketId: market.marketId,
              tradeId: "1",
              price: options.lastTrade,
              quantity: options.lastTradeSize ?? 1,
              timeMs: nowMs,
              isBuyerMaker: false,
              isOwn: options.isOwnTrade ?? false,
            },
          ],
    fills: (options.fills ?? []).map(
      (fill): OwnFill => ({
        role: "quote",
        price: new Decimal(2000),
        quantity: new Decimal(1),
        isMaker: true,
        isComplete: true,
        ...fill,
        timeMs: nowMs,
      }),
    ),
    orders: (options.orders ?? []).map((order) => ({
      remaining: new Decimal(1),
      executed: new Decimal(0),
      ageMs: 10_000,
      queueAhead: undefined,
      isWorking: true,
      isLeaving: false,
      ...order,
    })),
    quotesPulled: options.quotesPulled ?? false,
    risk: { step: "normal" },
    latency: undefined,
    legs: options.legs ?? [],
    stops: [],
    takes: [],
    position: {
      base: new Decimal(options.bought ?? 0),
      averagePrice:
        options.averagePrice === undefined ? undefined : new Decimal(options.averagePrice),
      realisedPnl: new Decimal(0),
      unrealisedPnl: undefined,
    },
    balance(token) {
      if (held === undefined) return undefined;
      const total = new Decimal(held[token]);
      return { free: total, total };
    },
    rules: gridRules,
    minSize: (price) => decimalOf(gridRules.minSizeAt(price)),
    roundDown: gridRules.roundDown,
    roundUp: gridRules.roundUp,
    roundSize: (size) => new Decimal(size),
  };
  return view;
}
