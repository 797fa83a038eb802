import { assert } from "../base/assert.ts";
import type {
  CancelCommand,
  CommandOutcome,
  ModifyCommand,
  PlaceCommand,
  StopCommand,
} from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Fill, OrderEvent, OrderReport } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import { Absence } from "./absence.ts";
import type { QueryTiming } from "./query-schedule.ts";
import type { OrderChange } from "./order-change.ts";
import { OrderRegistry } from "./order-registry.ts";
import type { OrderUpdate } from "./order-snapshot.ts";
import { OwnCommands } from "./own-commands.ts";
import { restoreOrders } from "./restore-orders.ts";
import type { RestoredOrder } from "./restored-order.ts";
import type { TrackedOrder } from "./tracked-order.ts";
import { ExecutionReports } from "./execution-reports.ts";

export interface OrderTrackerOptions extends QueryTiming {
  /** Ended orders remembered, so that late and repeated words about them are understood. */
  readonly maxEnded: number;
  /** Trade ids remembered, besides those of live orders; default four for each ended order. */
  readonly maxTradeIds?: number;
  /** A request that ended without an answer can land no later than this. Default 10 s. */
  readonly inFlightMs?: number;
  /** So long nothing of the venue may know an order that it had acknowledged before it counts no more. Default 2 min. */
  readonly lostMs?: number | undefined;
}

export interface OrderCounts {
  readonly inFlight: number;
  readonly unknown: number;
  /** Legs whose order is not filled yet. */
  readonly pending: number;
  readonly working: number;
  /** Ended ones still remembered. */
  readonly ended: number;
  /** Open orders of the account that are not ours, in the newest list. */
  readonly foreign: number;
  readonly missingFills: number;
}

const none: readonly TrackedOrder[] = [];

/**
 * Every order of ours from the decision to its end, keyed by the id that is known before it is sent (§1.7). It takes what is
 * learned in any order, repeated, late or never (D31), and keeps what is certain: `executed` never falls, what the venue
 * ended never reopens, a fill is yielded once, silence is never an answer. Foreign orders are counted and never touched.
 * What our commands say of orders stands in own-commands.ts, what the venue says in execution-reports.ts and, where it does not show one,
 * in absence.ts; the moves in order-machine.ts, what they change in order-registry.ts.
 */
export class OrderTracker {
  readonly #orders: OrderRegistry;
  readonly #commands: OwnCommands;
  readonly #absence: Absence;
  readonly #venue: ExecutionReports;
  /** Orders taken from a journal so far. */
  #restored = 0;

  constructor(options: OrderTrackerOptions) {
    const { maxEnded, maxTradeIds = 4 * maxEnded, queryFirstMs, queryMaxMs } = options;
    assert(maxEnded > 0 && maxTradeIds > 0, "some memory");
    assert(queryFirstMs > 0 && queryMaxMs >= queryFirstMs, "a back-off that grows from above 0");
    this.#orders = new OrderRegistry({ maxEnded, maxTradeIds }, { queryFirstMs, queryMaxMs });
    this.#commands = new OwnCommands(this.#orders, queryFirstMs);
    const { inFlightMs = 10_000, lostMs = 120_000 } = options;
    this.#absence = new Absence(this.#orders, { inFlightMs, lostMs });
    this.#venue = new ExecutionReports(this.#orders, this.#absence, inFlightMs);
  }

  // ── our own commands ──────────────────────────────────────────────

  /**
   * A placement was decided: exposure from now on. Quantities in base token only (§2.1 mode 0). Its legs are
   * orders from now on, too.
   */
  place(
    command: PlaceCommand | StopCommand,
    nowMs: UnixMs,
    origin: "placed" | "replacement" = "placed",
  ): TrackedOrder {
    return this.#commands.place(command, nowMs, origin);
  }

  /**
   * A modify of one of our orders was decided: the replacement is an order of its own from now on, the original is on its way
   * out as by a cancel. Both may live until the venue says otherwise.
   */
  modifyMade(command: ModifyCommand, nowMs: UnixMs, reason = ""): TrackedOrder {
    return this.#commands.modifyMade(command, nowMs, reason);
  }

  /** A cancel of one of our orders was decided. */
  cancelMade(command: CancelCommand, reason = ""): void {
    this.#commands.cancelMade(command, reason);
  }

  /** The bytes of an intent are signed; the hash of what makes an order is its id, and those of its legs follow from it. */
  signed(intent: number, txHash: OrderId): void {
    this.#commands.signed(intent, txHash);
  }

