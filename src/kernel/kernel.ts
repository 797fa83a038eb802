import type { Described } from "../domain/described.ts";
import { assert } from "../base/assert.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { ForeignOrder } from "../orders/foreign-orders.ts";
import type { BookedPosition } from "../orders/position-book.ts";
import { apply } from "./apply.ts";
import type { KernelConfig } from "./config.ts";
import { takeCarried } from "./carried.ts";
import { emitCancels, emitPlaces } from "./commands.ts";
import { decide } from "./strategy/quoting.ts";
import type { RateLeft } from "../execution/rate-budget.ts";
import type { Effect } from "./effect.ts";
import { nextFactMs, watchFacts } from "./freshness/watch-facts.ts";
import { candlesRead, nextHistoryMs, watchHistories } from "./history.ts";
import { leaveImpossible } from "./impossible/impossible-book.ts";
import { nextAuditWarningMs, warnUnaudited } from "./market-data.ts";
import { openOrdersRead } from "./list-span.ts";
import { takersOf } from "./orders/adoption.ts";
import { nextOverdueMs, markOverdue } from "./orders/overdue.ts";
import type { Batch, CarriedItem } from "./input.ts";
import { advance, begin } from "./lifecycle.ts";
import type { Note } from "./note.ts";
import { endObservation, nextObservedMs } from "./watch-others.ts";
import { haltReasonOf } from "./operator-state.ts";
import { publishOrders } from "./orders/order-changes.ts";
import { readKind } from "./rate.ts";
import { emitStandby, nextStandbyMs } from "./standby/standby.ts";
import { bookLessOwn } from "./market-state.ts";
import { runnerOf, runnersOf, slotOf } from "./slots.ts";
import {
  nextOldMs,
  believeConfirmedPrices,
  type SourceRow,
  sourceRows,
} from "./sources/sources.ts";
import { followFlatten } from "./takes/flatten.ts";
import type { FlattenLeft } from "./takes/flatten-left.ts";
import { nextTakeMs } from "./takes/next-take.ts";
import { makeState, newStep, type KernelState } from "./state.ts";
import { nextQuotePullMs, noteQuoteReasons } from "./risk/quote-pull.ts";
import { isAtLeast } from "../domain/risk-step.ts";
import { deriveLimits } from "./risk/derive-limits.ts";
import { standingOf } from "./risk/risk-state.ts";
import { type ResumeReport, resumeReport } from "./resume-report.ts";
import { nextRiskMs, watchRisk } from "./risk/risk-watch.ts";
import { isOrdinary, type MarketData, quietUntilMs } from "./quiet.ts";

const NEVER = Number.POSITIVE_INFINITY;
const noEffects: readonly Effect[] = [];
const noDrift: ReadonlyMap<TokenId, Fixed> = new Map();

export interface Step {
  /** What the driver has to do, in this order: adoptions, cancels, placements, tokens, channels, reads, standby cancels, the end. */
  readonly effects: readonly Effect[];
  /** Own orders that have ended and whose fills are all booked, since the last step. */
  readonly ended: readonly OrderId[];
  /** The fills that were booked in this step. */
  readonly booked: readonly Fill[];
  /** The venue refused the signature of a command for the first time since it last accepted one. */
  readonly signerRefused: boolean;
  /** What the next run needs to know and has changed in this step. */
  readonly carried: readonly CarriedItem[];
  /** Facts for observers. Notes may get lost, so no control flow may depend on them. */
  readonly notes: readonly Note[];
}

/**
 * The bot's decisions as a synchronous state machine. The same config and batches give the same effects, bit for bit.
 * It does no I/O, reads no clock and draws no random number.
 */
export class Kernel {
  readonly #state: KernelState;
  /** Until when market data may be absorbed; undefined while not known. */
  #quietUntilMs: number | undefined = Number.NEGATIVE_INFINITY;

  constructor(config: KernelConfig) {
    this.#state = makeState(config);
    const { reads } = this.#state;
    reads.want({ type: "venueTime" }, 0, { periodMs: config.timing.venueTimeMs });
  }

