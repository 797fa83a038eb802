import { partsOf } from "../domain/market-roles.ts";
import { type Command, makesOrder } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Block } from "../exchange/records.ts";
import { placedBy } from "../metrics/counters.ts";
import type { ObservedStep } from "../metrics/summary-fold.ts";
import type { Summary, SummaryFields } from "../metrics/summary.ts";
import type { OwnOrders } from "../orders/own-orders.ts";
import type { SimulatedVenue } from "../simulated/simulated-venue.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { DecisionsHash } from "./decisions-hash.ts";
import type { RecordedStep } from "./recorded-step.ts";
import type { ReplayDetails } from "./replay-details.ts";
import type { ReplayEnd, ReplayWatcher } from "./replay.ts";
import {
  type LiveOnly,
  type ReplayResult,
  type ReplayStrategyResult,
  statisticsFields,
  totalsFields,
} from "./replay-result.ts";
import type { ReplaySetup } from "./replay-setup.ts";
import { ReplayStatistics } from "./replay-statistics.ts";
import { notModelled } from "./not-modelled.ts";
import { ReplayWarnings } from "./replay-warnings.ts";

/** Collects the figures of a replay's result while it runs. */
export class ReplayRecorder implements ReplayWatcher {
  readonly warnings: ReplayWarnings;
  readonly #setup: ReplaySetup;
  readonly #statistics: ReplayStatistics;
  readonly #decisions: DecisionsHash;
  readonly #details: ReplayDetails | undefined;
  /** The bot's, from the first block on. */
  #orders: OwnOrders | undefined;
  #hasStarted = false;
  #events = 0;
  #levelChanges = 0;

  /** `details` collects the tables of the replay. */
  constructor(setup: ReplaySetup, keccak256: Keccak256, details?: ReplayDetails) {
    this.#setup = setup;
    this.#details = details;
    this.#statistics = new ReplayStatistics(setup, details);
    this.#decisions = new DecisionsHash(keccak256);
    this.warnings = new ReplayWarnings(setup.warnings);
  }

  begins(venue: SimulatedVenue): void {
    this.#statistics.share((marketId, side) => venue.depthLevels(marketId, side));
  }

  recorded({ marketId, event, atMs }: RecordedStep, isWarmUp: boolean): void {
    this.#moveTo(atMs, isWarmUp);
    if (event.type === "gap") {
      this.#statistics.lost(marketId, atMs);
      if (!isWarmUp) this.warnings.gapBegins(marketId, atMs);
      return;
    }
    if (event.type === "book") this.warnings.gapEnds(marketId, atMs);
    this.#statistics.recorded(marketId, event, atMs);
    if (event.type === "book" || event.type === "depth")
      this.warnings.book(marketId, this.#statistics.book(marketId).touch);
    if (isWarmUp) return;
    this.#events += 1;
    if (event.type !== "depth") return;
    this.#levelChanges += (event.event.bids.length + event.event.asks.length) / 2;
  }

  block(
    block: Block,
    orders: OwnOrders,
    knownMid: (marketId: MarketId) => number | undefined,
  ): void {
    this.#orders = orders;
    this.#statistics.block(block, orders, knownMid);
  }

  decided(command: Command, txHash: OrderId, nowMs: UnixMs): void {
    this.#decisions.add(command, txHash, nowMs);
    const { marketId } = makesOrder(command)
      ? command
      : (this.#orders?.byId(command.orderId) ?? { marketId: undefined });
    if (marketId !== undefined) {
      this.#statistics.command({ strategy: command.strategy, marketId });
    }
  }

  stepped(step: ObservedStep): void {
    for (const note of step.notes) {
      this.#statistics.noted(note, step.batch.nowMs);
      if (note.type !== "order" || note.order.role !== "quote") continue;
      const placed = placedBy(note);
      if (placed !== undefined) this.#statistics.placed(placed, step.batch.nowMs);
      else if (note.before !== undefined) this.#statistics.resized(note.order, note.before);
    }
    this.#details?.observe(step.notes, step.batch.nowMs);
    this.warnings.observe(step.notes);
  }

  stopped(): void {
    this.warnings.stopping();
  }

  /** The result after the end of the replay. `wallMs` is the machine's time it took, in milliseconds. */
  result(end: ReplayEnd, wallMs: number): ReplayResult {
    const { strategies, markets } = this.#setup.kernel;
    this.#statistics.stop(end.stopMs);
    for (const { marketId } of markets) end.summary.mid(marketId, this.#statistics.mid(marketId));
    const summary = end.summary.result({
      durationMs: end.endMs - end.startMs,
      ordersLeft: end.ordersLeft.map((orderId) => {
        const { strategy = "", marketId } = end.orders.byId(orderId) ?? {};
        return { strategy, marketId };
      }),
      // The simulated account has no other orders.
      foreignOrders: 0,
      signer: "",
      described: end.described,
    });
    const parts = partsOf(strategies).map(({ name }) => this.#statistics.ofPart(name, end.stopMs));
    return {
      notModelled: notModelled(this.#setup.usedModels, parts),
      ...withoutLiveOnly(summary),
      durationMs: summary.durationMs,
      meanUptime: summary.meanUptime,
      requests: summary.requests,
      requestsPerQuoteVolume: summary.requestsPerQuoteVolume,
      foreignOrders: summary.foreignOrders,
      ...(summary.nets === undefined ? {} : { nets: summary.nets }),
      ...statisticsFields(this.#statistics.ofAll(end.stopMs)),
      totals: totalsFields(this.#statistics.totals()),
      models: this.#setup.usedModels,
      events: this.#events,
      levelChanges: this.#levelChanges,
      wallMs: Math.round(wallMs),
      levelChangesPerSecond: Math.round(this.#levelChanges / (wallMs / 1000)),
      decisionsHash: this.#decisions.text(),
      seed: strategies[0]?.seed ?? 0,
      ...(summary.strategies === undefined
        ? {}
        : { strategies: this.#perStrategy(summary.strategies, end) }),
    };
  }

  #moveTo(atMs: UnixMs, isWarmUp: boolean): void {
    if (isWarmUp) return;
    if (!this.#hasStarted) this.#statistics.start(atMs);
    this.#hasStarted = true;
    this.#statistics.advance(atMs);
  }

  #perStrategy(
    summaries: NonNullable<Summary["strategies"]>,
    end: ReplayEnd,
  ): readonly ReplayStrategyResult[] {
    const seeds = new Map(
      this.#setup.kernel.strategies.flatMap((one) =>
        partsOf([one]).map(({ name }) => [name, one.seed] as const),
      ),
    );
    return summaries.map((summary) => ({
      name: summary.name,
      ...withoutLiveOnly(summary),
      ...statisticsFields(this.#statistics.ofPart(summary.name, end.stopMs)),
      seed: seeds.get(summary.name) ?? 0,
    }));
  }
}

/** A summary's fields without those that have a meaning only in a live run. */
function withoutLiveOnly(
  summary: SummaryFields & Partial<Pick<Summary, "signer">>,
): Omit<SummaryFields, LiveOnly> {
  const {
    tickToOrderP50Us: _p50,
    tickToOrderP99Us: _p99,
    bookAudits: _audits,
    staleMs: _stale,
    ownTradeLagP50Ms: _lagP50,
    ownTradeLagP99Ms: _lagP99,
    ownTradeLagMaxMs: _lagMax,
    bookAuditMismatches: _mismatches,
    signer: _signer,
    ...fields
  } = summary;
  return fields;
}
