import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assert as must } from "../../src/base/assert.ts";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { fixed, fixedText, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import {
  isTerminal,
  type Fill,
  type OrderEvent,
  type OrderReport,
  type OrderStatus,
} from "../../src/domain/order.ts";
import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import type { OrderChange } from "../../src/orders/order-change.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { missingOf, remainingOf, type TrackedOrder } from "../../src/orders/tracked-order.ts";
import {
  cancelCommand,
  eventOf,
  fillOf,
  idOf,
  marketId,
  placeCommand,
  reportOf,
  exposureOf,
} from "./order-fixture.ts";
import { Projection } from "./projection.ts";

/**
 * Goal: with reports in any order, repeated, late or missing, the tracker never understates what may still fill, never goes back,
 * yields each trade once, and ends in the venue's state. Method: a small model venue with three orders; a random walk lands orders,
 * trades and cancels, and delivers responses, events, reports and lists out of order, twice or not at all; afterwards the venue
 * responds to the tracker's own queries until it has none.
 */
const IN_FLIGHT_MS = 10_000;
const ORDERS = 3;
const QUANTITY = 10;

/** What the venue knows, and what is in transit. */
class TrueOrder {
  readonly number: number;
  landed = false;
  status: OrderStatus = "NEW";
  executed = 0;
  readonly fills: Fill[] = [];
  /** Events in transit. */
  readonly events: OrderEvent[] = [];
  readonly reports: { readonly report: OrderReport | "absent"; readonly queriedAtMs: number }[] =
    [];
  requestEndedAtMs: number | undefined;
  cancelIntent: number | undefined;
  cancelOutcome: CommandOutcome | undefined;

  constructor(number: number) {
    this.number = number;
  }

  get isOpen(): boolean {
    return this.landed && !isTerminal(this.status);
  }

  get report(): OrderReport {
    return reportOf(idOf(this.number), this.status, { executed: String(this.executed) });
  }

  land(isRejected: boolean): void {
    this.landed = true;
    if (isRejected) this.status = "REJECTED";
    this.events.push(eventOf(isRejected ? "REJECTED" : "NEW", this.report));
  }

  trade(size: number): void {
    const quantity = Math.min(size, QUANTITY - this.executed);
    this.executed += quantity;
    this.status = this.executed === QUANTITY ? "FILLED" : "PARTIALLY_FILLED";
    const fill = fillOf(idOf(this.number), `t${this.fills.length}`, String(quantity));
    this.fills.push(fill);
    this.events.push(eventOf("TRADE", this.report, { fill }));
  }

  cancel(): void {
    this.status = "CANCELED";
    this.events.push(eventOf("CANCEL", this.report));
  }
}

class Walk {
  readonly tracker = new OrderTracker({
    maxEnded: 100,
    queryFirstMs: 200,
    queryMaxMs: 3000,
    inFlightMs: IN_FLIGHT_MS,
  });
  readonly projection = new Projection(this.tracker);
  readonly venue = Array.from({ length: ORDERS }, (_, at) => new TrueOrder(at + 1));
  readonly lists: { readonly reports: OrderReport[]; readonly queriedAtMs: number }[] = [];
  readonly yielded = new Set<string>();
  readonly warned: string[] = [];
  readonly #known = new Map<TrackedOrder, { executed: Fixed; status: OrderStatus | undefined }>();
  #lastIntent = ORDERS;
  nowMs: UnixMs = unixMs(1000);

  constructor() {
    for (const { number } of this.venue) {
      this.tracker.commands.place(placeCommand(number), this.nowMs);
      this.tracker.commands.signed(number, idOf(number));
    }
  }

  tracked(order: TrueOrder): TrackedOrder {
    const tracked = this.tracker.byId(idOf(order.number));
    must(tracked !== undefined, "our order is tracked");
    return tracked;
  }

  step(action: Action): void {
    const order = this.venue[action.order];
    must(order !== undefined, "an order of the walk");
    const { tracker, nowMs } = this;
    const { pick } = action;
    switch (action.kind) {
      case "land": {
        const mayLand =
          order.requestEndedAtMs === undefined || nowMs < order.requestEndedAtMs + IN_FLIGHT_MS;
        if (!order.landed && mayLand) order.land(pick === 0);
        break;
      }
      case "trade":
        if (order.isOpen) order.trade(1 + (pick % 4));
        break;
      case "venueCancel":
        if (order.isOpen && pick === 0) order.cancel();
        break;
      case "response":
        this.#respondToPlacement(order, pick);
        break;
      case "cancel":
        this.#makeCancel(order, pick);
        break;
      case "cancelArrives":
        if (order.cancelIntent !== undefined && order.cancelOutcome === undefined) {
          order.cancelOutcome = cancelAtVenue(order);
        }
        break;
      case "cancelResponse":
        this.#respondToCancel(order, pick % 3 === 0);
        break;
      case "event": {
        const event = order.events[pick % Math.max(1, order.events.length)];
        if (event !== undefined) this.take(tracker.reports.event(event, nowMs));
        break;
      }
      case "drop":
        order.events.splice(pick % Math.max(1, order.events.length), 1);
        break;
      case "query":
        order.reports.push({ report: order.landed ? order.report : "absent", queriedAtMs: nowMs });
        break;
      case "report": {
        const sent = order.reports[pick % Math.max(1, order.reports.length)];
        if (sent === undefined) break;
        this.take(tracker.reports.report(idOf(order.number), sent.report, sent.queriedAtMs, nowMs));
        break;
      }
      case "queryList": {
        const open = this.venue.filter((candidate) => candidate.isOpen);
        this.lists.push({ reports: open.map(({ report }) => report), queriedAtMs: nowMs });
        break;
      }
      case "list": {
        const list = this.lists[pick % Math.max(1, this.lists.length)];
        if (list !== undefined)
          this.take(tracker.reports.openOrders(list.reports, list.queriedAtMs, nowMs));
        break;
      }
      case "fills":
        this.take(tracker.reports.fills(order.fills, nowMs));
        break;
    }
    this.nowMs = unixMs(nowMs + action.waitMs);
    this.check();
  }

  #respondToPlacement(order: TrueOrder, pick: number): void {
    if (order.requestEndedAtMs !== undefined) return;
    order.requestEndedAtMs = this.nowMs;
    const isLost = pick % 2 === 0 || (!order.landed && pick % 3 === 0);
    // An order that did not land and was refused or not sent never lands.
    const outcome: CommandOutcome = isLost
      ? { type: "unknown", message: "" }
      : order.landed
        ? { type: "accepted" }
        : pick % 4 === 1
          ? { type: "refused", reason: "invalid", message: "", retryAfterMs: undefined }
          : { type: "not-sent", message: "" };
    if (!isLost && !order.landed) order.requestEndedAtMs = Number.NEGATIVE_INFINITY;
    this.take(this.tracker.commands.responded(order.number, outcome, this.nowMs));
  }

  #makeCancel(order: TrueOrder, pick: number): void {
    const tracked = this.tracked(order);
    if (tracked.cancel !== "none" || tracked.phase === "ended") return;
    this.#lastIntent += 1;
    order.cancelIntent = this.#lastIntent;
    order.cancelOutcome = undefined;
    this.tracker.commands.cancelMade(cancelCommand(this.#lastIntent, idOf(order.number)));
    if (pick % 2 === 0) order.cancelOutcome = cancelAtVenue(order);
  }

  #respondToCancel(order: TrueOrder, isLost: boolean): void {
    const { cancelIntent, cancelOutcome } = order;
    if (cancelIntent === undefined) return;
    if (cancelOutcome === undefined && !isLost) return;
    order.cancelIntent = undefined;
    const lost: CommandOutcome = { type: "unknown", message: "" };
    const outcome = isLost || cancelOutcome === undefined ? lost : cancelOutcome;
    this.take(this.tracker.commands.responded(cancelIntent, outcome, this.nowMs));
  }

  take(changes: readonly OrderChange[]): void {
    for (const change of changes) {
      if (change.type === "warning") this.warned.push(change.code);
      if (change.type !== "fill") continue;
      const name = `${change.fill.orderId} ${change.fill.tradeId}`;
      expect(this.yielded.has(name), `${name} is yielded once`).toBe(false);
      this.yielded.add(name);
    }
  }

  /** Invariants that must hold after every action. */
  check(): void {
    this.projection.check();
    let mayFill = ZERO;
    let remaining = ZERO;
    let resting = ZERO;
    for (const order of this.venue) {
      const tracked = this.tracked(order);
      const { executed, status, phase } = tracked;
      const before = this.#known.get(tracked);
      if (before !== undefined) {
        expect(executed).toBeGreaterThanOrEqual(before.executed);
        if (before.status !== undefined && isTerminal(before.status)) {
          expect(status, "terminal stays").toBe(before.status);
          expect(phase).toBe("ended");
        }
      }
      this.#known.set(tracked, { executed, status });
      if (order.isOpen) mayFill = (mayFill + fixed(String(QUANTITY - order.executed))) as Fixed;
      if (phase !== "ended") remaining = (remaining + remainingOf(tracked)) as Fixed;
      if (phase === "working") resting = (resting + remainingOf(tracked)) as Fixed;
    }
    const exposure = exposureOf(this.tracker, marketId, "BUY");
    expect(exposure).toBe(remaining);
    expect(exposure, "never less than what may fill").toBeGreaterThanOrEqual(mayFill);
    const own = this.tracker.ownQuantityByPrice(marketId, "BUY").get(100) ?? 0;
    expect(String(own)).toBe(fixedText(resting));
    expect(this.tracker.live().every((order) => order.phase !== "ended")).toBe(true);
  }

  /** Nothing happens at the venue any more: open requests time out, and every query gets a response. */
  settle(): void {
    for (const order of this.venue) {
      if (order.requestEndedAtMs === undefined) {
        order.requestEndedAtMs = this.nowMs;
        const outcome: CommandOutcome = { type: "unknown", message: "" };
        this.take(this.tracker.commands.responded(order.number, outcome, this.nowMs));
      }
      this.#respondToCancel(order, true);
    }
    for (let round = 0; round < 60; round += 1) {
      this.step({ kind: "queryList", order: 0, pick: 0, waitMs: 1 });
      const list = this.lists.at(-1);
      must(list !== undefined, "a list was requested");
      this.take(this.tracker.reports.openOrders(list.reports, list.queriedAtMs, this.nowMs));
      for (const queried of this.tracker.queries.due(this.nowMs)) {
        this.tracker.queries.queried(queried, this.nowMs);
        const order = this.venue[queried.intent - 1];
        must(order !== undefined, "only own orders are queried");
        const report = order.landed ? order.report : "absent";
        this.take(this.tracker.reports.report(idOf(order.number), report, this.nowMs, this.nowMs));
      }
      if (this.tracker.missingFills().length > 0) {
        for (const order of this.venue)
          this.take(this.tracker.reports.fills(order.fills, this.nowMs));
      }
      this.check();
      this.nowMs = unixMs(this.nowMs + 500);
    }
  }
}

