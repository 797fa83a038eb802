import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import type { UsedModels } from "../backtest/used-models.ts";
import { VirtualBot } from "../backtest/virtual-bot.ts";
import { addFixed, fixedText, fixedToNumber, ZERO } from "../domain/fixed.ts";
import { CandleSeries } from "../domain/candle-series.ts";
import type { Trade } from "../domain/depth.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { parseDurationMs } from "../domain/setting.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { isUsable } from "../exchange/recorded-side.ts";
import type { Block } from "../exchange/records.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { NOBODY } from "../simulated/simulated-account.ts";
import type { Decision, StrategyDefinition } from "../strategy/contract.ts";
import type { Described } from "../domain/described.ts";
import { type DenialRow, Denials } from "../metrics/denials.ts";
import { scriptedFills } from "./scripted-market.ts";
import { type TestQuote, type TrialHistory, type TrialOptions, trialSetup } from "./setup.ts";

/** A price level of other accounts' orders: `[price, quantity]`. */
export type TestLevel = readonly [price: number, quantity: number];

/** A stop order or stop-loss leg that waits for its trigger. */
export interface TestStop {
  readonly side: Side;
  readonly stopPrice: number;
  /** Limit price; 0 for a stop-market order. */
  readonly price: number;
  readonly quantity: number;
}

/** Virtual start time, chosen arbitrarily: a trial never reads a clock. */
const START_MS = unixMs(1_767_225_600_000);
const nothing = { locked: ZERO, unlocked: ZERO };

/**
 * Runs a strategy in a market that the test moves, with the kernel, planner, risk gate and simulated venue of every mode, in virtual
 * time. It assumes that the book of the test is whole, that a new order is last at its price, that nobody reacts to it, and, unless
 * `latency` says otherwise, that nothing takes time. Each call returns after the strategy has seen its effects. It throws an error that
 * the strategy throws, and TouchlineError `STRATEGY_FAILED` when it returns something that is not a decision, for example a Promise.
 */
export class StrategyTrial {
  readonly market: Market;
  /** What the simulated venue assumes: its queue, delays and fees, as in a replay's result. */
  readonly models: UsedModels;
  readonly #bot: VirtualBot;
  readonly #fills: TestQuote[] = [];
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
    const { market, delays, ...setup } = trialSetup(this.#keepingDecisions(definition), options);
    this.market = market;
    this.#name = definition.name;
    this.models = setup.usedModels;
    this.#feedMs = delays.feed;
    this.#sources = Object.keys(options.sources ?? {});
    const models = { ...setup.models, fills: scriptedFills };
    this.#bot = new VirtualBot({ ...setup, models }, keccak256, {
      block: (block) => this.#keepFills(block),
      decided: () => undefined,
      stepped: ({ notes }) => {
        for (const note of notes) {
          if (note.type === "strategyFault") this.#fault = note.message;
          else if (note.type === "denied") this.#denials.note(note);
        }
      },
    });
    this.#playHistory(options.history ?? {});
    this.#bot.start(START_MS);
    // The reads of a start one after the other.
    this.#runUntil(unixMs(START_MS + 20 * (delays.entry + delays.response)));
  }

  /** Virtual time. */
  get nowMs(): UnixMs {
    return this.#bot.nowMs;
  }

  /** Replaces the book of other accounts' orders, a millisecond later. Returns the newest decision. */
  book(levels: {
    readonly bids: readonly TestLevel[];
    readonly asks: readonly TestLevel[];
  }): Decision {
    const { marketId } = this.market;
    for (const [price, quantity] of [...levels.bids, ...levels.asks]) check(price, quantity);
    this.#play((atMs, lastId) => ({
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
    return this.decision;
  }

  /**
   * Another account trades a millisecond later: `SELL` into the bids or `BUY` from the asks, up to the price, the best levels first. Own
   * orders that it reaches are filled, behind what others have at their price. What the book does not have trades with hidden orders.
   * Returns the newest decision.
   */
  trade(trade: TestQuote): Decision {
    this.#play((atMs, id) => ({ type: "trade", atMs, trade: this.#trade(trade, atMs, id) }));
    return this.decision;
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

  /** The strategy's resting orders: bids before asks, best price first. A take profit rests once its quote is filled. */
  get orders(): readonly TestQuote[] {
    const open = [...this.#bot.orders.live()]
      .filter(({ isResting }) => isResting)
      .map(({ side, price, remaining }) => ({ side, price, quantity: fixedToNumber(remaining) }));
    const of = (side: Side) => open.filter((order) => order.side === side);
    return [
      ...of("BUY").sort((a, b) => b.price - a.price),
      ...of("SELL").sort((a, b) => a.price - b.price),
    ];
  }

  /** The strategy's stop orders, and the stop losses of filled quotes, that wait for their trigger; highest stop price first. */
  get stops(): readonly TestStop[] {
    return [...this.#bot.orders.live()]
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
  get fills(): readonly TestQuote[] {
    return this.#fills;
  }

  /** The strategy's own numbers now (`describe`). */
  get described(): Described {
    return this.#bot.described.get(this.#name) ?? {};
  }

  /** Orders that the risk rules denied so far, by rule. */
  get denied(): readonly DenialRow[] {
    return this.#denials.rows();
  }

  /** The account's balances as decimal text, including amounts locked by orders. */
  get balances(): { readonly base: string; readonly quote: string } {
    const held = this.#bot.venue.exchange.balances(NOBODY);
    const of = (token: TokenId): string => {
      const { locked, unlocked } = held.find((each) => each.tokenId === token) ?? nothing;
      return fixedText(addFixed(locked, unlocked));
    };
    return { base: of(this.market.baseToken), quote: of(this.market.quoteToken) };
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

  #play(event: (atMs: UnixMs, id: number) => MarketEvent): void {
    this.#ids += 1;
    const atMs = unixMs(this.nowMs + 1);
    this.#runUntil(unixMs(this.nowMs));
    this.#bot.advanceTo(atMs, () => {
      this.#bot.venue.play(this.market.marketId, event(atMs, this.#ids), atMs);
    });
    this.#runUntil(unixMs(atMs + this.#feedMs));
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
      venue.play(marketId, { type: "trade", atMs, trade: this.#trade(trade, atMs, at) }, atMs);
    }
  }

  #trade({ price, quantity, side }: TestQuote, timeMs: UnixMs, id: number): Trade {
    check(price, quantity);
    const { marketId } = this.market;
    const isBuyerMaker = side === "SELL";
    return { marketId, tradeId: String(id), price, quantity, timeMs, isBuyerMaker };
  }

  #keepFills(block: Block): void {
    for (const { order, fill } of block.orderEvents) {
      if (fill === undefined || order.account !== NOBODY) continue;
      this.#fills.push({
        side: fill.side,
        price: fixedToNumber(fill.price),
        quantity: fixedToNumber(fill.quantity),
      });
    }
  }
}

function check(price: number, quantity: number): void {
  if (isUsable(price, quantity)) return;
  throw new TouchlineError(
    "USAGE",
    `No order can have the price ${price} and the quantity ${quantity}: prices have at most 8 decimals and 15 digits, and no quantity is negative.`,
  );
}

/**
 * Runs a strategy in a simulated market of its own. Rejects with TouchlineError `PARAMS_INVALID` when the strategy's schema
 * refuses `params`, `FEES_INVALID` for invalid fees, and `OPTIONS_INVALID` for other options.
 */
export async function tryStrategy<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
  options: TrialOptions<z.input<Schema>> = {},
): Promise<StrategyTrial> {
  return new StrategyTrial(definition, options, await loadKeccak256());
}
