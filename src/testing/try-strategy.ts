import type { z } from "zod";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { VirtualBot } from "../backtest/virtual-bot.ts";
import { addFixed, fixedText, fixedToNumber, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { parseDurationMs } from "../domain/setting.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import { loadCrypto } from "../platform/crypto.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { NOBODY } from "../simulated/simulated-account.ts";
import type { Decision, StrategyDefinition } from "../strategy/contract.ts";
import { type TrialOptions, trialSetup } from "./setup.ts";

/** A price level of others: `[price, quantity]`. */
export type TestLevel = readonly [price: number, quantity: number];

/** An order of the strategy that rests, or an execution of one; numbers, to be compared in tests. */
export interface TestQuote {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
}

/** A stop order, or stop-loss leg, that waits for a trade. */
export interface TestStop {
  readonly side: Side;
  readonly stopPrice: number;
  /** Limit price; 0 for a market order. */
  readonly price: number;
  readonly quantity: number;
}

/** Any time will do; a trial never reads a clock. */
const START_MS = unixMs(1_767_225_600_000);
/** Steps that one moment may take: more means that the strategy and its market chase each other for ever. */
const MOMENT_STEPS = 10_000;
const nothing = { locked: ZERO, unlocked: ZERO };

/**
 * A strategy at work in a market that the test moves: the same kernel, planner, risk gate and exchange as everywhere, in
 * virtual time, where commands and news take no time at all. Each call returns when everything that follows of it has
 * happened. What the strategy throws is thrown by the call.
 */
export class StrategyTrial {
  readonly market: Market;
  readonly #bot: VirtualBot;
  readonly #fills: TestQuote[] = [];
  #decision: Decision | undefined;
  #thrown: { readonly error: unknown } | undefined;
  #ids = 0;

  constructor(definition: StrategyDefinition, options: TrialOptions, keccak256: Keccak256) {
    const { market, ...setup } = trialSetup(this.#watched(definition), options);
    this.market = market;
    this.#bot = new VirtualBot(setup, keccak256, {
      block: (block) => this.#note(block),
      decided: () => undefined,
      stepped: () => undefined,
    });
    this.#bot.start(START_MS);
    this.#runUntil(START_MS);
  }

  /** Virtual time. */
  get nowMs(): UnixMs {
    return this.#bot.nowMs;
  }

  /** The whole book of all others, a millisecond later; gives the newest decision. */
  book(levels: {
    readonly bids: readonly TestLevel[];
    readonly asks: readonly TestLevel[];
  }): Decision {
    const { marketId } = this.market;
    this.#happen((atMs, lastId) => ({
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

  /** Somebody sells into the bids, or buys from the asks, up to a price, a millisecond later; what crosses our orders fills them. */
  trade(trade: TestQuote): Decision {
    const { marketId } = this.market;
    this.#happen((atMs, id) => ({
      type: "trade",
      atMs,
      trade: {
        marketId,
        tradeId: String(id),
        price: trade.price,
        quantity: trade.quantity,
        timeMs: atMs,
        isBuyerMaker: trade.side === "SELL",
      },
    }));
    return this.decision;
  }

  /** Lets time go by: `"500ms"`, `"20s"`, `"5m"`. */
  wait(duration: string): Decision {
    const ms = parseDurationMs(duration);
    if (ms === undefined) {
      throw new TouchlineError("USAGE", `${duration} is not a duration, write 500ms, 20s or 5m.`);
    }
    this.#runUntil(unixMs(this.nowMs + ms));
    return this.decision;
  }

  /** What the strategy said last. */
  get decision(): Decision {
    if (this.#decision === undefined) {
      throw new TouchlineError(
        "NOT_ASKED",
        "The strategy was not asked yet: give it a book first.",
      );
    }
    return this.#decision;
  }

  /** Its orders that rest at the exchange, best first, bids before asks; a take profit once its quote is filled. */
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

  /** Its stop orders, and stop losses of filled quotes, that wait at the exchange, highest stop price first. */
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

  /** Its executions, oldest first. */
  get fills(): readonly TestQuote[] {
    return this.#fills;
  }

  /** What the account has, decimal text, with what its orders hold. */
  get balances(): { readonly base: string; readonly quote: string } {
    const held = this.#bot.venue.exchange.balances(NOBODY);
    const of = (token: TokenId): string => {
      const { locked, unlocked } = held.find((each) => each.tokenId === token) ?? nothing;
      return fixedText(addFixed(locked, unlocked));
    };
    return { base: of(this.market.baseToken), quote: of(this.market.quoteToken) };
  }

  #watched(definition: StrategyDefinition): StrategyDefinition {
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

  #happen(event: (atMs: UnixMs, id: number) => MarketEvent): void {
    this.#ids += 1;
    const atMs = unixMs(this.nowMs + 1);
    this.#runUntil(unixMs(this.nowMs));
    this.#bot.moment(atMs, () => {
      this.#bot.venue.play(this.market.marketId, event(atMs, this.#ids), atMs);
    });
    this.#runUntil(atMs);
  }

  #runUntil(untilMs: UnixMs): void {
    let steps = 0;
    let lastMs = this.nowMs;
    while (this.#bot.nextMs <= untilMs) {
      this.#bot.moment(unixMs(this.#bot.nextMs), () => undefined);
      this.#rethrow();
      steps = this.nowMs === lastMs ? steps + 1 : 0;
      lastMs = this.nowMs;
      assert(steps < MOMENT_STEPS, "every moment ends");
    }
    if (this.nowMs < untilMs) this.#bot.moment(untilMs, () => undefined);
    this.#rethrow();
  }

  #rethrow(): void {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined) throw thrown.error;
    const { finished } = this.#bot;
    if (finished !== undefined) {
      throw new TouchlineError("BOT_STOPPED", `The bot stopped by itself: ${finished.reason}.`);
    }
  }

  #note(block: Block): void {
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

/**
 * Puts a strategy into a market of its own. `params` as in the YAML; rejects with TouchlineError `PARAMS_INVALID` when its
 * schema refuses them.
 */
export async function tryStrategy<Schema extends z.ZodType, State>(
  definition: StrategyDefinition<Schema, State>,
  options: TrialOptions<z.input<Schema>> = {},
): Promise<StrategyTrial> {
  const crypto = await loadCrypto();
  return new StrategyTrial(definition, options, (bytes) => crypto.keccak256(bytes));
}
