import { gridRules } from "../../src/domain/grid-rules.ts";
import { Decimal, decimalOf } from "../../src/domain/decimal.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Level, MarketView, OwnFill, OwnLeg, OwnOrder } from "../../src/strategy/view.ts";
import { market, start } from "../kernel/harness.ts";

export interface ViewSays {
  readonly afterMs?: number;
  /** Price and quantity, best first. */
  readonly bids?: readonly (readonly [number, number])[];
  readonly asks?: readonly (readonly [number, number])[];
  readonly lastTrade?: number;
  readonly fills?: readonly { readonly order: number; readonly side: Side }[];
  readonly orders?: readonly (Partial<OwnOrder> & Pick<OwnOrder, "id" | "side" | "price">)[];
  readonly legs?: readonly OwnLeg[];
  /** Base bought by own fills since the start. */
  readonly bought?: number;
  /** Held base and quote; undefined before they are known. */
  readonly held?: { readonly base: number; readonly quote: number } | undefined;
  readonly makerFee?: number;
}

/** A view made by hand: 1999.5 / 2000.5 with 5 on each side, 50 base and their worth in quote, unless said otherwise. */
export function aView(says: ViewSays = {}): MarketView {
  const sides = { BUY: says.bids ?? [[1999.5, 5]], SELL: says.asks ?? [[2000.5, 5]] } as const;
  const level = (side: Side, index: number): Level | undefined => {
    const found = sides[side][index];
    return found === undefined ? undefined : { price: found[0], quantity: found[1] };
  };
  const bid = level("BUY", 0);
  const ask = level("SELL", 0);
  const isTwoSided = bid !== undefined && ask !== undefined;
  const held = "held" in says ? says.held : { base: 50, quote: 100_000 };
  const nowMs = unixMs(start + (says.afterMs ?? 0));
  return {
    nowMs,
    market,
    makerFee: says.makerFee ?? 0.0002,
    takerFee: 0.0005,
    book: {
      best: (side) => level(side, 0),
      level,
      levels: (side, count) =>
        sides[side].slice(0, count).map(([price, quantity]) => ({ price, quantity })),
      mid: isTwoSided ? (bid.price + ask.price) / 2 : undefined,
      microprice: isTwoSided
        ? (bid.price * ask.quantity + ask.price * bid.quantity) / (bid.quantity + ask.quantity)
        : undefined,
      spread: isTwoSided ? ask.price - bid.price : undefined,
    },
    trades:
      says.lastTrade === undefined
        ? []
        : [
            {
              marketId: market.marketId,
              tradeId: "1",
              price: says.lastTrade,
              quantity: 1,
              timeMs: nowMs,
              isBuyerMaker: false,
            },
          ],
    fills: (says.fills ?? []).map(
      (fill): OwnFill => ({
        role: "quote",
        ...fill,
        price: new Decimal(2000),
        quantity: new Decimal(1),
        isMaker: true,
        timeMs: nowMs,
      }),
    ),
    orders: (says.orders ?? []).map((order) => ({
      remaining: new Decimal(1),
      ageMs: 10_000,
      isWorking: true,
      isLeaving: false,
      ...order,
    })),
    legs: says.legs ?? [],
    stops: [],
    position: {
      base: new Decimal(says.bought ?? 0),
      averagePrice: undefined,
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
  };
}
