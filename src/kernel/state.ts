import { assert } from "../base/assert.ts";
import { BookSync } from "../book/book-sync.ts";
import { BookLessOwn } from "../book/book-view.ts";
import type { ReadableBook } from "../book/level-book.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import { NONCE_AHEAD_MAX_MS, NonceAllocator } from "../execution/nonce.ts";
import { RateBudget } from "../execution/rate-budget.ts";
import { BalanceLedger } from "../orders/balance-ledger.ts";
import { Balances } from "../orders/balances.ts";
import { NonceExpiry } from "../orders/nonce-expiry.ts";
import type { CarriedItem } from "../orders/carried.ts";
import { OrderTracker } from "../orders/order-tracker.ts";
import type { Position } from "../orders/position.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { PositionBook } from "../orders/position-book.ts";
import { RiskGate } from "../risk/gate.ts";
import { limitsFor } from "../risk/settings.ts";
import type { BookView } from "../strategy/view.ts";
import type { KernelConfig } from "./config.ts";
import { BookFact } from "./freshness/book-fact.ts";
import { type Facts, makeFacts } from "./freshness/facts.ts";
import { type DoubtState, makeDoubts } from "./impossible/doubt-state.ts";
import { newTouch, type Touch } from "./impossible/touch.ts";
import type { LostSpan, RestoredOrder } from "./input.ts";
import type { Note } from "./note.ts";
import { type DerivedState, makeDerived } from "./risk/missing-limits.ts";
import { makeRiskState, type RiskState } from "./risk/risk-state.ts";
import { newOtherBots, type OtherBots } from "./other-bots.ts";
import { ReadSchedule } from "./read-schedule.ts";
import { makeStandby, type StandbyState } from "./standby/standby-state.ts";
import { StrategyRunner } from "./strategy/strategy-runner.ts";

/** One market that a strategy works in. */
export interface MarketState {
  /** Its fees are those of the venue's newest list of markets. */
  market: Market;
  /** How many lists of markets in a row did not list it, 2 at most. */
  unlistedReads: number;
  readonly touch: Touch;
  readonly sync: BookSync;
  /** How old the book is. */
  readonly book: BookFact;
  /** What `bookLessOwn` gives; made when it is first read. */
  lessOwn: BookLessOwn | undefined;
  /** Since when the book cannot be read; undefined while it can. */
  blindSinceMs: number | undefined;
  /** Price of the newest public trade; undefined before the first. */
  lastTrade: number | undefined;
  /** `dueSinceMs`: since when the live book has changed without a comparison; undefined when it has not. */
  readonly audit: { dueSinceMs: number | undefined; hasWarned: boolean };
  readonly others: OtherBots;
  /** When the newest public trade came that names its orders, our clock; -Infinity before the first. */
  namedTradeMs: number;
  /** When the book is next looked at for own orders, and since when it lacks some; Infinity while it does not. */
  levelsMs: number;
  lacksSinceMs: number;
}

/** A strategy with its position in its market. */
export interface StrategySlot {
  readonly runner: StrategyRunner;
  readonly position: Position;
  /** The limit of the rule `stale-book` in its market; Infinity when the configuration turns the rule off. */
  readonly staleMs: number;
}

/**
 * starting ──▶ running ──▶ stopping ──▶ finished
 *
 * `starting`: streams, open orders, balances, venue clock or the probe are still missing; nothing is quoted.
 * `stopping`: own orders are canceled and queried until none is left.
 */
export type Phase = "starting" | "running" | "stopping" | "finished";

/** What the operator told the whole bot. */
export interface OperatorState {
  isPaused: boolean;
  /** Why an operator halted the bot; undefined unless it is halted. */
  haltReason: string | undefined;
}

/** The way to the end of the run; everything is undefined before. */
export interface EndingState {
  /** Why the bot stops, and whether that is a normal end. */
  reason: { readonly ok: boolean; readonly text: string } | undefined;
  /** Orders that the plans want open stay open, unless a failure ends the run. */
  keepsOrders: boolean;
  /** A code for the failure that ends the run, where there is one. */
  code: string | undefined;
  sinceMs: number | undefined;
  /** When the wait for own orders ends. */
  byMs: number | undefined;
  /** The number of the final list of open orders, which follows the end of the last of ours. */
  finalList: number | undefined;
}

/** The lists of open orders and of own fills. */
export interface ListState {
  /** How many lists of open orders were requested, and the number of the newest one with a response. */
  requested: number;
  answered: number;
  /** When the newest list of open orders that was compared with ours had been requested; undefined before the first. */
  openQueriedMs: number | undefined;
  /** When the newest list of own fills had been requested; undefined before the first. */
  fillsQueriedMs: number | undefined;
  /** Time of the newest own fill, venue time; 0 before the first. */
  lastFillMs: number;
}