  /** Applies the inputs since the last step, in order, and returns what to do. Batches must be numbered without gaps. */
  step(batch: Batch): Step {
    const state = this.#state;
    assert(batch.seq === state.lastSeq + 1, "batches are numbered without gaps");
    state.lastSeq = batch.seq;
    state.nowMs = batch.nowMs;
    if (batch.seq === 1) begin(state);
    state.step = newStep();

    for (const input of batch.inputs) apply(state, input);
    markOverdue(state);
    warnUnaudited(state);
    endObservation(state);
    const healing = watchFacts(state);
    leaveImpossible(state);
    const adopted = state.step.adopted.map((order): Effect => ({ type: "adopt", order }));
    followFlatten(state);
    const ending = advance(state);
    if (state.sources.doubted.size > 0) believeConfirmedPrices(state);
    watchHistories(state);
    deriveLimits(state);
    watchRisk(state);
    decide(state);
    const cancels = emitCancels(state);
    let tokens = this.#giveTokens(this.#pageAtMs <= state.nowMs ? 1 : 0);
    const reads = this.#emitReads();
    const made = emitPlaces(state);
    if (state.requests.tokensWanted > 0 && !this.#isHeldBack)
      tokens += this.#giveTokens(state.requests.tokensWanted);
    const carried = takeCarried(state);
    noteQuoteReasons(state);
    publishOrders(state);
    const ended = state.orders.takeSettled();
    const standby = emitStandby(state, ended);
    this.#quietUntilMs = undefined;
    const { notes } = state;
    state.notes = [];
    return {
      effects: joined([
        adopted,
        cancels,
        made.cancels,
        made.orders,
        tokens === 0 ? noEffects : [{ type: "tokens", count: tokens }],
        healing,
        reads,
        standby,
        ending,
      ]),
      ended,
      booked: state.step.booked,
      signerRefused: state.step.signerRefused,
      carried,
      notes,
    };
  }

  /**
   * Takes public market data that nothing waits for. `no`: nothing has changed, and a step has to take it. `yes`: a step with it alone
   * would have had no effects and no notes. `due`: it was applied, and a step has to follow at this time. A journal does not contain what
   * was absorbed.
   */
  absorb(input: MarketData, nowMs: UnixMs): "yes" | "no" | "due" {
    const state = this.#state;
    // Nothing has changed since the step.
    this.#quietUntilMs ??= quietUntilMs(state, this.nextDeadlineMs);
    if (nowMs >= this.#quietUntilMs) return "no";
    const { marketId } = input.type === "depth" ? input.event : input.trade;
    const market = state.markets.get(marketId);
    if (market === undefined || !isOrdinary(market, input)) return "no";
    state.nowMs = nowMs;
    apply(state, input);
    if (!market.touch.isImpossible) return "yes";
    this.#quietUntilMs = Number.NEGATIVE_INFINITY;
    return "due";
  }

  /** What the operator or the risk ladder did to the whole bot, so that no strategy quotes, or to one of them alone or with the bot. */
  standstill(strategy?: string): "halted" | "paused" | undefined {
    const { operator, risk } = this.#state;
    const runner = strategy === undefined ? undefined : runnerOf(this.#state, strategy);
    const standing =
      runner === undefined ? risk?.bot.ladder.standing : standingOf(this.#state, { runner });
    const step = standing?.step ?? "normal";
    if (haltReasonOf(this.#state, runner) !== undefined || step === "halt") return "halted";
    const isPaused = operator.isPaused || runner?.operator.isPaused === true;
    return isPaused || isAtLeast(step, "pause") ? "paused" : undefined;
  }

  /** What the newest flatten of one strategy or all left; undefined while one is under way, and before the first. */
  flattened(strategy?: string): readonly FlattenLeft[] | undefined {
    const runners = runnersOf(this.#state, strategy);
    const isDone = runners.every(({ flattening, left }) => flattening === undefined && left);
    return isDone ? runners.flatMap(({ left }) => left ?? []) : undefined;
  }

  /** Open orders of the account that are not the bot's own, and the strategies that can take each over. */
  get foreignOrders(): readonly ForeignOrder[] {
    return this.#state.orders.reports.foreign.open.map((report) => {
      return { orderId: report.orderId, takers: takersOf(this.#state, report) };
    });
  }

  tradesIn(strategy: string, marketId: MarketId): boolean {
    return slotOf(this.#state, { strategy, marketId }) !== undefined;
  }

  /** What a resume of one strategy, or of all and the bot, would do at this moment. */
  resumeReport(strategy?: string, force = false): ResumeReport {
    return resumeReport(this.#state, strategy, force);
  }

  /** The venue's clock minus ours by the newest reading; undefined before the first. */
  get venueOffsetMs(): number | undefined {
    return this.#state.venueOffsetMs;
  }

  /** By how much each token's balance drifted in this run; without tokens that did not. Positive: more than it should be. */
  get balanceDrift(): ReadonlyMap<TokenId, Fixed> {
    return this.#state.ledger?.total ?? noDrift;
  }

  /** Mid of a market's book without our own orders; undefined while the book is not in sync or a side is empty. */
  mid(marketId: MarketId): number | undefined {
    const market = this.#state.markets.get(marketId);
    return market === undefined ? undefined : bookLessOwn(this.#state, market)?.mid;
  }

  /** The price sources, for people. */
  get sources(): readonly SourceRow[] {
    return sourceRows(this.#state);
  }

  /** The positions of all strategies over all runs. */
  get positions(): readonly BookedPosition[] {
    return this.#state.positions.all();
  }

  /** The strategies' own numbers by strategy, which calls each `describe`. */
  get described(): ReadonlyMap<string, Described> {
    return new Map(this.#state.runners.map(({ name, described }) => [name, described]));
  }

  /** What the run has left of its rate budget, for requests that follow its last step. */
  get rateLeft(): RateLeft {
    return this.#state.budget.left(this.#state.nowMs);
  }

  /** How many items each map and list holds. All of them are bounded, however long the bot runs. */
  get sizes(): Readonly<Record<string, number>> {
    const { orders, reads, modifies } = this.#state;
    const { requests, notes, standby } = this.#state;
    const { facts, risk } = this.#state;
    return {
      ...(risk === undefined ? {} : { riskEntries: risk.bot.meter.size }),
      ...(facts === undefined
        ? {}
        : { awaitedEvents: facts.sources.events.size, ownTrades: facts.sources.trades.size }),
      ...(this.#state.ledger === undefined
        ? {}
        : {
            balanceChanges: this.#state.ledger.size,
          }),
      ...orders.sizes,
      reads: reads.size,
      openModifies: modifies.open.size,
      refusedModifies: modifies.refused.size,
      awaited: requests.awaited.size,
      openCommands: requests.open.size,
      tokensWanted: requests.tokensWanted,
      notes: notes.length,
      standbyCancels: standby?.made.size ?? 0,
    };
  }

  /** Takes rate tokens for requests outside the kernel's effects, at most `most`. Returns how many it got. */
  #giveTokens(most: number): number {
    const state = this.#state;
    const wanted = Math.min(most, state.requests.tokensWanted);
    let count = 0;
    while (count < wanted && state.budget.tryTake("other", state.nowMs)) count += 1;
    state.requests.tokensWanted -= count;
    if (count > 0) state.requests.tokenGivenMs = state.nowMs;
    return count;
  }

  /** Whether a command or a read waits, for a token as a rule. */
  get #isHeldBack(): boolean {
    const { step, reads, nowMs } = this.#state;
    return step.blockedUntilMs !== undefined || reads.nextMs() <= nowMs;
  }

  /** While something else is held back, pages get one token in the time of two. */
  get #pageAtMs(): number {
    const { requests, budget, nowMs } = this.#state;
    return Math.max(nowMs, requests.tokenGivenMs + Math.ceil(2_000 / budget.perSecond));
  }

  #emitReads(): readonly Effect[] {
    const { reads, orders, budget, nowMs, lists } = this.#state;
    const kind = readKind(this.#state);
    for (const order of orders.queries.due(nowMs)) {
      if (order.orderId === undefined) continue;
      reads.want({ type: "order", orderId: order.orderId }, nowMs);
      orders.queries.queried(order, nowMs);
    }
    const due = reads.emit(nowMs, () => budget.tryTake(kind, nowMs));
    if (due.length === 0) return due;
    return due.map((read) => {
      if (read.type === "book") this.#state.markets.get(read.marketId)?.book.requested();
      if (read.type === "candles") return candlesRead(this.#state, read);
      if (read.type !== "openOrders") return read;
      lists.requested += 1;
      return openOrdersRead(this.#state);
    });
  }

  /** When the kernel has to be stepped again even if nothing happens, our clock; undefined for never. */
  get nextDeadlineMs(): number | undefined {
    const { reads, orders, runners, slots, budget, probe, nowMs, phase, step } = this.#state;
    if (phase === "finished") return undefined;
    let next = Math.min(
      nextQuotePullMs(this.#state),
      nextOldMs(this.#state),
      nextStandbyMs(this.#state),
      nextFactMs(this.#state),
      step.blockedUntilMs ?? NEVER,
      nextAuditWarningMs(this.#state),
      nextOverdueMs(this.#state),
      orders.queries.nextMs() ?? NEVER,
      this.#state.ending.byMs ?? NEVER,
      nextRiskMs(this.#state),
      nextHistoryMs(this.#state),
      nextObservedMs(this.#state),
    );
    const readMs = reads.nextMs();
    // A read that is due already did not get a token.
    next = Math.min(
      next,
      readMs > nowMs ? readMs : budget.nextFreeMs(readKind(this.#state), nowMs),
    );
    if (this.#state.requests.tokensWanted > 0) {
      const freeMs = budget.nextFreeMs("other", nowMs);
      next = Math.min(next, this.#isHeldBack ? Math.max(freeMs, this.#pageAtMs) : freeMs);
    }
    // A probe that is due already waits for the venue's clock, or is counted in `blockedUntilMs`.
    if (probe.phase === "wanted") next = earlier(next, probe.retryAtMs, nowMs);
    for (const { wakeAtMs = 0 } of runners) {
      // A wake-up time in the past waits for the book or for the end of a pause, not for time.
      next = earlier(next, wakeAtMs, nowMs);
    }
    for (const slot of slots) {
      const { stops, cooldown } = slot;
      next = Math.min(next, nextTakeMs(this.#state, slot));
      next = Math.min(next, stops.nextMs(nowMs));
      next = earlier(next, cooldown.BUY.untilMs, nowMs);
      next = earlier(next, cooldown.SELL.untilMs, nowMs);
    }
    return next === NEVER ? undefined : next;
  }
}

/** All effects in order. Most steps have none, or those of one part. */
function joined(parts: readonly (readonly Effect[])[]): readonly Effect[] {
  let all: readonly Effect[] = noEffects;
  for (const part of parts) {
    if (part.length > 0) all = all.length === 0 ? part : [...all, ...part];
  }
  return all;
}

/** The earlier of the two times; the second counts only if it is in the future. */
function earlier(nextMs: number, otherMs: number, nowMs: number): number {
  return otherMs > nowMs && otherMs < nextMs ? otherMs : nextMs;
}
