import { TouchlineError } from "../base/error.ts";
import type { VirtualBot } from "../backtest/virtual-bot.ts";
import { addFixed, fixedText, fixedToNumber, ZERO } from "../domain/fixed.ts";
import type { Trade } from "../domain/depth.ts";
import type { TokenId } from "../domain/ids.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { Market } from "../domain/market.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import { isUsable } from "../exchange/recorded-side.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { NOBODY } from "../simulated/simulated-account.ts";
import type { Decision } from "../strategy/contract.ts";
import type { TestTrade } from "./setup.ts";

/** A price level of other accounts' orders: `[price, quantity]`. */
export type TestLevel = readonly [price: number, quantity: number];

/** A resting order of the strategy. */
export interface TestOrder {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
}

/** A stop order or stop-loss leg that waits for its trigger. */
export interface TestStop {
  readonly side: Side;
  readonly stopPrice: number;
  /** Limit price; 0 for a stop-market order. */
  readonly price: number;
  readonly quantity: number;
}

/** What a market needs of its trial. `act` does something a millisecond later and returns the newest decision. */
export interface TrialWorld {
  readonly bot: VirtualBot;
  act(what: (atMs: UnixMs, id: number) => void): Decision;
}

const nothing = { locked: ZERO, unlocked: ZERO };

/** One market of a trial: what others do in it, and what the strategy has there. */
export class TrialMarket {
  readonly market: Market;
  readonly #world: TrialWorld;
  readonly #fills: TestTrade[] = [];
  readonly #takeFills: TestTrade[] = [];

  constructor(market: Market, world: TrialWorld) {
    this.market = market;
    this.#world = world;
  }

  /** Replaces the book of other accounts' orders, a millisecond later. Returns the newest decision. */
  book(levels: {
    readonly bids: readonly TestLevel[];
    readonly asks: readonly TestLevel[];
  }): Decision {
    const { marketId } = this.market;
    for (const [price, quantity] of [...levels.bids, ...levels.asks]) check(price, quantity);
    return this.#play((atMs, lastId) => ({
      type: "book",
      atMs,
      snapshot: {
        marketId,
        lastId,
        timeMs: atMs,
        bids: Float64Array.from(levels.bids.flat()),
        asks: Float64Array.from(levels.asks.flat()),
      },
    }));
  }

  /**
   * Another account trades a millisecond later: `SELL` into the bids or `BUY` from the asks, up to the price, the best levels first. Own
   * orders that it reaches are filled, behind what others have at their price. What the book does not have trades with hidden orders.
   * Returns the newest decision.
   */
  trade(trade: TestTrade): Decision {
    return this.#play((atMs, id) => ({
      type: "trade",
      atMs,
      trade: testTrade(this.market, trade, atMs, id),
    }));
  }

  /** The bot loses this market's book a millisecond later, until `regain`: the market is not fresh. */
  lose(): Decision {
    return this.#world.act((atMs) => this.#world.bot.loseMarket(this.market.marketId, atMs));
  }

  /** The bot gets the book again. */
  regain(): Decision {
    return this.#world.act((atMs) => this.#world.bot.regainMarket(this.market.marketId, atMs));
  }

  /** The strategy's resting orders: bids before asks, best price first. A take profit rests once its quote is filled. */
  get orders(): readonly TestOrder[] {
    return this.#resting(() => true);
  }

  /** Those of them that are no takes. */
  get quotes(): readonly TestOrder[] {
    return this.#resting(({ role }) => role !== "take");
  }

  #resting(isMeant: (order: OrderSnapshot) => boolean): readonly TestOrder[] {
    const open = this.#live()
      .filter((order) => order.isResting && isMeant(order))
      .map(({ side, price, remaining }) => ({ side, price, quantity: fixedToNumber(remaining) }));
    const of = (side: Side) => open.filter((order) => order.side === side);
    return [
      ...of("BUY").sort((a, b) => b.price - a.price),
      ...of("SELL").sort((a, b) => a.price - b.price),
    ];
  }

  /** The strategy's stop orders, and the stop losses of filled quotes, that wait for their trigger; highest stop price first. */
  get stops(): readonly TestStop[] {
    return this.#live()
      .filter(({ phase, waitsForTrigger }) => phase === "working" && waitsForTrigger)
      .map(({ side, stopPrice = 0, price, remaining }) => ({
        side,
        stopPrice,
        price,
        quantity: fixedToNumber(remaining),
      }))
      .sort((a, b) => b.stopPrice - a.stopPrice);
  }

  /** The strategy's fills, oldest first. */
  get fills(): readonly TestTrade[] {
    return this.#fills;
  }

  /** Those of them that are fills of `takes` and `workTo`. */
  get takeFills(): readonly TestTrade[] {
    return this.#takeFills;
  }

  /** The account's balances as decimal text, including amounts locked by orders. */
  get balances(): { readonly base: string; readonly quote: string } {
    const held = this.#world.bot.venue.exchange.balances(NOBODY);
    const of = (token: TokenId): string => {
      const { locked, unlocked } = held.find((each) => each.tokenId === token) ?? nothing;
      return fixedText(addFixed(locked, unlocked));
    };
    return { base: of(this.market.baseToken), quote: of(this.market.quoteToken) };
  }

  /** Keeps a fill of the strategy; for the trial. */
  filled(fill: TestTrade, isTake: boolean): void {
    this.#fills.push(fill);
    if (isTake) this.#takeFills.push(fill);
  }

  #live() {
    const { marketId } = this.market;
    return [...this.#world.bot.orders.live()].filter((order) => order.marketId === marketId);
  }

  #play(event: (atMs: UnixMs, id: number) => MarketEvent): Decision {
    const { bot } = this.#world;
    return this.#world.act((atMs, id) => {
      bot.venue.play(this.market.marketId, event(atMs, id), atMs);
    });
  }
}

export function testTrade(
  { marketId }: Market,
  { price, quantity, side }: TestTrade,
  timeMs: UnixMs,
  id: number,
): Trade {
  check(price, quantity);
  const isBuyerMaker = side === "SELL";
  return { marketId, tradeId: String(id), price, quantity, timeMs, isBuyerMaker };
}

function check(price: number, quantity: number): void {
  if (isUsable(price, quantity)) return;
  throw new TouchlineError(
    "USAGE",
    `No order can have the price ${price} and the quantity ${quantity}: prices have at most 8 decimals and 15 digits, and no quantity is negative.`,
  );
}