function cancelAtVenue(order: TrueOrder): CommandOutcome {
  if (order.isOpen) {
    order.cancel();
    return { type: "accepted" };
  }
  const reason = order.landed ? "invalid" : "notFound";
  return { type: "refused", reason, message: "", retryAfterMs: undefined };
}

const kinds = [
  "land",
  "trade",
  "venueCancel",
  "response",
  "cancel",
  "cancelArrives",
  "cancelResponse",
  "event",
  "drop",
  "query",
  "report",
  "queryList",
  "list",
  "fills",
] as const;

interface Action {
  readonly kind: (typeof kinds)[number];
  readonly order: number;
  readonly pick: number;
  readonly waitMs: number;
}

const action: fc.Arbitrary<Action> = fc.record({
  // Deliveries are as likely as all other actions together.
  kind: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom("event", "report", "land" as const)),
  order: fc.nat({ max: ORDERS - 1 }),
  pick: fc.nat({ max: 11 }),
  waitMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 6000 })),
});

describe("order tracker, any interleaving", () => {
  it("ends in the venue's state", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120, size: "max" }), (actions) => {
        const walk = new Walk();
        for (const next of actions) walk.step(next);
        walk.settle();
        for (const order of walk.venue) {
          const tracked = walk.tracked(order);
          const isOver = !order.landed || isTerminal(order.status);
          expect(tracked.phase).toBe(isOver ? "ended" : "working");
          expect(tracked.status).toBe(order.landed ? order.status : undefined);
          expect(tracked.executed).toBe(fixed(String(order.executed)));
          expect(missingOf(tracked)).toBe(ZERO);
          for (const fill of order.fills) {
            expect(walk.yielded.has(`${fill.orderId} ${fill.tradeId}`)).toBe(true);
          }
          expect(["none", "accepted"].includes(tracked.cancel) || isOver).toBe(true);
        }
        const trades = walk.venue.reduce((sum, order) => sum + order.fills.length, 0);
        expect(walk.yielded.size).toBe(trades);
        // A consistent venue causes none of these warnings.
        expect(walk.warned).toEqual([]);
        expect(walk.tracker.queries.due(unixMs(Number.MAX_SAFE_INTEGER))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
