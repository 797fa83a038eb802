import { assert } from "../../base/assert.ts";
import { Decimal, decimalOf } from "../../domain/decimal.ts";
import { fixedToNumber, minFixed, ZERO } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { UnixMs } from "../../domain/time.ts";
import { roleOf } from "../../orders/bracket.ts";
import type { Position } from "../../orders/position.ts";
import { snapshotOf } from "../../orders/snapshot-of.ts";
import { remainingOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { Standing } from "../../risk/ladder.ts";
import type {
  BookView,
  MarketView,
  OwnFill,
  OwnLeg,
  OwnOrder,
  OwnStop,
  OwnTake,
  PositionView,
  RiskView,
} from "../../strategy/view.ts";
import { ownTakes } from "../takes/take-view.ts";
import { ownLegs, ownStops, ownTpsl } from "./contingent-view.ts";
import { candlesView } from "../history.ts";
import { queueAhead } from "../orders/queue-ahead.ts";
import { budgetLeft } from "../risk/budget.ts";
import { sourceViews } from "../sources/sources.ts";
import { standingOf } from "../risk/risk-state.ts";
import { contingentOf, quotesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import { badSize, readSize } from "./read-amount.ts";
import type { StrategySlot } from "./strategy-slot.ts";

/** What a strategy sees at one decision, by market, its own first. Amounts become Decimal only when they are read. */
export function makeView(state: KernelState, slots: readonly StrategySlot[]): MarketView {
  const [own] = slots;
  assert(own !== undefined, "a strategy has a market");
  if (slots.length === 1) return new View(state, own);
  const markets: Record<string, View> = {};
  for (const slot of slots) markets[slot.role] = new View(state, slot);
  for (const one of Object.values(markets)) one.byRole = markets;
  return markets[own.role] as View;
}

/** The book of a market that has none to quote by: no price is better than an old one. */
const NO_BOOK: BookView = Object.freeze({
  best: () => undefined,
  level: () => undefined,
  levels: () => [],
  priceFor: () => undefined,
  averageFor: () => undefined,
  quantityTo: () => 0,
  mid: undefined,
  weightedMid: undefined,
  spread: undefined,
});

/** A class, because creating an object literal with getters costs as much as a small decision. */
class View implements MarketView {
  readonly nowMs: UnixMs;
  readonly market: Market;
  readonly book: BookView;
  readonly isFresh: boolean;
  readonly position: PositionView;
  readonly rules: MarketRules;
  readonly quotesPulled: boolean;
  readonly risk: RiskView;
  readonly #state: KernelState;
  readonly #slot: StrategySlot;
  readonly #quotes: readonly TrackedOrder[];
  readonly #contingent: readonly TrackedOrder[];
  /** The runner starts new lists after each decision; a view that the strategy keeps still shows its own. */
  readonly #trades: StrategySlot["trades"];
  readonly #fills: StrategySlot["fills"];
  #orders: readonly OwnOrder[] | undefined;
  #sourceViews: MarketView["sources"] | undefined;

  constructor(state: KernelState, slot: StrategySlot) {
    const { openBook: book = NO_BOOK } = slot;
    const { market } = slot.market;
    const standing = standingOf(state, slot);
    this.nowMs = state.nowMs;
    this.market = market;
    this.book = book;
    this.isFresh = slot.openBook !== undefined;
    this.rules = rulesOf(market);
    this.quotesPulled = slot.quotesPulled;
    this.risk = standing === undefined ? normalRisk : riskView(standing);
    this.position = new PositionNow(slot.position, book);
    this.#state = state;
    this.#slot = slot;
    this.#quotes = quotesOf(state, slot);
    this.#contingent = contingentOf(state, slot);
    this.#trades = slot.trades;
    this.#fills = slot.fills;
  }

  /** The views of all markets of the strategy, set when it has several. */
  byRole: Readonly<Record<string, MarketView>> | undefined;

  get markets(): Readonly<Record<string, MarketView>> {
    return this.byRole ?? { [this.#slot.role]: this };
  }

  /** Getters of functions instead of methods, so that strategies may destructure them. */
  get minSize(): (price: number) => Decimal {
    const { minSizeAt } = this.rules;
    return (price) => decimalOf(minSizeAt(price));
  }

  get roundDown(): (price: number) => number {
    return this.rules.roundDown;
  }

  get roundUp(): (price: number) => number {
    return this.rules.roundUp;
  }

  get roundSize(): (size: string | Decimal) => Decimal {
    const { roundSize } = this.rules;
    return (size) => {
      const exact = readSize(size);
      if (exact === undefined) throw badSize(size, "a size");
      return decimalOf(roundSize(exact));
    };
  }

  get makerFee(): number {
    return fixedToNumber(this.market.makerFee);
  }

  get takerFee(): number {
    return fixedToNumber(this.market.takerFee);
  }

  /** Every strategy of the market gets the same objects, so they are frozen. */
  get trades(): MarketView["trades"] {
    for (const trade of this.#trades) Object.freeze(trade);
    return this.#trades;
  }

  get fills(): readonly OwnFill[] {
    return this.#fills.map(ownFill);
  }

  get orders(): readonly OwnOrder[] {
    this.#orders ??= this.#quotes.map((order) =>
      ownOrder(order, this.nowMs, queueAhead(order, this.#slot)),
    );
    return this.#orders;
  }

  get legs(): readonly OwnLeg[] {
    return ownLegs(this.#contingent);
  }

  get stops(): readonly OwnStop[] {
    return ownStops(this.#slot);
  }

  get latency(): MarketView["latency"] {
    return this.#state.latency.percentiles();
  }

  get candles(): MarketView["candles"] {
    const state = this.#state;
    const slot = this.#slot;
    return (resolution) => candlesView(state, slot, resolution);
  }

  get sources(): MarketView["sources"] {
    const state = this.#state;
    const slot = this.#slot;
    this.#sourceViews ??= sourceViews(state, slot.runner.sources);
    return this.#sourceViews;
  }

  get takes(): readonly OwnTake[] {
    return ownTakes(this.#slot);
  }

  get balance(): MarketView["balance"] {
    const state = this.#state;
    const slot = this.#slot;
    const { baseToken, quoteToken } = this.market;
    return (token) => {
      const tokenId = token === "base" ? baseToken : quoteToken;
      const total = state.balances.total(tokenId);
      const free = state.balances.free(tokenId, state.orders.live());
      if (total === undefined || free === undefined) return undefined;
      const own = budgetLeft(state, slot, tokenId);
      if (own === undefined) return { free: decimalOf(free), total: decimalOf(total) };
      return {
        free: decimalOf(minFixed(free, own.free)),
        total: decimalOf(minFixed(total, own.total)),
      };
    };
  }

  get budget(): MarketView["budget"] {
    const state = this.#state;
    const slot = this.#slot;
    const of = (token: TokenId): Decimal | undefined => {
      const own = budgetLeft(state, slot, token);
      return own && decimalOf(own.budget);
    };
    return { base: of(this.market.baseToken), quote: of(this.market.quoteToken) };
  }
}

const normalRisk: RiskView = Object.freeze({ step: "normal" });

function riskView({ step, trigger, text }: Standing): RiskView {
  return { step, ...(trigger === undefined ? {} : { trigger }), reason: text };
}

function ownFill({ fill, order }: StrategySlot["fills"][number]): OwnFill {
  return {
    order: order.intent,
    role: roleOf(order),
    ...(order.stopName === undefined ? {} : { stop: order.stopName }),
    ...(order.take === undefined ? {} : { take: order.take.name }),
    ...(order.key === undefined ? {} : { key: order.key }),
    side: fill.side,
    price: decimalOf(fill.price),
    quantity: decimalOf(fill.quantity),
    isMaker: fill.isMaker,
    isComplete: remainingOf(order) === ZERO,
    timeMs: fill.timeMs,
  };
}

function ownOrder(tracked: TrackedOrder, nowMs: UnixMs, ahead: number | undefined): OwnOrder {
  const order = snapshotOf(tracked);
  const { state, tpsl, key } = order;
  return {
    id: order.intent,
    ...(key === undefined ? {} : { key }),
    side: order.side,
    price: order.price,
    remaining: decimalOf(order.remaining),
    executed: decimalOf(order.executed),
    ageMs: nowMs - order.madeAtMs,
    queueAhead: ahead,
    isWorking: state === "working",
    isLeaving: state === "canceling",
    ...(tpsl === undefined ? {} : { tpsl: ownTpsl(tpsl) }),
  };
}

class PositionNow implements PositionView {
  readonly #position: Position;
  readonly #book: BookView;

  constructor(position: Position, book: BookView) {
    this.#position = position;
    this.#book = book;
  }

  get base(): Decimal {
    return decimalOf(this.#position.base);
  }

  get averagePrice(): Decimal | undefined {
    return this.#position.averagePrice;
  }

  get realisedPnl(): Decimal {
    return this.#position.realisedPnl;
  }

  get unrealisedPnl(): Decimal | undefined {
    const { mid } = this.#book;
    return mid === undefined ? undefined : this.#position.unrealisedPnl(new Decimal(mid));
  }
}