/** Commands under way, and requests outside the kernel's effects that wait for a rate token. */
export interface RequestState {
  /** When each command without an answer becomes overdue, by intent; no longer once it is (orders/overdue.ts). */
  readonly awaited: Map<number, number>;
  /** When each command without a response took its slot of the rate budget, by intent. */
  readonly takenMs: Map<number, number>;
  tokensWanted: number;
  /** When the last of those requests got a token. */
  tokenGivenMs: number;
  /** Number of the newest turn in which the sides of the strategies sent their quotes. */
  turn: number;
  /** Since when quotes have waited for the rate budget longer than a refresh; undefined while none does. */
  lateSinceMs: number | undefined;
  /** When the last warning of it was given. */
  lateWarnedMs: number;
}

export interface SignatureState {
  /** Since when and how often in a row the venue refused our commands as unauthorized; undefined while it accepts our signature. */
  refused: { readonly sinceMs: number; count: number } | undefined;
  /** The newest intent whose command the earlier session wallet signed; 0 without one. */
  earlierTo: number;
}

/** Begins anew with each step. */
export interface StepState {
  /** What the next run needs to know and has changed. */
  readonly carried: CarriedItem[];
  readonly adopted: RestoredOrder[];
  /** The fills that were booked. */
  readonly booked: Fill[];
  /** The venue refused our signature for the first time since it last accepted one. */
  signerRefused: boolean;
  /** When a command that found no token or nonce may be tried again. */
  blockedUntilMs: number;
}

export function newStep(): StepState {
  return {
    carried: [],
    adopted: [],
    booked: [],
    signerRefused: false,
    blockedUntilMs: Number.POSITIVE_INFINITY,
  };
}

/** Everything the kernel knows. Only `Kernel.step` changes it. */
export interface KernelState {
  readonly config: KernelConfig;
  readonly orders: OrderTracker;
  readonly balances: Balances;
  /** Compares the balances with what is known to have happened; undefined when they are not compared. */
  readonly ledger: BalanceLedger | undefined;
  readonly budget: RateBudget;
  readonly nonces: NonceAllocator;
  readonly gate: RiskGate;
  readonly reads: ReadSchedule;
  readonly markets: ReadonlyMap<MarketId, MarketState>;
  readonly slots: readonly StrategySlot[];
  readonly slotByName: ReadonlyMap<string, StrategySlot>;
  /** Of all strategies, those of earlier runs included. */
  readonly positions: PositionBook;
  /** When the positions were last valued for the drawdown. */
  markedMs: number;
  /** Impossible statements of the venue. */
  readonly doubts: DoubtState;
  /** Undefined where the configuration leaves no limit to be derived. */
  readonly derived: DerivedState | undefined;
  /** Undefined without triggers. */
  readonly risk: RiskState | undefined;
  phase: Phase;
  readonly operator: OperatorState;
  readonly ending: EndingState;
  nowMs: UnixMs;
  /** When the last message from the venue came, over REST or the stream. */
  lastMessageMs: number;
  streamOpen: boolean;
  venueOffsetMs: number | undefined;
  /** Until when the venue may accept what was signed; undefined without a nonce window. */
  readonly nonceExpiry: NonceExpiry | undefined;
  /**
   * `isOn`: quotes are moved by modify. `refusals`: refused modifies in a row. `refused`: the originals of refused ones that do not count yet, with
   * what the venue said. `open`: intents of modifies without an outcome. `areHeldBack`: the driver sent none of them since the last order that it sent.
   */
  readonly modifies: {
    isOn: boolean;
    refusals: number;
    readonly refused: Map<TrackedOrder, string>;
    readonly open: Set<number>;
    areHeldBack: boolean;
  };
  /** How old the copied facts are; undefined at a simulated venue, whose data have one source. */
  readonly facts: Facts | undefined;
  readonly probe: {
    phase: "wanted" | "open" | "done";
    intent: number;
    tries: number;
    retryAtMs: number;
  };
  /** `failures` is above 0 while no connection can be made; `retryAtMs` is when the next command may try then. */
  readonly outage: { failures: number; retryAtMs: number };
  readonly lists: ListState;
  readonly requests: RequestState;
  readonly signature: SignatureState;
  /** Undefined when the mode has no guard. */
  readonly standby: StandbyState | undefined;
  lastIntent: number;
  lastSeq: number;
  notes: Note[];
  /** What this step leaves to its driver and the next run, besides notes and effects. */
  step: StepState;
  /** Where orders may be open that the journal lost in a power cut. */
  lost: LostSpan | undefined;
  /** When the first step was made. */
  beganMs: number;
}

