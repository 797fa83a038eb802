import { assert } from "../base/assert.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import type { Side } from "../domain/side.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { type Books, calmAsks, calmBids } from "./attacks.ts";
import type { TrialOptions } from "./setup.ts";
import { seen } from "./seen-decisions.ts";
import type { TestLevel, TestOrder, TrialMarket } from "./trial-market.ts";
import { type StrategyTrial, tryStrategy } from "./try-strategy.ts";

/** The market of a conformance test while it is calm: others trade at `price`, and the book is 2 % below and above it. */
export interface ConformanceMarket {
  /** Default 100. */
  readonly price?: number;
  /** Size of the best level of others on each side; default 5. */
  readonly quantity?: number;
  /** The price of each other market of the strategy as a multiple of this one's; default 1. */
  readonly marketRatio?: Readonly<Record<string, number>>;
  /** The price of each source as a multiple of the market's; default 1. */
  readonly sourceRatio?: Readonly<Record<string, number>>;
}

export interface AttackOptions extends TrialOptions {
  readonly market?: ConformanceMarket;
}

/** A minute, five books a second: long enough for averages of a price to settle. */
const CALM_STEPS = 300;
export const STEP_MS = 200;
const TRADE_EVERY = 25;

/** Is shown an own quote, or a fill of one, with its price as in a market at 100. */
type Look = (role: string, side: Side, price: number) => void;

/** A trial, and one of its markets that the script attacks, by default the strategy's own. The others stand still. */
export class AttackedMarket {
  readonly trial: StrategyTrial;
  readonly #options: AttackOptions;
  readonly #role: string;
  #steps = 0;
  /** What everybody's prices are multiplied by. */
  #moved = 1;
  #hasSources = true;
  #look: Look | undefined;
  /** Fills that were shown, by role. */
  readonly #shown = new Map<string, number>();

  private constructor(trial: StrategyTrial, options: AttackOptions, role: string) {
    this.trial = trial;
    this.#options = options;
    this.#role = role;
  }

  static async open(
    definition: StrategyDefinition,
    options: AttackOptions,
    role: string = OWN_MARKET,
  ): Promise<AttackedMarket> {
    const opened: { market?: AttackedMarket } = {};
    const watched = seen(definition, (_, { view }) => {
      const { market } = opened;
      if (market === undefined) return;
      for (const [name, { orders }] of Object.entries(view.markets)) market.#show(name, orders);
    });
    const market = new AttackedMarket(await tryStrategy(watched, options), options, role);
    opened.market = market;
    market.feed();
    return market;
  }

  /** Shows from now on what rests at each decision and after each step, and new fills of quotes. */
  watch(look: Look): void {
    this.#look = look;
    for (const [role, { fills }] of this.markets) this.#shown.set(role, fills.length);
  }

  #show(role: string, quotes: readonly Pick<TestOrder, "side" | "price">[]): void {
    const price = this.price(role) / 100;
    for (const quote of quotes) this.#look?.(role, quote.side, quote.price / price);
  }

  #showAll(): void {
    for (const [role, { fills, quotes, takeFills }] of this.markets) {
      const fresh = fills.slice(this.#shown.get(role));
      this.#shown.set(role, fills.length);
      this.#show(role, [...quotes, ...fresh.filter((fill) => !takeFills.includes(fill))]);
    }
  }

  /** Everybody believes in other prices from now on. */
  move(factor: number): void {
    this.#moved *= factor;
  }

  /** The sources give no more prices. */
  endSources(): void {
    this.#hasSources = false;
  }

  /** What everybody believes of a market when it is calm, in its own price. */
  price(role: string): number {
    const { price = 100, marketRatio } = this.#options.market ?? {};
    return Number((price * (marketRatio?.[role] ?? 1) * this.#moved).toPrecision(8));
  }

  /** The attacked market. */
  get attacked(): TrialMarket {
    return this.#of(this.#role);
  }

  /** The markets by the strategy's names. */
  get markets(): readonly (readonly [string, TrialMarket])[] {
    return Object.entries(this.trial.markets);
  }

  #of(role: string): TrialMarket {
    const market = this.trial.markets[role];
    assert(market !== undefined, "the strategy has this market");
    return market;
  }

  /** Shows a book in the attacked market; nothing there while it is lost. */
  step({ bids = calmBids, asks = calmAsks, forMs = STEP_MS }: Books = {}): void {
    this.#steps += 1;
    for (const [role, market] of this.markets) {
      const books = role === this.#role ? { bids, asks } : { bids: calmBids, asks: calmAsks };
      market.book({
        bids: this.#scaled(books.bids, role),
        asks: this.#scaled(books.asks, role),
      });
    }
    this.trial.wait(`${forMs}ms`);
    this.#showAll();
  }

  #scaled(levels: readonly TestLevel[], role: string): TestLevel[] {
    const { quantity = 5 } = this.#options.market ?? {};
    const calm = this.price(role);
    return levels.map(([price, size]) => [
      Number(((calm * price) / 100).toPrecision(8)),
      Number((size * quantity).toPrecision(8)),
    ]);
  }

  /** Others trade between the quotes, and neither book nor sources move. */
  calm(steps = CALM_STEPS): void {
    for (let at = 0; at < steps; at += 1) {
      this.feed();
      this.step();
      if (this.#steps % TRADE_EVERY !== 1) continue;
      const side = this.#steps % 2 === 0 ? "BUY" : "SELL";
      for (const [role, market] of this.markets) {
        market.trade({ side, price: this.price(role), quantity: 1 });
      }
    }
  }

  /** Each source gives its price. */
  feed(): void {
    if (!this.#hasSources) return;
    const { sources = {}, market } = this.#options;
    for (const name of Object.keys(sources)) {
      this.trial.source(name, this.price(OWN_MARKET) * (market?.sourceRatio?.[name] ?? 1));
    }
  }

  /** The best own quote of a side as it is in a market at 100; undefined without one there. */
  ownBest(side: Side, role = this.#role): number | undefined {
    const best = this.#of(role).quotes.find((order) => order.side === side)?.price;
    return best === undefined ? undefined : (best / this.price(role)) * 100;
  }

  /** Another account fills the best own quote of a side in each market, if there is one, and what others have before it; `books` as in `step`. */
  fillOwn(side: Side, books?: Books): void {
    for (const [role, market] of this.markets) {
      const own = market.quotes.find((order) => order.side === side);
      if (own === undefined) continue;
      const { price, quantity } = own;
      const before = this.#scaled(side === "BUY" ? calmBids : calmAsks, role)
        .filter(([level]) => (side === "BUY" ? level >= price : level <= price))
        .reduce((sum, [, size]) => sum + size, 0);
      const taker = side === "BUY" ? "SELL" : "BUY";
      market.trade({ side: taker, price, quantity: Number((before + quantity).toPrecision(12)) });
    }
    this.step(books);
  }
}