  /** A command's request ended (D11). */
  responded(intent: number, outcome: CommandOutcome, nowMs: UnixMs): readonly OrderChange[] {
    return this.#commands.responded(intent, outcome, nowMs);
  }

  // ── execution reports ─────────────────────────────────────────────

  /** An ORDER event of the user stream (§6.4): before, after or without the answer, repeated, out of order. */
  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    return this.#venue.event(event, nowMs);
  }

  /**
   * Own fills from REST (§2.6), requested at `queriedAtMs`, since the oldest order whose fills are not all known. Those of other
   * orders are left alone.
   */
  fills(fills: readonly Fill[], queriedAtMs: number, nowMs: UnixMs): readonly OrderChange[] {
    return this.#venue.fills(fills, queriedAtMs, nowMs);
  }

  /** The response to a query by id, sent at `queriedAtMs`. */
  report(
    orderId: OrderId,
    report: OrderReport | "absent",
    queriedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    return this.#venue.report(orderId, report, queriedAtMs, nowMs);
  }

  /** The account's open orders, all pages, requested at `queriedAtMs` (§4.2: NEW and PARTIALLY_FILLED only). */
  openOrders(
    reports: readonly OrderReport[],
    queriedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    return this.#venue.openOrders(reports, queriedAtMs, nowMs);
  }

  // ── an earlier run's journal ──────────────────────────────────────

  /** Orders that an earlier run left behind: exposure, unknown, asked about at once. Returns those that are tracked now. */
  restore(restored: readonly RestoredOrder[], nowMs: UnixMs): readonly TrackedOrder[] {
    const taken = restoreOrders(this.#orders, restored, -this.#restored, nowMs);
    this.#restored += taken.length;
    return taken;
  }

  // ── what others are told ──────────────────────────────────────────

  /** Every order that has changed since the last call, whole: for those who keep a table of own orders (own-orders.ts). */
  takeUpdates(): readonly OrderUpdate[] {
    return this.#orders.takeUpdates();
  }

  // ── questions to the tracker ──────────────────────────────────────

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#orders.byId(orderId);
  }

  /** By the intent of the placement. */
  byIntent(intent: number): TrackedOrder | undefined {
    return this.#orders.byIntent(intent);
  }

  /** Everything that has not ended, oldest first. */
  live(strategy?: string): readonly TrackedOrder[] {
    return this.#orders.live.list(strategy);
  }

  /** Orders that the venue is to be asked about by id now. Say `asked` for each that is. */
  toQuery(nowMs: UnixMs): readonly TrackedOrder[] {
    return this.#orders.queries.due(nowMs);
  }

  /** The question about it was put; the next is due after a growing wait. */
  queried(order: TrackedOrder, nowMs: UnixMs): void {
    this.#orders.queries.queried(order, nowMs);
  }

  /** Live orders of a strategy that quotes are compared with. */
  quotes(strategy: string): readonly TrackedOrder[] {
    return this.#orders.live.quotes(strategy);
  }

  /** Live stop orders and legs of a strategy. */
  contingent(strategy: string): readonly TrackedOrder[] {
    return this.#orders.live.contingent(strategy);
  }

  /** Live orders that the venue had acknowledged, and of which it knows nothing when asked by id. */
  vanished(): readonly TrackedOrder[] {
    return this.#absence.vanished();
  }

  /** When the next question is due; undefined when nothing is in question. */
  nextQueryMs(): UnixMs | undefined {
    return this.#orders.queries.nextMs();
  }

  /** Orders with executed quantity that no known fill explains, ended ones too. */
  missingFills(): readonly TrackedOrder[] {
    const { missing } = this.#orders;
    return missing.size === 0 ? none : [...missing];
  }

  /** Price → remaining quantity of ours that the venue acknowledged: the same Map for good, changed in place. */
  ownQuantityByPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#orders.sums.byPrice(marketId, side);
  }

  /** How much it remembers of everything: for those who watch that nothing grows. */
  get sizes(): Readonly<Record<string, number>> {
    return { ...this.#orders.sizes, openCancels: this.#commands.openCancels };
  }

  get counts(): OrderCounts {
    const { ended, missing } = this.#orders;
    const phases = { "in-flight": 0, unknown: 0, pending: 0, working: 0, ended: 0 };
    for (const order of this.live()) phases[order.phase] += 1;
    return {
      inFlight: phases["in-flight"],
      unknown: phases.unknown,
      pending: phases.pending,
      working: phases.working,
      ended: ended.size,
      foreign: this.#venue.foreign,
      missingFills: missing.size,
    };
  }
}
