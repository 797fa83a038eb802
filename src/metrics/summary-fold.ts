import { Decimal } from "../domain/decimal.ts";
import { fixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, TokenId } from "../domain/ids.ts";
import type { MeasuredEntry } from "../journal/entry.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Batch } from "../kernel/input.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { Note } from "../kernel/note.ts";
import type { CarriedItem } from "../orders/carried.ts";
import type { BookedPosition } from "../orders/position-book.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import { OwnOrders } from "../orders/own-orders.ts";
import type { Described } from "../domain/described.ts";
import type { CallTimeRow } from "./call-time-row.ts";
import { ChannelFold } from "./channel-fold.ts";
import { marketOfNote, sumCounts } from "./counters.ts";
import { Denials } from "./denials.ts";
import { GuardedTime } from "./guarded-time.ts";
import { Histogram } from "./histogram.ts";
import { LeavingQuotes } from "./leaving-quotes.ts";
import { NetFold } from "./net-fold.ts";
import { conversion, type Portfolio, portfolioOf } from "./portfolio.ts";
import { positionFigures } from "./position-figures.ts";
import { requestsOf } from "./requests-of.ts";
import { amountsText, sumMoney, sumText } from "./sum-text.ts";
import { type MeasuredStrategy, StrategyFold } from "./strategy-fold.ts";
import {
  limitOf,
  type Summary,
  type SummaryFields,
  type SummaryLimit,
  type SummaryRiskStep,
} from "./summary.ts";

/** One step of the kernel, as observers receive it. */
export interface ObservedStep {
  readonly batch: Batch;
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  /** What the step left to the next run. */
  readonly carried?: readonly CarriedItem[];
  /** For a step that waited for the disk: how long after the time of its batch it was carried out, in milliseconds. */
  readonly sendDelayMs?: number | undefined;
}

/** A wait for the disk from this long on makes no uptime. */
const DISK_HANGS_MS = 1_000;
/** Most steps that the summary lists: the first ones, since they explain the others. */
const MAX_RISK_STEPS = 100;

export interface SummaryOptions {
  readonly strategies: readonly MeasuredStrategy[];
  /** Currency in which positions of several markets are added up; left out: the main quote token. */
  readonly reportingCurrency?: TokenId | undefined;
  /** Start of the process (live, paper) or of the recording (replay), on the clock of the batches. Uptime counts from 3 s later. */
  readonly startMs: number;
}

interface LeftOrder {
  /** Empty when it is not known. */
  readonly strategy: string;
  readonly marketId: MarketId | undefined;
}

/** Facts that only the caller knows, at the end of the run. */
export interface SummaryEnd {
  readonly durationMs: number;
  /** The strategy and market of each own order that is still open at the venue; null when the venue did not answer. */
  readonly ordersLeft: readonly LeftOrder[] | null;
  /** Number of the account's other open orders at the venue; null when the venue did not answer. */
  readonly foreignOrders: number | null;
  /** Name of the signing library. */
  readonly signer: string;
  /** Nothing was sent: what counts as placed was only signed. */
  readonly isDry?: boolean;
  /** How long the calls of strategies took; left out where they were not measured. */
  readonly calls?: readonly CallTimeRow[];
  readonly sources?: readonly SourceRow[];
  /** Every strategy's position over all runs; left out by replays, which have one run. */
  readonly positions?: readonly BookedPosition[];
  /** Each strategy's own numbers. */
  readonly described: ReadonlyMap<string, Described>;
}

/**
 * Folds the kernel's notes into the summary of a run, in every mode.
 *
 * `quotesPlaced` counts every quote that was sent, `quotesReplaced` those that replace an order whose price or size was off its
 * target, and `quotesCanceled` the quotes for which a cancel was sent, each once. A quote that was moved counts in all three.
 * Takes count only in `takesPlaced`, stop orders and legs only in `stopsPlaced` and `stopsTriggered`; their fills count with all others. `bookResyncs` counts
 * how often a book that was in sync became unusable, for instance by a gap or a reconnect.
 */
