import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import type { UsedModels } from "../backtest/used-models.ts";
import { VirtualBot } from "../backtest/virtual-bot.ts";
import { CandleSeries } from "../domain/candle-series.ts";
import type { Described } from "../domain/described.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import type { Market } from "../domain/market.ts";
import { parseDurationMs } from "../domain/setting.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import { type DenialRow, Denials } from "../metrics/denials.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { NOBODY } from "../simulated/simulated-account.ts";
import type { Decision, StrategyDefinition } from "../strategy/contract.ts";
import { scriptedFills } from "./scripted-market.ts";
import { type TestTrade, type TrialHistory, type TrialOptions, trialSetup } from "./setup.ts";
import {
  type TestOrder,
  testTrade,
  TrialMarket,
  type TestStop,
  type TrialWorld,
} from "./trial-market.ts";

/** Virtual start time, chosen arbitrarily: a trial never reads a clock. */
const START_MS = unixMs(1_767_225_600_000);

/**
 * Runs a strategy in a market that the test moves, with the kernel, planner, risk gate and simulated venue of every mode, in virtual
 * time. It assumes that the book of the test is whole, that a new order is last at its price, that nobody reacts to it, and, unless
 * `latency` says otherwise, that nothing takes time. Each call returns after the strategy has seen its effects. It throws an error that
 * the strategy throws, and TouchlineError `STRATEGY_FAILED` when it returns something that is not a decision, for example a Promise.
 */
export class StrategyTrial<Role extends string = string> {
  /** Its markets by its names for them. What the trial itself does and has is that of `main`. */
  readonly markets: Readonly<Record<Role | typeof OWN_MARKET, TrialMarket>>;
  readonly #main: TrialMarket;
  /** What the simulated venue assumes: its queue, delays and fees, as in a replay's result. */
  readonly models: UsedModels;
  readonly #bot: VirtualBot;
  readonly #denials = new Denials();
  readonly #name: string;
  #decision: Decision | undefined;
  #thrown: { readonly error: unknown } | undefined;
  /** Why the strategy failed, in the kernel's words. */
  #fault: string | undefined;
  #ids = 0;
  readonly #feedMs: number;
  readonly #sources: readonly string[];

  constructor(definition: StrategyDefinition, options: TrialOptions, keccak256: Keccak256) {
    const { byRole, delays, ...setup } = trialSetup(this.#keepingDecisions(definition), options);
    this.#name = definition.name;
    this.models = setup.usedModels;
    this.#feedMs = delays.feed;
    this.#sources = Object.keys(options.sources ?? {});
    const models = { ...setup.models, fills: scriptedFills };
    this.#bot = new VirtualBot({ ...setup, models }, keccak256, {
      block: (block, orders) => this.#keepFills(block, orders),
      decided: () => undefined,
      stepped: ({ notes }) => {
        for (const note of notes) {
          if (note.type === "strategyFault") this.#fault = note.message;
          else if (note.type === "denied") this.#denials.note(note);
        }
      },
    });
    const world: TrialWorld = { bot: this.#bot, act: (what) => this.#act(what) };
    const markets = [...byRole].map(
      ([role, market]) => [role, new TrialMarket(market, world)] as const,
    );
    this.markets = Object.fromEntries(markets) as typeof this.markets;
    this.#main = this.markets[OWN_MARKET];
    this.#playHistory(options.history ?? {});
    this.#bot.start(START_MS);
    // The reads of a start one after the other.
    this.#runUntil(unixMs(START_MS + 20 * (delays.entry + delays.response)));
  }

  /** Virtual time. */
  get nowMs(): UnixMs {
    return this.#bot.nowMs;
  }

  get market(): Market {
    return this.#main.market;
  }

  /** As `TrialMarket.book` and `trade` of `main`. */
  book(levels: Parameters<TrialMarket["book"]>[0]): Decision {
    return this.#main.book(levels);
  }

  trade(trade: TestTrade): Decision {
    return this.#main.trade(trade);
  }

  get orders(): readonly TestOrder[] {
    return this.#main.orders;
  }

  get stops(): readonly TestStop[] {
    return this.#main.stops;
  }

  get fills(): readonly TestTrade[] {
    return this.#main.fills;
  }

  get takeFills(): readonly TestTrade[] {
    return this.#main.takeFills;
  }

  get balances(): TrialMarket["balances"] {
    return this.#main.balances;
  }

  /**
   * A price source gives a price, or bid and ask, a millisecond later. Returns the newest decision, if there is one. Throws TouchlineError
   * `USAGE` for a source that the options do not name.
   */
  source(name: string, bid: number, ask: number = bid): Decision | undefined {
    if (!this.#sources.includes(name)) {
      const known = this.#sources.join(", ");
      throw new TouchlineError("USAGE", `${name} is not one of the trial's sources: ${known}.`, {
        hint: `Name it in the options: sources: { ${name}: {} }.`,
      });
    }
    const atMs = unixMs(this.nowMs + 1);
    this.#runUntil(unixMs(this.nowMs));
    this.#bot.advanceTo(atMs, () => this.#bot.push({ type: "source", name, bid, ask }));
    this.#runUntil(atMs);
    return this.#decision;
  }

