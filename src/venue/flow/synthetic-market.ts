import type { Prng } from "../../base/prng.ts";
import {
  fixed,
  fixedFromNumber,
  fixedText,
  maxFixed,
  minFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { type Side } from "../../domain/side.ts";
import type { UnixMs } from "../../domain/time.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { SyntheticFlowOptions } from "./synthetic-config.ts";

/** Size of each level as a share of the level nearer to the touch. */
const DECAY = 0.85;
/** How far the reference price may drift from its start before it is pulled back. */
const TETHER = 0.05;
const FUNDS = fixed("1000000000000");
const MAKERS = 3;

interface Resting {
  readonly orderId: OrderId;
  readonly account: Address;
  /** Kept, since a search for each order in each step would be the most of a market's work. */
  readonly now: ReturnType<Exchange["statusOf"]>;
}

export interface SyntheticMarketTerms {
  readonly market: Market;
  /** Where the reference price starts when the market has had no trade. */
  readonly price: number;
  readonly options: SyntheticFlowOptions;
  readonly random: Prng;
}

/**
 * One synthetic market. A reference price follows a random walk. Makers keep a ladder around it on the grid, refill what takers
 * took, and cancel what the walk left behind; takers send orders of widely varying sizes. All of them use ordinary accounts and
 * ordinary orders.
 */
export class SyntheticMarket {
  readonly marketId: MarketId;
  readonly #rules: MarketRules;
  /** Accounts of makers and takers. */
  readonly accounts: readonly Address[];
  readonly #exchange: Exchange;
  readonly #options: SyntheticFlowOptions;
  readonly #random: Prng;
  readonly #makers: readonly Address[];
  readonly #taker: Address;
  readonly #startPrice: number;
  /** The makers' orders by side and price. */
  readonly #resting: Readonly<Record<Side, Map<number, Resting>>> = {
    BUY: new Map(),
    SELL: new Map(),
  };
  #price: number;
  /** Share of buyers among the takers. It drifts slowly, so that trades come in runs. */
  #buyers = 0.5;

  constructor(
    exchange: Exchange,
    { market, price, options, random }: SyntheticMarketTerms,
    nowMs: UnixMs,
  ) {
    this.marketId = market.marketId;
    this.#rules = rulesOf(market);
    this.#exchange = exchange;
    this.#options = options;
    this.#random = random;
    this.#startPrice = price;
    this.#price = continued(price, exchange.ticker(market.marketId, nowMs).price);
    const accounts = Array.from({ length: MAKERS + 1 }, () => accountOf(random));
    for (const account of accounts) fillUp(exchange, account, market, nowMs);
    this.accounts = accounts;
    this.#makers = accounts.slice(0, MAKERS);
    this.#taker = accounts[MAKERS] ?? accountOf(random);
    this.#requote(nowMs);
  }

  /** Moves the reference price by `elapsedMs` of its walk and updates the makers' quotes. */
  step(elapsedMs: number, nowMs: UnixMs): void {
    const deviation = this.#options.volatility * Math.sqrt(elapsedMs / 1000);
    const stray = Math.log(this.#price / this.#startPrice);
    const pull = -stray * Math.abs(stray / TETHER) * 0.01;
    this.#price *= Math.exp(deviation * this.#random.normal() + pull);
    this.#buyers = Math.min(
      0.8,
      Math.max(0.2, this.#buyers + 0.02 * this.#random.normal() + 0.01 * (0.5 - this.#buyers)),
    );
    this.#requote(nowMs);
  }

  /** Sends one taker's order. */
  take(nowMs: UnixMs): void {
    const side: Side = this.#random.chance(this.#buyers) ? "BUY" : "SELL";
    // Log-normal sizes: many small ones, and a few that trade through several levels.
    const worth = this.#options.takerNotional * Math.exp(this.#random.normal() - 0.5);
    this.#exchange.execute(
      this.#taker,
      {
        type: "place",
        marketId: this.marketId,
        side,
        orderType: "MARKET",
        orderMode: 0,
        price: fixed("0"),
        quantity: this.#sizeOf(worth, this.#price),
      },
      nowMs,
    );
  }

  #requote(nowMs: UnixMs): void {
    for (const side of ["BUY", "SELL"] as const) this.#cancelLeftBehind(side, nowMs);
    for (const side of ["BUY", "SELL"] as const) this.#fillUp(side, nowMs);
  }

  /** Cancels orders nearer than half the spread or farther than the ladder reaches. */
  #cancelLeftBehind(side: Side, nowMs: UnixMs): void {
    const { halfSpread, levels } = this.#options;
    const nearest = this.#distanceOf(0) / 2;
    const farthest = this.#distanceOf(levels + 2) + halfSpread * this.#price;
    for (const [price, { orderId, account, now }] of this.#resting[side]) {
      const distance = side === "BUY" ? this.#price - price : price - this.#price;
      const isOpen = now?.status === "NEW" || now?.status === "PARTIALLY_FILLED";
      if (isOpen && distance >= nearest && distance <= farthest) continue;
      if (isOpen) this.#exchange.execute(account, { type: "cancel", orderId }, nowMs);
      this.#resting[side].delete(price);
    }
  }

  /** Places orders at empty levels of the ladder. Not all makers are quick, so some levels wait for the next step. */
  #fillUp(side: Side, nowMs: UnixMs): void {
    for (let rank = 0; rank < this.#options.levels; rank += 1) {
      const distance = this.#distanceOf(rank);
      const price =
        side === "BUY"
          ? this.#rules.roundDown(this.#price - distance)
          : this.#rules.roundUp(this.#price + distance);
      if (price <= 0 || this.#resting[side].has(price) || this.#random.chance(0.3)) continue;
      const worth = this.#options.topNotional * DECAY ** rank * (0.5 + this.#random.unit());
      const account = this.#random.pick(this.#makers);
      const result = this.#exchange.execute(
        account,
        {
          type: "place",
          marketId: this.marketId,
          side,
          orderType: "LIMIT",
          orderMode: 0,
          price: fixedFromNumber(price),
          quantity: this.#sizeOf(worth, price),
        },
        nowMs,
      );
      if (result.type === "accepted") {
        const orderId = result.txHash;
        this.#resting[side].set(price, { orderId, account, now: this.#exchange.statusOf(orderId) });
      }
    }
  }

  /** Distance of a ladder level from the reference price; neighbouring levels are at least one tick apart. */
  #distanceOf(rank: number): number {
    const gap = Math.max(this.#options.halfSpread * this.#price, this.#rules.tickAt(this.#price));
    return gap * (1 + rank * 0.7);
  }

  /** Converts a worth in quote token to a legal size in base, with two more decimals than the minimum size. */
  #sizeOf(worth: number, price: number): Fixed {
    const least = this.#rules.minSizeAt(price);
    const decimals = (fixedText(least).split(".")[1]?.length ?? 0) + 2;
    const size = fixed((worth / price).toFixed(Math.min(decimals, 8)));
    return maxFixed(least, minFixed(size, fixed("1000000000")));
  }
}

/** Where the walk begins: at the last price, unless it is so far from the configured one that the market has been redefined. */
function continued(start: number, last: number): number {
  return last > 0 && Math.abs(Math.log(last / start)) < 2 * TETHER ? last : start;
}

/** Tops an account up to its funds; after a restart it may have some of them already. */
function fillUp(exchange: Exchange, account: Address, market: Market, nowMs: UnixMs): void {
  const had = new Map(exchange.balances(account).map((line) => [line.tokenId, line.unlocked]));
  const lacking = [market.baseToken, market.quoteToken]
    .map((token) => [token, subFixed(FUNDS, had.get(token) ?? ZERO)] as const)
    .filter(([, amount]) => amount > 0n);
  if (lacking.length > 0) exchange.deposit(account, new Map(lacking), nowMs);
}

function accountOf(random: Prng): Address {
  const part = (): string => random.uint32().toString(16).padStart(8, "0");
  return `0xf150${part()}${part()}${part()}${part()}${part().slice(4)}` as Address;
}
