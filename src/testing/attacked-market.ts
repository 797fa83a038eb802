import type { Side } from "../domain/side.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { type Books, calmAsks, calmBids } from "./attacks.ts";
import type { TrialOptions } from "./setup.ts";
import type { TestLevel } from "./trial-market.ts";
import { type StrategyTrial, tryStrategy } from "./try-strategy.ts";

/** The market of a conformance test while it is calm: others trade at `price`, and the book is 2 % below and above it. */
export interface ConformanceMarket {
  /** Default 100. */
  readonly price?: number;
  /** Size of the best level of others on each side; default 5. */
  readonly quantity?: number;
  /** The price of each source as a multiple of the market's; default 1. */
  readonly sourceRatio?: Readonly<Record<string, number>>;
}

export interface AttackOptions extends TrialOptions {
  readonly market?: ConformanceMarket;
}

/** A minute, five books a second: long enough for averages of a price to settle. */
const CALM_STEPS = 300;
const STEP = "200ms";
const TRADE_EVERY = 25;

/** A trial, and the market that its script changes. */
export class AttackedMarket {
  readonly trial: StrategyTrial;
  readonly price: number;
  readonly #options: AttackOptions;
  #steps = 0;

  private constructor(trial: StrategyTrial, options: AttackOptions) {
    this.trial = trial;
    this.#options = options;
    this.price = options.market?.price ?? 100;
  }

  static async open(
    definition: StrategyDefinition,
    options: AttackOptions,
  ): Promise<AttackedMarket> {
    const market = new AttackedMarket(await tryStrategy(definition, options), options);
    market.feed();
    return market;
  }

  /** Shows a book for 200 ms. */
  step({ bids = calmBids, asks = calmAsks }: Books = {}): void {
    this.#steps += 1;
    this.trial.book({ bids: this.#scaled(bids), asks: this.#scaled(asks) });
    this.trial.wait(STEP);
  }

  #scaled(levels: readonly TestLevel[]): TestLevel[] {
    const { quantity = 5 } = this.#options.market ?? {};
    return levels.map(([price, size]) => [
      Number(((this.price * price) / 100).toPrecision(8)),
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
      this.trial.trade({ side, price: this.price, quantity: 1 });
    }
  }

  /** Each source gives its price. */
  feed(): void {
    const { sources = {}, market } = this.#options;
    for (const name of Object.keys(sources)) {
      this.trial.source(name, this.price * (market?.sourceRatio?.[name] ?? 1));
    }
  }

  /** The best own price of a side as it is in a market at 100; undefined without an order there. */
  ownBest(side: Side): number | undefined {
    const best = this.trial.orders.find((order) => order.side === side)?.price;
    return best === undefined ? undefined : (best / this.price) * 100;
  }

  /** Another account fills the best own order of a side, if there is one. */
  fillOwn(side: Side): void {
    const own = this.trial.orders.find((order) => order.side === side);
    if (own === undefined) return;
    const { price, quantity } = own;
    this.trial.trade({ side: side === "BUY" ? "SELL" : "BUY", price, quantity });
    this.step();
  }
}
