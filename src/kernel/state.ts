import { assert } from "../base/assert.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import { NONCE_AHEAD_MAX_MS, NonceAllocator } from "../execution/nonce.ts";
import { RateBudget } from "../execution/rate-budget.ts";
import { BalanceLedger } from "../orders/balance-ledger.ts";
import { Balances } from "../orders/balances.ts";
import { NonceExpiry } from "../orders/nonce-expiry.ts";
import type { CarriedItem } from "../orders/carried.ts";
import { OrderTracker } from "../orders/order-tracker.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { PositionBook } from "../orders/position-book.ts";
import { RiskGate } from "../risk/gate.ts";
import { marketsOf } from "../domain/market-roles.ts";
import type { KernelConfig, StrategyBinding } from "./config.ts";
import { type Facts, makeFacts } from "./freshness/facts.ts";
import { type DoubtState, makeDoubts } from "./impossible/doubt-state.ts";
import { type Histories, makeHistories } from "./wanted-history.ts";
import { Latency } from "./latency.ts";
import type { LostSpan, RestoredOrder } from "./input.ts";
import type { Note } from "./note.ts";
import { newOperatorState, type OperatorState } from "./operator-state.ts";
import { type DerivedState, makeDerived } from "./risk/missing-limits.ts";
import { makeRiskState, type RiskState } from "./risk/risk-state.ts";
import { ReadSchedule } from "./read-schedule.ts";
import { makeSources, type Sources } from "./sources/tracked-source.ts";
import { makeStandby, type StandbyState } from "./standby/standby-state.ts";
import { StrategyRunner } from "./strategy/strategy-runner.ts";
import { StrategySlot } from "./strategy/strategy-slot.ts";
import type { PreparedTake } from "./takes/prepared-take.ts";
import { type MarketState, marketStates } from "./market-state.ts";

/**
 * starting ──▶ running ──▶ stopping ──▶ finished
 *
 * `starting`: streams, open orders, balances, venue clock or the probe are still missing; nothing is quoted.
 * `stopping`: own orders are canceled and queried until none is left.
 */
type Phase = "starting" | "running" | "stopping" | "finished";

/** What the operator told the whole bot. */
interface BotOperatorState extends OperatorState {
  /** Orders that an operator cancels, until they have ended. */
  readonly cancels: Set<TrackedOrder>;
  /** Orders of other programs that an operator cancels, until they have ended, and when a cancel is sent again, our clock. */
  readonly foreignCancels: Map<OrderId, number>;
  /** Ids of the newest trades that were booked by hand. */
  booked: readonly string[];
}

/** The way to the end of the run; everything is undefined before. */
interface EndingState {
  /** Why the bot stops, and whether that is a normal end. */
  reason: { readonly ok: boolean; readonly text: string } | undefined;
  /** Orders that the plans want open stay open, unless a failure ends the run. */
  keepsOrders: boolean;
  /** Nobody quotes any more, while positions are worked off before the end of the run. */
  quotesOver: boolean;
  /** A stop waits until the positions of these strategies are worked off. */
  flattens: { readonly strategies: readonly string[]; readonly sinceMs: number } | undefined;
  /** A code for the failure that ends the run, where there is one. */
  code: string | undefined;
  sinceMs: number | undefined;
  /** When the wait for own orders ends. */
  byMs: number | undefined;
  /** The number of the final list of open orders, which follows the end of the last of ours. */
  finalList: number | undefined;
}

/** The lists of open orders and of own fills. */
interface ListState {
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
  /** The slot of the rate budget of each command without a response, and when it took it, by intent. */
  readonly open: Map<number, { readonly kind: "cancel" | "place"; readonly atMs: number }>;
  tokensWanted: number;
  /** When the last of those requests got a token. */
  tokenGivenMs: number;
  /** Number of the newest turn in which the strategies sent their quotes and stops. */
  turn: number;
  /** Since when quotes have waited for the rate budget longer than a refresh; undefined while none does. */
  lateSinceMs: number | undefined;
  /** When the last warning of it was given. */
  lateWarnedMs: number;
}

interface SignatureState {
  /** Since when and how often in a row the venue refused our commands as unauthorized; undefined while it accepts our signature. */
  refused: { readonly sinceMs: number; count: number } | undefined;
  /** The newest intent whose command the earlier session wallet signed; 0 without one. */
  earlierTo: number;
}