export class SummaryFold {
  readonly #orders = new OwnOrders({ ended: 0 });
  readonly #leaving = new LeavingQuotes();
  readonly #folds: readonly StrategyFold[];
  readonly #currency: TokenId | undefined;
  /** By strategy, that of its own market first. */
  readonly #byStrategy: ReadonlyMap<string, readonly StrategyFold[]>;
  /** Of strategies with several markets. */
  readonly #nets: readonly NetFold[];
  #nowMs = 0;
  readonly #latency = new Histogram();
  readonly #resyncs = new Map<MarketId, number>();
  readonly #audits = new Map<MarketId, { count: number; mismatches: number }>();
  readonly #channels = new ChannelFold();
  readonly #mids = new Map<MarketId, number>();
  readonly #limits: SummaryLimit[] = [];
  readonly #riskSteps: SummaryRiskStep[] = [];
  readonly #drift = new Map<TokenId, Fixed>();
  readonly #doubts = new Map<string, number>();
  readonly #guarded = new GuardedTime();
  #requests = 0;

  constructor({ strategies, startMs, reportingCurrency }: SummaryOptions) {
    this.#currency = reportingCurrency;
    this.#folds = strategies.map((strategy) => new StrategyFold(strategy, startMs));
    const byStrategy = Map.groupBy(this.#folds, ({ strategy }) => strategy);
    this.#byStrategy = byStrategy;
    this.#nets = [...byStrategy]
      .filter(([, folds]) => folds.length > 1)
      .map(([name]) => {
        const own = strategies.filter((strategy) => strategy.name === name);
        return new NetFold(
          name,
          own.map(({ market }) => market),
        );
      });
  }

  /** Adds a step. Steps come in order and before `result`, but may be delayed by the observers' ring. */
  observe({ batch, effects, notes, sendDelayMs = 0 }: ObservedStep): void {
    for (const effect of effects) this.#requests += requestsOf(effect);
    this.#nowMs = batch.nowMs;
    if (this.#nets.length > 0) this.#followNets(batch, notes);
    this.#guarded.advance(batch.nowMs);
    this.#advanceUptimes(batch.nowMs);
    let hasChanged = false;
    for (const note of notes) {
      if (note.type === "bookState") {
        if (note.state !== "live") this.#lostSync(note.marketId);
        this.#channels.book(note, batch.nowMs);
        this.#followChannels();
        hasChanged = true;
      } else if (note.type === "bookAudit") {
        this.#audited(note.marketId, note.isSame);
      } else if (note.type === "channel") {
        this.#channels.note(note);
        this.#followChannels();
        hasChanged = true;
      } else if (note.type === "risk") {
        if (this.#riskSteps.length < MAX_RISK_STEPS) {
          const { of: strategy = null, trigger, step, message } = note;
          this.#riskSteps.push({ atMs: batch.nowMs, strategy, trigger, step, message });
        }
      } else if (note.type === "limit") {
        this.#limits.push(limitOf(note));
      } else if (note.type === "guard") {
        this.#guarded.note(note.isConnected);
      } else if (note.type === "ownTrade") {
        this.#channels.ownTrade(note.marketId, note.lagMs);
      } else if (note.type === "doubt") {
        this.#doubts.set(note.code, note.count);
      } else if (note.type === "balanceDrift") {
        if (note.total === ZERO) this.#drift.delete(note.tokenId);
        else this.#drift.set(note.tokenId, note.total);
      } else if ("strategy" in note) {
        if (note.type === "order") {
          hasChanged = true;
          this.#orders.apply(note);
          this.#leaving.note(note.order, batch.nowMs);
        }
        if (note.type === "quoteReason") hasChanged = true;
        for (const fold of this.#of(note.strategy, marketOfNote(note))) fold.note(note);
      }
    }
    if (hasChanged) this.#followResting();
    if (sendDelayMs < DISK_HANGS_MS) return;
    // The bot learned nothing meanwhile.
    for (const { uptime } of this.#folds) uptime.skip(batch.nowMs + sendDelayMs);
  }

  /** Adds one latency sample: microseconds from the socket callback to the HTTP client. */
  tickToOrder(us: number, { strategy, marketId }: Partial<LeftOrder> = {}): void {
    this.#latency.add(us);
    for (const fold of this.#of(strategy, marketId)) fold.latency.add(us);
  }

  /** Tick-to-order latency over all strategies, in microseconds. */
  get latency(): Histogram {
    return this.#latency;
  }

  /** Strategies with several markets, valued at the newest mids. */
  get nets(): NonNullable<Summary["nets"]> {
    const markets = this.#folds.map(({ position }) => position.market);
    const midOf = (marketId: MarketId) => this.#mids.get(marketId);
    const { converted } = conversion(markets, midOf, this.#currency);
    return this.#nets.map((net) => {
      const parts = this.#of(net.name, undefined).map(({ position }) =>
        converted(position.totalAt(midOf(position.market.marketId)), position.market.quoteToken),
      );
      const pnl = parts.reduce((sum, part) => part && sum?.plus(part), new Decimal(0));
      return { name: net.name, ...net.figures(this.#nowMs, pnl) };
    });
  }

  /** Uptime so far, by strategy and market. */
  get uptimes(): ReadonlyMap<string, UptimeShares> {
    return new Map(this.#folds.map(({ name, uptimeShares }) => [name, uptimeShares]));
  }

  /** What was measured since the previous call, for the journal. */
  take(): MeasuredEntry {
    const taken = this.#folds.map((fold) => fold.take());
    const { fromMs, untilMs } = taken[0] ?? { fromMs: this.#nowMs, untilMs: this.#nowMs };
    return { fromMs, untilMs, parts: taken.map(({ part }) => part), mids: [...this.#mids] };
  }

  /** Ends the uptime, at the signal to stop. */
  stopSignal(atMs: number): void {
    for (const { uptime } of this.#folds) uptime.stop(atMs);
  }

  /** Sets the mid of the book without own orders, at which `result` values the position. `undefined` keeps the last one. */
  mid(marketId: MarketId, mid: number | undefined): void {
    if (mid !== undefined) this.#mids.set(marketId, mid);
  }

  result(end: SummaryEnd): Summary {
    const total = {
      ...this.#fields(this.#folds, this.#latency, end.ordersLeft),
      ...this.#position(this.#folds, end),
      ...ownNumbers(this.#folds, end),
    };
    const { durationMs, foreignOrders, signer } = end;
    const requests = this.#requests;
    const volume = Number(total.volumeQuote ?? 0);
    const requestsPerQuoteVolume = volume > 0 ? requests / volume : null;
    const guardedMs = this.#guarded.ms;
    const summary = {
      durationMs,
      requests,
      requestsPerQuoteVolume,
      ...total,
      ...(end.positions === undefined ? {} : { portfolio: this.#portfolio(end.positions) }),
      meanUptime: overStrategies(this.#folds, meanOf),
      foreignOrders,
      ...(guardedMs === undefined ? {} : { guardedMs }),
      signer,
      ...(this.#limits.length === 0 ? {} : { derivedLimits: [...this.#limits] }),
      ...(this.#riskSteps.length === 0 ? {} : { riskSteps: [...this.#riskSteps] }),
      ...(end.isDry === true ? { dryRun: true as const } : {}),
      ...(end.calls === undefined ? {} : { strategyCalls: end.calls }),
      ...(end.sources === undefined || end.sources.length === 0 ? {} : { sources: end.sources }),
      ...(this.#nets.length === 0 ? {} : { nets: this.nets }),
      ...(this.#doubts.size === 0 ? {} : { doubts: Object.fromEntries(this.#doubts) }),
      ...(this.#drift.size === 0 ? {} : { balanceDrift: amountsText(this.#drift) }),
    };
    if (this.#folds.length < 2) return summary;
    const strategies = this.#folds.map((fold) => {
      const left =
        end.ordersLeft?.filter(
          ({ strategy, marketId }) => strategy === fold.strategy && this.#isOf(fold, marketId),
        ) ?? null;
      const fields = this.#fields([fold], fold.latency, left);
      return {
        name: fold.name,
        ...fields,
        ...this.#position([fold], end),
        ...ownNumbers([fold], end),
      };
    });
    return { ...summary, strategies };
  }

  #fields(
    folds: readonly StrategyFold[],
    latency: Histogram,
    ordersLeft: SummaryEnd["ordersLeft"],
  ): Omit<SummaryFields, "position" | "described"> {
    const markets = new Set(folds.map(marketOf));
    const isOneMarket = markets.size === 1;
    const pnls = isOneMarket ? folds.map((fold) => fold.pnl(this.#mids.get(marketOf(fold)))) : [];
    const worst = overStrategies(folds, (shares) => Math.min(...shares));
    const p50 = latency.percentile(0.5);
    const p99 = latency.percentile(0.99);
    return {
      ...sumCounts(folds.map(({ counts }) => counts)),
      denied: Denials.sum(folds.map(({ denials }) => denials)).rows(),
      volumeBase: isOneMarket ? sumText(folds.map((fold) => fold.volumeBase)) : null,
      volumeQuote: isOneMarket ? sumText(folds.map((fold) => fold.volumeQuote)) : null,
      fees: amountsText(folds.flatMap((fold) => [...fold.position.fees])),
      inventory: amountsText(folds.flatMap((fold) => fold.inventory())),
      realisedPnl: sumMoney(pnls.map(({ realised }) => realised)),
      unrealisedPnl: sumMoney(pnls.map(({ unrealised }) => unrealised)),
      uptimeBid: worst.bid,
      uptimeAsk: worst.ask,
      uptimeObligation: worst.obligation,
      ordersLeft: ordersLeft?.length ?? null,
      unknownOutcomes: folds.reduce(
        (sum, fold) => sum + this.#orders.inDoubt(fold.strategy, (id) => this.#isOf(fold, id)),
        0,
      ),
      bookResyncs: [...markets].reduce((sum, id) => sum + (this.#resyncs.get(id) ?? 0), 0),
      bookAudits: [...markets].reduce((sum, id) => sum + (this.#audits.get(id)?.count ?? 0), 0),
      bookAuditMismatches: [...markets].reduce(
        (sum, id) => sum + (this.#audits.get(id)?.mismatches ?? 0),
        0,
      ),
      staleMs: Math.max(...folds.map((fold) => fold.uptime.staleMs)),
      ...this.#channels.lags(markets),
      tickToOrderP50Us: p50 === undefined ? null : rounded(p50),
      tickToOrderP99Us: p99 === undefined ? null : rounded(p99),
    };
  }

  /** The positions of these strategies in their market, added up. */
  #position(
    folds: readonly StrategyFold[],
    { positions }: SummaryEnd,
  ): Pick<SummaryFields, "position"> {
    if (positions === undefined) return {};
    const [marketId, ...others] = new Set(folds.map(marketOf));
    if (marketId === undefined || others.length > 0) return { position: null };
    const names = new Set(folds.map((fold) => fold.strategy));
    const booked = positions.filter(
      ({ strategy, position }) => names.has(strategy) && position.market.marketId === marketId,
    );
    return { position: positionFigures(booked, this.#mids.get(marketId)) };
  }

  /** Of the strategies in their markets. */
  #portfolio(positions: readonly BookedPosition[]): Portfolio {
    const own = positions.flatMap((booked) => {
      const { strategy, position } = booked;
      const { marketId } = position.market;
      const isOwn = this.#of(strategy, undefined).some((fold) => marketOf(fold) === marketId);
      return isOwn ? [{ booked, mid: this.#mids.get(marketId) }] : [];
    });
    return portfolioOf(own, this.#currency);
  }

  #advanceUptimes(nowMs: number): void {
    for (;;) {
      const expiredMs = this.#leaving.expireNext(nowMs);
      for (const { uptime } of this.#folds) uptime.advance(expiredMs ?? nowMs);
      if (expiredMs === undefined) return;
      this.#followResting();
    }
  }

  #followResting(): void {
    const resting: OrderSnapshot[] = [];
    for (const order of this.#orders.live()) {
      const { role, isResting, intent } = order;
      if (role === "quote" && isResting && !this.#leaving.isOverdue(intent)) resting.push(order);
    }
    for (const fold of this.#folds) fold.resting(resting);
  }

  /**
   * The parts that something of a strategy in a market belongs to: that of the market, or its own one where it has none there, as with an
   * order of an earlier run. Without a market all of them.
   */
  #of(strategy: string | undefined, marketId: MarketId | undefined): readonly StrategyFold[] {
    const folds = this.#byStrategy.get(strategy ?? "") ?? [];
    if (marketId === undefined || folds.length < 2) return folds;
    const found = folds.find((fold) => marketOf(fold) === marketId) ?? folds[0];
    return found === undefined ? [] : [found];
  }

  /** Whether something of the fold's strategy in a market counts in the fold; without a market it counts in its own one. */
  #isOf(fold: StrategyFold, marketId: MarketId | undefined): boolean {
    const [own] = this.#of(fold.strategy, marketId);
    return own === fold;
  }

  #followNets({ inputs, nowMs }: Batch, notes: readonly Note[]): void {
    for (const net of this.#nets) {
      for (const input of inputs) {
        if (input.type !== "restored") continue;
        const carried = input.restored.carried.flatMap((item) =>
          item.type === "position" && item.strategy === net.name
            ? [[item.marketId, fixed(item.base)] as const]
            : [],
        );
        net.positions(carried, nowMs);
      }
      for (const note of notes) {
        if (note.type === "fill" && note.strategy === net.name) net.fill(note, nowMs);
        if (note.type === "bookedByHand" && note.strategy === net.name) {
          net.positions([[note.fill.marketId, note.position]], nowMs);
        }
      }
    }
  }

  /** A strategy has no uptime while a channel of its market is behind. */
  #followChannels(): void {
    for (const fold of this.#folds) {
      fold.uptime.setStale(this.#channels.behindSinceMs(marketOf(fold)));
    }
  }

  #audited(marketId: MarketId, isSame: boolean): void {
    const audits = this.#audits.get(marketId) ?? { count: 0, mismatches: 0 };
    audits.count += 1;
    if (!isSame) audits.mismatches += 1;
    this.#audits.set(marketId, audits);
  }

  #lostSync(marketId: MarketId): void {
    this.#resyncs.set(marketId, (this.#resyncs.get(marketId) ?? 0) + 1);
  }
}

const marketOf = (fold: StrategyFold): MarketId => fold.position.market.marketId;

/** The own numbers of the only strategy, in the row of its own market; nothing over several. */
function ownNumbers(
  [fold, ...others]: readonly StrategyFold[],
  { described }: SummaryEnd,
): Pick<SummaryFields, "described"> {
  if (others.some(({ strategy }) => strategy !== fold?.strategy)) return {};
  const own = described.get(fold?.name ?? "");
  return own === undefined || Object.keys(own).length === 0 ? {} : { described: own };
}

const meanOf = (shares: readonly number[]): number =>
  shares.reduce((sum, share) => sum + share, 0) / shares.length;

/** The worst or the mean uptime of strategies, of each side over those that wanted quotes in it, of the obligation over those that have one. */
function overStrategies(
  folds: readonly StrategyFold[],
  of: (shares: readonly number[]) => number,
): UptimeShares {
  if (folds.length === 0) return { bid: 0, ask: 0, obligation: null };
  const all = folds.map(({ uptimeShares }) => uptimeShares);
  const over = (track: keyof UptimeShares): number | null => {
    const shares = all.flatMap(({ [track]: share }) => share ?? []);
    return shares.length === 0 ? null : of(shares);
  };
  return { bid: over("bid"), ask: over("ask"), obligation: over("obligation") };
}

/** Rounds to a tenth. */
function rounded(us: number): number {
  return Math.round(us * 10) / 10;
}
