import { Prng } from "../../base/prng.ts";
import type { Address, MarketId } from "../../domain/ids.ts";
import type { Clock, Timer, TimerHandle } from "../../ports/clock.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Flow } from "./flow.ts";
import type { SyntheticFlowOptions } from "./synthetic-config.ts";
import { SyntheticMarket } from "./synthetic-market.ts";

/** How often the reference price moves and the makers update their quotes. */
const STEP_MS = 250;
const PRICE_WITHOUT_SETTING = 100;

/**
 * Seeded makers and takers on every listed market: the same seed and the same times give the same market. In an exchange that was
 * restored after a restart they use the same accounts, and the price continues from the last trade.
 */
export class SyntheticFlow implements Flow {
  readonly #timer: Timer;
  readonly #clock: Clock;
  readonly #pending = new Map<MarketId, { step: TimerHandle; taker: TimerHandle }>();
  readonly #accounts: Address[] = [];

  constructor(
    exchange: Exchange,
    options: SyntheticFlowOptions,
    ports: { readonly clock: Clock; readonly timer: Timer },
  ) {
    this.#timer = ports.timer;
    this.#clock = ports.clock;
    const seeds = new Prng(options.seed);
    for (const market of exchange.markets) {
      if (!market.listed) continue;
      const random = seeds.fork(market.marketId);
      const price = options.prices[market.marketId] ?? PRICE_WITHOUT_SETTING;
      const synthetic = new SyntheticMarket(
        exchange,
        { market, price, options, random },
        this.#clock.nowMs(),
      );
      this.#accounts.push(...synthetic.accounts);
      this.#run(synthetic, options, random.fork("times"));
    }
  }

  /** Accounts of makers and takers. */
  get accounts(): readonly Address[] {
    return this.#accounts;
  }

  stop(): void {
    for (const { step, taker } of this.#pending.values()) {
      step.cancel();
      taker.cancel();
    }
    this.#pending.clear();
  }

  #run(market: SyntheticMarket, options: SyntheticFlowOptions, random: Prng): void {
    const step = (): TimerHandle =>
      this.#timer.after(STEP_MS, () => {
        market.step(STEP_MS, this.#clock.nowMs());
        pending.step = step();
      });
    // Poisson arrivals.
    const taker = (): TimerHandle =>
      this.#timer.after(random.exponential(options.takerEveryMs), () => {
        market.take(this.#clock.nowMs());
        pending.taker = taker();
      });
    const pending = { step: step(), taker: taker() };
    this.#pending.set(market.marketId, pending);
  }
}