export function makeState(config: KernelConfig): KernelState {
  const { timing } = config;
  const positions = new PositionBook();
  const slots = config.strategies.map((binding) => ({
    runner: new StrategyRunner(binding),
    position: positions.of(binding.name, binding.marketId).position,
    staleMs: limitsFor(config.risk, binding.marketId).staleBook ?? Number.POSITIVE_INFINITY,
  }));
  const markets = marketStates(config);
  const books = new Map([...markets].map(([marketId, { book }]) => [marketId, book.fresh]));
  const { nonceWindowMs } = config;
  const nonceExpiry = nonceWindowMs === undefined ? undefined : new NonceExpiry(nonceWindowMs);
  return {
    config,
    nonceExpiry,
    orders: new OrderTracker({
      maxEnded: 10_000,
      queryFirstMs: timing.queryFirstMs,
      queryMaxMs: timing.queryMaxMs,
      inFlightMs: timing.inFlightMs,
      nonceExpiry,
    }),
    balances: new Balances(),
    ledger: makeLedger(config),
    budget: new RateBudget(config.rate),
    // Half of the window leaves room for what is not known of the venue's clock.
    nonces: new NonceAllocator({
      aheadMaxMs: Math.min(NONCE_AHEAD_MAX_MS, (nonceWindowMs ?? Infinity) / 2),
    }),
    gate: new RiskGate(config.risk),
    reads: new ReadSchedule(timing),
    markets,
    slots,
    slotByName: new Map(slots.map((slot) => [slot.runner.name, slot])),
    positions,
    markedMs: 0,
    doubts: makeDoubts(),
    derived: makeDerived(config),
    risk: makeRiskState(config),
    phase: "starting",
    operator: { isPaused: false, haltReason: undefined },
    ending: {
      reason: undefined,
      keepsOrders: false,
      code: undefined,
      sinceMs: undefined,
      byMs: undefined,
      finalList: undefined,
    },
    nowMs: 0 as UnixMs,
    lastMessageMs: 0,
    streamOpen: false,
    venueOffsetMs: undefined,
    modifies: {
      isOn: config.useModify,
      refusals: 0,
      refused: new Map(),
      open: new Set(),
      areHeldBack: false,
    },
    facts: makeFacts(config, books),
    probe: {
      phase: config.probeOrderId === undefined ? "done" : "wanted",
      intent: 0,
      tries: 0,
      retryAtMs: 0,
    },
    outage: { failures: 0, retryAtMs: 0 },
    lists: {
      requested: 0,
      answered: 0,
      openQueriedMs: undefined,
      fillsQueriedMs: undefined,
      lastFillMs: 0,
    },
    requests: {
      awaited: new Map(),
      takenMs: new Map(),
      tokensWanted: 0,
      tokenGivenMs: Number.NEGATIVE_INFINITY,
      turn: 0,
      lateSinceMs: undefined,
      lateWarnedMs: Number.NEGATIVE_INFINITY,
    },
    signature: { refused: undefined, earlierTo: 0 },
    standby: makeStandby(config),
    lastIntent: 0,
    lastSeq: 0,
    notes: [],
    step: newStep(),
    lost: undefined,
    beganMs: 0,
  };
}

/** A market as strategies may see it: the object is the kernel's own, so that they cannot change it. */
export function shownMarket(market: Market): Market {
  Object.freeze(market.rules);
  return Object.freeze({ ...market });
}

function marketStates(config: KernelConfig): ReadonlyMap<MarketId, MarketState> {
  const markets = new Map<MarketId, MarketState>();
  for (const { marketId } of config.strategies) {
    if (markets.has(marketId)) continue;
    const market = marketOf(config, marketId);
    const { priceCollar, staleBook } = limitsFor(config.risk, marketId);
    const sync = new BookSync(marketId);
    markets.set(marketId, {
      market: shownMarket(market),
      unlistedReads: 0,
      touch: newTouch(priceCollar ?? undefined, staleBook ?? undefined),
      sync,
      book: new BookFact(sync, config.timing.channelCheckMs),
      lessOwn: undefined,
      blindSinceMs: undefined,
      lastTrade: undefined,
      audit: { dueSinceMs: undefined, hasWarned: false },
      others: newOtherBots(),
      namedTradeMs: Number.NEGATIVE_INFINITY,
      levelsMs: 0,
      lacksSinceMs: Number.POSITIVE_INFINITY,
    });
  }
  return markets;
}

export function marketOf(config: Pick<KernelConfig, "markets">, marketId: MarketId): Market {
  const market = config.markets.find((candidate) => candidate.marketId === marketId);
  assert(market !== undefined, `the config has market ${marketId}`);
  return market;
}

/** The book of a market without our own resting orders; undefined while it is not in sync or impossible. */
export function bookLessOwn(state: KernelState, market: MarketState): BookView | undefined {
  const { live } = market.sync;
  if (live === undefined || market.touch.isImpossible) return undefined;
  market.lessOwn ??= lessOwn(state, market.market.marketId, live);
  return market.lessOwn;
}

function lessOwn({ orders }: KernelState, marketId: MarketId, live: ReadableBook): BookLessOwn {
  const bids = orders.ownQuantityByPrice(marketId, "BUY");
  const asks = orders.ownQuantityByPrice(marketId, "SELL");
  return new BookLessOwn(live, (side, price) => (side === "BUY" ? bids : asks).get(price) ?? 0);
}

function makeLedger({ timing, markets }: KernelConfig): BalanceLedger | undefined {
  const { driftMs } = timing;
  if (driftMs === Number.POSITIVE_INFINITY) return undefined;
  const ownTokens = markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken]);
  return new BalanceLedger(driftMs, new Set(ownTokens));
}
