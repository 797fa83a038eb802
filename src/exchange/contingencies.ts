import { assert } from "../base/assert.ts";
import { ScratchList } from "../base/scratch-list.ts";
import {
  addFixed,
  fixedToNumber,
  minFixed,
  negFixed,
  subFixed,
  truncFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { isTerminal } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { BlockBuilder } from "./block-builder.ts";
import { needOfLeg, needOfLegs, pairOf } from "./bracket.ts";
import type { Ledger } from "./ledger.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { Execution, Matching, OrderWatch } from "./matching.ts";
import { type ExchangeBracket, givenToken, isLimit, type Order } from "./order.ts";
import { enterMarket } from "./enter-market.ts";
import type { OrderIndex } from "./order-index.ts";
import { isReached } from "./trigger.ts";

/** Decimals of the base quantity of a leg (D25). */
const LEG_DECIMALS = 8;

/** Work that a trade has caused; it runs after the incoming order has finished trading. */
interface Due {
  readonly type: "fire" | "place-legs";
  readonly state: ExchangeMarket;
  readonly order: Order;
}

/**
 * Consequences of trades and cancels (D24, D25): stop orders fire, the legs of a filled take-profit/stop-loss order are placed,
 * and a fill of one leg reduces the other. Reducing and canceling happen at once, so that two legs never sell the same base
 * twice. Fired stops and legs enter the market one by one after the block's first order, within the same block; when there are more than a
 * block may have, the others wait for `makeNextBlock`, in their order.
 */
export class Contingencies implements OrderWatch {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  /** Stop orders and pairs of legs that one block settles at most. */
  perBlock = Number.MAX_SAFE_INTEGER;
  readonly #due = new ScratchList<Due>();
  /** The first element of `#due` that is not settled. */
  #next = 0;
  /** `#due` has elements of an earlier block. */
  #isBehind = false;

  constructor(ledger: Ledger, blocks: BlockBuilder, index: OrderIndex, matching: Matching) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#index = index;
    this.#matching = matching;
  }

  /** Work of an earlier block waits for `makeNextBlock`. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Runs pending work, including work that it causes; called before a block is closed. Work that waits already comes first, in blocks of its own. */
  settle(): void {
    if (!this.#isBehind) this.#settleNext();
  }

  /** Makes a block of work that waits. */
  makeNextBlock(timeMs: UnixMs): void {
    this.#isBehind = false;
    this.#blocks.open(timeMs, undefined);
    this.#blocks.close();
  }

  /** Runs as much pending work as a block may have; stop orders that were canceled meanwhile do not count. */
  #settleNext(): void {
    let settled = 0;
    while (this.#next < this.#due.size && settled < this.perBlock) {
      const { type, state, order } = this.#due.at(this.#next);
      this.#next += 1;
      if (type === "fire" && isTerminal(order.status)) continue;
      if (type === "place-legs") this.#placeLegs(state, order);
      else this.#fire(state, order);
      settled += 1;
    }
    this.#isBehind = this.#next < this.#due.size;
    if (this.#isBehind) return;
    this.#due.clear();
    this.#next = 0;
  }

  // Callbacks of matching.

  printed(state: ExchangeMarket, price: number): void {
    for (const order of state.stops.reached(price)) this.#due.add({ type: "fire", state, order });
  }

  executed(state: ExchangeMarket, order: Order, execution: Execution): void {
    const { bracket } = order;
    if (bracket === undefined) return;
    const { quantity, quote, fee, isMaker } = execution;
    if (order === bracket.working) {
      const base = order.side === "BUY" ? subFixed(quantity, fee) : quantity;
      bracket.base = addFixed(bracket.base, base);
      if (order.status === "FILLED") this.#due.add({ type: "place-legs", state, order });
      return;
    }
    // A resting leg pays from the lock that the pair shares.
    if (isMaker) {
      bracket.locked = subFixed(bracket.locked, order.side === "SELL" ? quantity : quote);
    }
    this.#shrink(state, pairOf(bracket, order), quantity);
    this.#relock(bracket);
  }

  canceled(state: ExchangeMarket, order: Order): void {
    const { bracket } = order;
    if (bracket === undefined) return;
    if (order === bracket.working) {
      this.#cancelLegs(state, bracket);
      return;
    }
    const pair = pairOf(bracket, order);
    if (!isTerminal(pair.status)) this.#matching.cancel(state, pair);
    this.#relock(bracket);
  }

  // Stop orders.

  #fire(state: ExchangeMarket, order: Order): void {
    const { trigger, bracket } = order;
    assert(trigger?.state === "due", "a stop order that a trade has reached");
    trigger.state = "fired";
    order.updatedAtMs = this.#blocks.timeMs;
    const budget = bracket === undefined ? trigger.locked : needOfLeg(order);
    if (!isLimit(order.orderType)) order.budget = budget;
    this.#ledger.unlock(order.account, givenToken(order), trigger.locked);
    trigger.locked = ZERO;
    this.#blocks.orderEvent("TRIGGER", order);
    this.#enter(state, order);
    order.budget = undefined;
  }

  /** Releases the pair's lock while one leg trades, then locks again what both still need. */
  #enter(state: ExchangeMarket, order: Order): void {
    const { bracket } = order;
    if (bracket !== undefined) {
      this.#setLock(bracket, ZERO);
      bracket.isEntering = true;
    }
    enterMarket(this.#matching, state, order);
    if (bracket !== undefined) {
      bracket.isEntering = false;
      this.#relock(bracket);
    }
  }

  // Take profit and stop loss.

  #placeLegs(state: ExchangeMarket, working: Order): void {
    const { bracket } = working;
    assert(bracket !== undefined, "an order with legs");
    const { takeProfit, stopLoss } = bracket;
    working.bracket = undefined;
    // The owner may have canceled the legs before.
    if (isTerminal(takeProfit.status)) return;
    bracket.working = undefined;
    const quantity = working.side === "BUY" ? truncFixed(bracket.base, LEG_DECIMALS) : bracket.base;
    for (const leg of [takeProfit, stopLoss]) {
      leg.quantity = quantity;
      leg.remaining = quantity;
    }
    if (quantity === ZERO) {
      this.#cancelLegs(state, bracket);
      return;
    }
    const unlocked = this.#ledger.unlocked(takeProfit.account, givenToken(takeProfit));
    for (const leg of [takeProfit, stopLoss]) this.#placeLeg(leg, needOfLeg(leg) <= unlocked);
    this.#relock(bracket);
    if (stopLoss.status === "NEW") state.stops.add(stopLoss);
    if (takeProfit.status === "NEW") this.#enter(state, takeProfit);
    this.#fireIfBeyond(state, stopLoss);
  }

  #placeLeg(leg: Order, isCovered: boolean): void {
    leg.updatedAtMs = this.#blocks.timeMs;
    leg.status = isCovered ? "NEW" : "REJECTED";
    if (isCovered) this.#index.add(leg);
    else this.#index.end(leg);
    this.#blocks.orderEvent(isCovered ? "NEW" : "REJECTED", leg);
  }

  /** Fires the stop loss at placement when the last trade is already at its price or beyond (D25). */
  #fireIfBeyond(state: ExchangeMarket, stopLoss: Order): void {
    const { trigger } = stopLoss;
    const last = state.trades.newest();
    if (trigger?.state !== "waiting" || last === undefined) return;
    if (!isReached(trigger.fires, fixedToNumber(trigger.price), last.price)) return;
    state.stops.remove(stopLoss);
    trigger.state = "due";
    this.#due.add({ type: "fire", state, order: stopLoss });
  }

  #cancelLegs(state: ExchangeMarket, { takeProfit, stopLoss }: ExchangeBracket): void {
    for (const leg of [takeProfit, stopLoss]) {
      if (!isTerminal(leg.status)) this.#matching.cancel(state, leg);
    }
  }

  /** Reduces a leg by what the other filled, and cancels it when nothing is left. */
  #shrink(state: ExchangeMarket, leg: Order, filled: Fixed): void {
    if (isTerminal(leg.status)) return;
    const part = minFixed(leg.remaining, filled);
    leg.remaining = subFixed(leg.remaining, part);
    if (leg.level !== undefined) this.#matching.resize(state, leg, leg.level, negFixed(part));
    if (leg.remaining === ZERO) this.#matching.cancel(state, leg);
  }

  #relock(bracket: ExchangeBracket): void {
    if (!bracket.isEntering) this.#setLock(bracket, needOfLegs(bracket));
  }

  #setLock(bracket: ExchangeBracket, amount: Fixed): void {
    const { takeProfit, locked } = bracket;
    const token = givenToken(takeProfit);
    if (amount > locked) this.#ledger.lock(takeProfit.account, token, subFixed(amount, locked));
    else this.#ledger.unlock(takeProfit.account, token, subFixed(locked, amount));
    bracket.locked = amount;
  }
}
