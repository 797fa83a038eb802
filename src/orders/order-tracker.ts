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
import type { NonceExpiry } from "./nonce-expiry.ts";
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
  /** Most ended orders remembered, so that late and repeated reports about them are recognised. */
  readonly maxEnded: number;
  /** Most trade ids remembered, besides those of live orders; default four for each ended order. */
  readonly maxTradeIds?: number;
  /** What the venue accepted shows in queries no later than this. Default 10 s. */
  readonly inFlightMs?: number;
  /** Until when the venue may accept an order's bytes (D37). Default: for `inFlightMs` after their request ended. */
  readonly nonceExpiry?: NonceExpiry | undefined;
}

export interface OrderCounts {
  readonly inFlight: number;
  readonly unknown: number;
  /** Legs that the venue has not placed yet. */
  readonly pending: number;
  readonly working: number;
  /** Ended orders that are still remembered. */
  readonly ended: number;
  /** Open orders of the account that are not ours, in the newest list. */
  readonly foreign: number;
  readonly missingFills: number;
}

const none: readonly TrackedOrder[] = [];

/**
 * Every order of ours from the decision to its end, keyed by the id that is known before it is sent (§1.7). Reports may arrive in any
 * order, repeated, late or never (D31): each fill is yielded once, and silence proves nothing. An order that the venue ended counts again
 * when a list of open orders that was requested after the end shows it, and only then may `executed` fall. Foreign orders are counted and
 * never touched.
 * own-commands.ts handles our commands, execution-reports.ts the venue's reports, absence.ts missing orders; order-machine.ts has the
 * transitions, and order-registry.ts applies them.
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
    assert(maxEnded > 0 && maxTradeIds > 0, "maxEnded and maxTradeIds above 0");
    assert(queryFirstMs > 0 && queryMaxMs >= queryFirstMs, "a back-off that grows from above 0");
    this.#orders = new OrderRegistry({ maxEnded, maxTradeIds }, { queryFirstMs, queryMaxMs });
    const { inFlightMs = 10_000, nonceExpiry } = options;
    this.#commands = new OwnCommands(this.#orders, queryFirstMs);
    this.#absence = new Absence(this.#orders, { inFlightMs, nonceExpiry });
    this.#venue = new ExecutionReports(this.#orders, this.#absence, inFlightMs);
  }

  // ── our own commands ──────────────────────────────────────────────

  /**
   * A placement was decided: it and its legs are orders from now on, and count as exposure. Quantities in base token only (§2.1
   * mode 0).
   */
  place(
    command: PlaceCommand | StopCommand,
    nowMs: UnixMs,
    origin: "placed" | "replacement" = "placed",
  ): TrackedOrder {
    return this.#commands.place(command, nowMs, origin);
  }

  /**
   * A modify of one of our orders was decided. The replacement is an order of its own from now on, and the original counts as being
   * canceled. Both may live until the venue reports otherwise.
   */
  modifyMade(command: ModifyCommand, nowMs: UnixMs, reason = ""): TrackedOrder {
    return this.#commands.modifyMade(command, nowMs, reason);
  }

  /** A cancel of one of our orders was decided. */
  cancelMade(command: CancelCommand, reason = ""): void {
    this.#commands.cancelMade(command, reason);
  }

  /** A command was signed. The hash of a placement is its order's id, and the ids of the legs are derived from it. */
  signed(intent: number, txHash: OrderId): void {
    this.#commands.signed(intent, txHash);
  }

  /** A command's request ended (D11). */
  responded(intent: number, outcome: CommandOutcome, nowMs: UnixMs): readonly OrderChange[] {
    return this.#commands.responded(intent, outcome, nowMs);
  }

  /** A command has had no answer for so long that its order is suspect. Its request may still get one. */
  overdue(intent: number, nowMs: UnixMs): readonly OrderChange[] {
    return this.#commands.overdue(intent, nowMs);
  }

  // ── execution reports ─────────────────────────────────────────────

  /** An ORDER event of the user stream (§6.4). It may come before, after or without the response, repeatedly or out of order. */
  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    return this.#venue.event(event, nowMs);
  }

  /** Own fills from REST (§2.6). Fills of foreign orders are ignored. */
  fills(fills: readonly Fill[], nowMs: UnixMs): readonly OrderChange[] {
    return this.#venue.fills(fills, nowMs);
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

  /**
   * Adds open orders of an earlier run as unknown exposure. Queries by id those that the next list of open orders lacks when it
   * comes, and all that no list has settled `listMs` after `nowMs`. Returns those that are now tracked.
   */
  restore(restored: readonly RestoredOrder[], nowMs: UnixMs, listMs = 0): readonly TrackedOrder[] {
    const taken = restoreOrders(this.#orders, restored, -this.#restored, nowMs);
    for (const order of taken) this.#orders.queries.want(order, nowMs + listMs);
    this.#restored += taken.length;
    return taken;
  }

  // ── updates for observers ──────────────────────────────────────────

  /** A full snapshot of every order that has changed since the last call, for tables of own orders (own-orders.ts). */
  takeUpdates(): readonly OrderUpdate[] {
    return this.#orders.takeUpdates();
  }

  /** Orders that have ended and whose fills are all booked, since the last call. */
  takeSettled(): readonly OrderId[] {
    return this.#orders.takeSettled();
  }

  // ── look-ups ──────────────────────────────────────

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#orders.byId(orderId);
  }

  /** Whether a trade of one of our orders is booked. */
  isBooked(fill: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#orders.isBooked(fill);
  }

  /** Whether a trade of one of our orders was booked in this run with another price or quantity. */
  isBookedOtherwise(fill: Fill): boolean {
    return this.#orders.isBookedOtherwise(fill);
  }

  /** Whether a trade of one of our orders is known and was not booked, since it exceeds the ordered quantity. */
  isLeftOut(fill: Fill): boolean {
    return this.#orders.isLeftOut(fill);
  }

  /** Number of booked trades of one of our orders. */
  bookedTrades(orderId: OrderId): number {
    return this.#orders.bookedTrades(orderId);
  }

  /** The order with this placement intent. */
  byIntent(intent: number): TrackedOrder | undefined {
    return this.#orders.byIntent(intent);
  }

  /** Orders that have not ended, oldest first. */
  live(strategy?: string): readonly TrackedOrder[] {
    return this.#orders.live.list(strategy);
  }

  /** Orders to query by id now. Call `queried` for each that is. */
  toQuery(nowMs: UnixMs): readonly TrackedOrder[] {
    return this.#orders.queries.due(nowMs);
  }

  /** The order was queried; the next query is due after a growing wait. */
  queried(order: TrackedOrder, nowMs: UnixMs): void {
    this.#orders.queries.queried(order, nowMs);
  }

  /** Live quotes of a strategy in a market. */
  quotes(strategy: string, marketId: MarketId): readonly TrackedOrder[] {
    return this.#orders.live.quotes(strategy, marketId);
  }

  /** Live stop orders and legs of a strategy in a market. */
  contingent(strategy: string, marketId: MarketId): readonly TrackedOrder[] {
    return this.#orders.live.contingent(strategy, marketId);
  }

  /** Live orders that the venue had acknowledged and that its newest list of open orders, or a query by id, does not show. */
  missing(): readonly TrackedOrder[] {
    return this.#absence.missing();
  }

  /** Until when the venue may still place this order, our clock; undefined when it cannot. */
  mayBePlacedUntilMs(order: TrackedOrder, nowMs: UnixMs): number | undefined {
    return this.#absence.mayBePlacedUntilMs(order, nowMs);
  }

  /** When the next query is due, our clock; undefined when no order is in doubt. */
  nextQueryMs(): UnixMs | undefined {
    return this.#orders.queries.nextMs();
  }

  /** Orders with executed quantity that no known fill explains, including ended ones. */
  missingFills(): readonly TrackedOrder[] {
    const { missing } = this.#orders;
    return missing.size === 0 ? none : [...missing];
  }

  /** Our acknowledged remaining quantity by price, base token. Always the same Map, changed in place. */
  ownQuantityByPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#orders.sums.byPrice(marketId, side);
  }

  /** How many items each collection holds, to check that none grows without bound. */
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