/** Begins anew with each step. */
interface StepState {
  /** What the next run needs to know and has changed. */
  readonly carried: CarriedItem[];
  readonly adopted: RestoredOrder[];
  /** Takes that risk lets pass and that are not sent yet: quotes in their way wait. */
  takes: readonly PreparedTake[];
  /** The fills that were booked. */
  readonly booked: Fill[];
  /** The venue refused our signature for the first time since it last accepted one. */
  signerRefused: boolean;
  /** When a command that found no token may be tried again, Infinity when a response has to free a slot; undefined when each found one. */
  blockedUntilMs: number | undefined;
}

export function newStep(): StepState {
  return {
    carried: [],
    adopted: [],
    takes: [],
    booked: [],
    signerRefused: false,
    blockedUntilMs: undefined,
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
  readonly runners: readonly StrategyRunner[];
  /** Those of all runners, in their order. */
  readonly slots: readonly StrategySlot[];
  /** By strategy, that of its own market first. */
  readonly slotsByName: ReadonlyMap<string, readonly StrategySlot[]>;
  readonly sources: Sources;
  /** The venue's history of the markets whose strategies warm up. */
  readonly histories: Histories;
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
  readonly operator: BotOperatorState;
  readonly ending: EndingState;
  nowMs: UnixMs;
  /** When the last message from the venue came, over REST or the stream. */
  lastMessageMs: number;
  streamOpen: boolean;
  venueOffsetMs: number | undefined;
  /** The same in the journal's newest entry of an earlier run: cancels may go by it before the first reading. */
  pastOffsetMs: number | undefined;
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
  readonly latency: Latency;
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

/** The venue's time by the newest reading of its clock; ours before the first. */
export function venueNowMs({ nowMs, venueOffsetMs = 0 }: KernelState): number {
  return nowMs + venueOffsetMs;
}

export function makeState(config: KernelConfig): KernelState {
  const { timing } = config;
  const positions = new PositionBook();
  const markets = marketStates(config);
  const slotsByName = new Map(
    config.strategies.map((binding) => [binding.name, makeSlots(binding, { markets, positions })]),
  );
  const slots = [...slotsByName.values()].flat();
  const runners = [...new Set(slots.map(({ runner }) => runner))];
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
    runners,
    sources: makeSources(config.sources ?? [], { markets, runners }),
    histories: makeHistories(config.strategies),
    slots,
    slotsByName,
    positions,
    markedMs: 0,
    doubts: makeDoubts(),
    derived: makeDerived(config),
    risk: makeRiskState(config),
    phase: "starting",
    operator: {
      ...newOperatorState(),
      cancels: new Set(),
      foreignCancels: new Map(),
      booked: [],
    },
    ending: {
      reason: undefined,
      keepsOrders: false,
      quotesOver: false,
      flattens: undefined,
      code: undefined,
      sinceMs: undefined,
      byMs: undefined,
      finalList: undefined,
    },
    nowMs: 0 as UnixMs,
    lastMessageMs: 0,
    streamOpen: false,
    venueOffsetMs: undefined,
    pastOffsetMs: undefined,
    modifies: {
      isOn: config.useModify,
      refusals: 0,
      refused: new Map(),
      open: new Set(),
      areHeldBack: false,
    },
    facts: makeFacts(config, markets),
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
      open: new Map(),
      tokensWanted: 0,
      tokenGivenMs: Number.NEGATIVE_INFINITY,
      turn: 0,
      lateSinceMs: undefined,
      lateWarnedMs: Number.NEGATIVE_INFINITY,
    },
    latency: new Latency(),
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

function makeSlots(
  binding: StrategyBinding,
  { markets, positions }: Pick<KernelState, "markets" | "positions">,
): readonly StrategySlot[] {
  const runner = new StrategyRunner(binding);
  return marketsOf(binding).map(({ role, marketId }) => {
    const market = markets.get(marketId);
    assert(market !== undefined, `the config has market ${marketId}`);
    const { position } = positions.of(binding.name, marketId);
    return new StrategySlot(runner, { role, market, position });
  });
}

function makeLedger({ timing, markets }: KernelConfig): BalanceLedger | undefined {
  const { driftMs } = timing;
  if (driftMs === Number.POSITIVE_INFINITY) return undefined;
  const ownTokens = markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken]);
  return new BalanceLedger(driftMs, new Set(ownTokens));
}
