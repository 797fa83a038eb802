import type { MarketId } from "../../domain/ids.ts";
import type { Fill } from "../../domain/order.ts";
import type { Side } from "../../domain/side.ts";
import type { Plan } from "../../execution/planner.ts";
import type { Position } from "../../orders/position.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { SetDecision } from "../../strategy/contract.ts";
import type { BookView, PublicTrade } from "../../strategy/view.ts";
import type { MarketState } from "../market-state.ts";
import type { QuoteMode } from "../risk/risk-state.ts";
import { NamedOrders, stopNames } from "../named-orders.ts";
import { SlotTakes } from "../takes/slot-takes.ts";
import { noTargets, type TargetQuote, type Targets, targetsOf } from "../targets.ts";
import type { StrategyRunner } from "./strategy-runner.ts";

/** Most public trades that are kept for one decision; the oldest are dropped first. */
const MAX_TRADES = 10_000;

/** A strategy in one of its markets: its newest targets there, the plan towards them, and what happened since its last decision. */
export class StrategySlot {
  readonly runner: StrategyRunner;
  /** The strategy's own name for the market. */
  readonly role: string;
  readonly market: MarketState;
  readonly position: Position;
  targets: Targets = noTargets;
  /** The strategy has set targets in this run. */
  hasDecided = false;
  readonly stops = new NamedOrders(stopNames);
  readonly takes = new SlotTakes();
  /**
   * The fewest changes towards the targets, sent as the rate budget allows. Planned once per decision, and again when `needsPlan` or a
   * pull says so: a partial fill alone replaces nothing.
   */
  plan: Plan<TargetQuote> | undefined;
  /** The newest plan did not know an order as it is now: one showed up, came into doubt, or is open after its cancel. */
  needsPlan = false;
  /** Its quotes were pulled, for example by a pause or a stale book, and nothing was planned with a book since. */
  pulledNow = false;
  /** Why its quotes are pulled in this step, unless its strategy has failed in it; undefined while they are not. */
  pullReason: string | undefined;
  /** The book that quotes may be set by in this step; undefined while they are pulled or there is none. */
  openBook: BookView | undefined;
  /** The decision of this step set its targets. */
  hasNewTargets = false;
  /** The newest decision set targets while there was no book, so that only its stops count. */
  decidedWithoutBook = false;
  /** Its quotes were pulled, and the strategy has not set new ones since. */
  quotesPulled = false;
  /** What the risk ladder or an old price source does to its quotes. */
  quoteMode: QuoteMode = "free";
  /** The newest intent when the ladder last started or stopped restricting quotes: orders up to it serve no quote any more. */
  outdatedTo = Number.NEGATIVE_INFINITY;
  trades: PublicTrade[] = [];
  fills: { readonly fill: Fill; readonly order: TrackedOrder }[] = [];
  /** Until when a side waits after a refused placement, and how many were refused in a row. */
  readonly cooldown: Record<Side, { untilMs: number; refusals: number }> = {
    BUY: { untilMs: 0, refusals: 0 },
    SELL: { untilMs: 0, refusals: 0 },
  };
  /** When targets were last set, and when before that; 0 before. */
  decidedMs = 0;
  lastDecidedMs = 0;
  /** Mid of the newest plan with a book; 0 without one. Tolerances are shares of it. */
  plannedMid = 0;
  /** Requests a second that its newest plan stands for, if each decision causes as many. */
  demand = 0;
  /** When a side last sent a quote, or the strategy a stop, and in which turn (`RequestState.turn`). */
  readonly sent: Record<Side | "stops", { turn: number; atMs: number }> = {
    BUY: { turn: 0, atMs: 0 },
    SELL: { turn: 0, atMs: 0 },
    stops: { turn: 0, atMs: 0 },
  };
  /** Why quotes of the newest plan could not be sent, by side. */
  readonly held: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };
  /** The reason last noted for a side, so that only changes are noted. */
  readonly lastReason: Record<Side, { reason: string | undefined; inPart: boolean }> = {
    BUY: { reason: undefined, inPart: false },
    SELL: { reason: undefined, inPart: false },
  };

  constructor(
    runner: StrategyRunner,
    { role, market, position }: Pick<StrategySlot, "role" | "market" | "position">,
  ) {
    this.runner = runner;
    this.role = role;
    this.market = market;
    this.position = position;
  }

  get marketId(): MarketId {
    return this.market.market.marketId;
  }

  get name(): string {
    return this.runner.name;
  }

  noteTrade(trade: PublicTrade): void {
    if (this.trades.length >= MAX_TRADES) this.trades.shift();
    this.trades.push(trade);
    this.runner.news.market = true;
  }

  noteFill(fill: Fill, order: TrackedOrder): void {
    this.fills.push({ fill, order });
    this.takes.noteFill(fill, order);
    this.runner.news.orders = true;
  }

  /**
   * Everything that the strategy returned is read in here, and copied. Quotes for a market without a book to quote by are not taken.
   * Throws TypeError for what the contract does not allow.
   */
  setTargets(decision: SetDecision, nowMs: number): void {
    const rules = rulesOf(this.market.market);
    const targets = targetsOf(decision, rules);
    this.hasDecided = true;
    this.stops.applyTargets(targets.stops, nowMs);
    this.takes.setTargets(decision, rules, nowMs);
    if (this.openBook === undefined) {
      this.targets = { ...this.targets, stops: targets.stops };
      this.decidedWithoutBook = true;
      return;
    }
    this.targets = targets;
    this.lastDecidedMs = this.decidedMs;
    this.decidedMs = nowMs;
    this.quotesPulled = false;
    this.hasNewTargets = true;
  }

  /** The strategy has failed. */
  dropTargets(): void {
    this.targets = noTargets;
    this.takes.drop();
  }

  /** A decision has seen what happened. A view that the strategy keeps still shows its own lists. */
  forgetNews(): void {
    if (this.trades.length > 0) this.trades = [];
    if (this.fills.length > 0) this.fills = [];
  }

  /**
   * Its quotes are being pulled. The target quotes go with them: their prices are of the market before the pull, so only a decision
   * after it places quotes again, and takes with them. Target stops stay in force.
   */
  pull(): void {
    if (this.pulledNow) return;
    this.pulledNow = true;
    this.quotesPulled = this.hasDecided;
    this.demand = 0;
    this.takes.drop();
    this.targets = { ...this.targets, quotes: [], reason: pulledReason };
  }
}

/** Shown while a strategy answers a pull with `keepQuotes()`, which keeps none. */
const PULLED = "its quotes were pulled, and it has set none since";
const pulledReason: Targets["reason"] = { BUY: PULLED, SELL: PULLED };