  /** Moves the time forward by a duration such as `"500ms"`, `"20s"` or `"5m"`. Returns the newest decision. */
  wait(duration: string): Decision {
    const ms = parseDurationMs(duration);
    if (ms === undefined) {
      throw new TouchlineError("USAGE", `${duration} is not a duration, such as 500ms, 20s or 5m.`);
    }
    this.#runUntil(unixMs(this.nowMs + ms));
    return this.decision;
  }

  /** The strategy's newest decision. Throws TouchlineError `NOT_ASKED` before the first one. */
  get decision(): Decision {
    if (this.#decision === undefined) {
      throw new TouchlineError(
        "NOT_ASKED",
        "The strategy has not decided anything yet: give it a book first.",
      );
    }
    return this.#decision;
  }

  /** The strategy's own numbers now (`describe`). */
  get described(): Described {
    return this.#bot.described.get(this.#name) ?? {};
  }

  /** Orders that the risk rules denied so far, by rule. */
  get denied(): readonly DenialRow[] {
    return this.#denials.rows();
  }

  #keepingDecisions(definition: StrategyDefinition): StrategyDefinition {
    return {
      ...definition,
      init: (input) => definition.init(input),
      decide: (input) => {
        try {
          this.#decision = definition.decide(input);
        } catch (error) {
          this.#thrown = { error };
          throw error;
        }
        return this.#decision;
      },
    };
  }

  #act(what: (atMs: UnixMs, id: number) => void): Decision {
    this.#ids += 1;
    const atMs = unixMs(this.nowMs + 1);
    this.#runUntil(unixMs(this.nowMs));
    this.#bot.advanceTo(atMs, () => what(atMs, this.#ids));
    this.#runUntil(unixMs(atMs + this.#feedMs));
    return this.decision;
  }

  #runUntil(untilMs: UnixMs): void {
    while (this.#bot.nextMs <= untilMs) {
      this.#bot.advanceTo(unixMs(this.#bot.nextMs), () => undefined);
      this.#rethrow();
    }
    if (this.nowMs < untilMs) this.#bot.advanceTo(untilMs, () => undefined);
    this.#rethrow();
  }

  #rethrow(): void {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined) throw thrown.error;
    if (this.#fault !== undefined) {
      throw new TouchlineError("STRATEGY_FAILED", `The strategy failed: ${this.#fault}.`);
    }
    const { finished } = this.#bot;
    if (finished !== undefined) {
      throw new TouchlineError("BOT_STOPPED", `The bot stopped by itself: ${finished.reason}.`);
    }
  }

  #playHistory({ resolution = "1", candles = [], trades = [] }: TrialHistory): void {
    const { marketId } = this.market;
    const { venue } = this.#bot;
    const { intervalMs } = new CandleSeries(resolution, 0);
    for (const [at, candle] of candles.entries()) {
      const timeMs = unixMs(START_MS - (candles.length - at) * intervalMs);
      venue.addCandle(marketId, { ...candle, timeMs });
    }
    for (const [at, trade] of trades.entries()) {
      const atMs = unixMs(START_MS - (trades.length - at));
      venue.play(
        marketId,
        { type: "trade", atMs, trade: testTrade(this.market, trade, atMs, at) },
        atMs,
      );
    }
  }

  #keepFills(block: Block, orders: OwnOrders): void {
    for (const { order, fill } of block.orderEvents) {
      if (fill === undefined || order.account !== NOBODY) continue;
      const { side, marketId } = fill;
      const market = Object.values<TrialMarket>(this.markets).find(
        (one) => one.market.marketId === marketId,
      );
      const quote = {
        side,
        price: fixedToNumber(fill.price),
        quantity: fixedToNumber(fill.quantity),
      };
      market?.filled(quote, orders.byId(order.orderId)?.role === "take");
    }
  }
}

/**
 * Runs a strategy in a simulated market of its own. Rejects with TouchlineError `PARAMS_INVALID` when the strategy's schema
 * refuses `params`, `FEES_INVALID` for invalid fees, and `OPTIONS_INVALID` for other options.
 */
export async function tryStrategy<Schema extends z.ZodType, State, Role extends string>(
  definition: StrategyDefinition<Schema, State, Role>,
  options: TrialOptions<z.input<Schema>> = {},
): Promise<StrategyTrial<Role>> {
  return new StrategyTrial<Role>(definition, options, await loadKeccak256());
}
