import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CommandOutcome, PlaceCommand, StopCommand } from "../../src/domain/command.ts";
import {
  addFixed,
  fixed,
  fixedToNumber,
  subFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { isTerminal, type OrderEvent, type OrderReport } from "../../src/domain/order.ts";
import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import type { OrderRecord } from "../../src/exchange/records.ts";
import type { OrderChange } from "../../src/orders/order-change.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import {
  missingOf,
  remainingOf,
  restsInBook,
  type TrackedOrder,
} from "../../src/orders/tracked-order.ts";
import {
  ETH_USDT,
  limit,
  NOW,
  testAddress,
  testExchange,
  testHash,
  WHOLE_HISTORY,
} from "../support/exchange.ts";
import { exposureOf } from "./order-fixture.ts";
import { Projection } from "./projection.ts";

/**
 * Goal: for an order with take profit and stop loss and a stop order beside it, with reports in any order, repeated, late or missing,
 * the tracker never understates the open exposure and ends in the venue's state. Method: the real exchange is the truth; a random walk
 * trades, cancels and delivers; afterwards the exchange responds to the tracker's own queries.
 */
const [bot, other] = [testAddress(1), testAddress(2)];
const IN_FLIGHT_MS = 10_000;
const A = testHash(0x1fe);
const { takeProfit: TP, stopLoss: SL } = legIdsOf(A);
const S = testHash(0x300);
const IDS = [A, TP, SL, S] as const;
const common = {
  nonce: 1_800_000_000_000,
  strategy: "maker",
  marketId: ETH_USDT,
  orderMode: 0,
} as const;

interface Terms {
  readonly isSale: boolean;
  readonly slLimit: number | undefined;
  readonly quantity: string;
}

class Walk {
  readonly tracker = new OrderTracker({
    maxEnded: 100,
    queryFirstMs: 200,
    queryMaxMs: 3000,
    inFlightMs: IN_FLIGHT_MS,
  });
  readonly projection = new Projection(this.tracker);
  readonly world = testExchange();
  readonly place: PlaceCommand;
  readonly stop: StopCommand;
  readonly events: OrderEvent[] = [];
  readonly reports: { id: OrderId; report: OrderReport | "absent"; queriedAtMs: number }[] = [];
  readonly lists: { orders: readonly OrderRecord[]; queriedAtMs: number }[] = [];
  readonly landed = new Set<number>();
  readonly responded = new Map<number, number>();
  readonly cancels: { intent: number; outcome: CommandOutcome | undefined; id: OrderId }[] = [];
  readonly yielded = new Set<string>();
  readonly warned: string[] = [];
  readonly #known = new Map<TrackedOrder, Fixed>();
  #blocks = 0;
  #intent = 100;
  nowMs: UnixMs = NOW;

  constructor({ isSale, slLimit, quantity }: Terms) {
    const [tpLimit, slTrigger] = isSale ? [900, 1100] : [1100, 900];
    const tpsl = { tpLimit, slTrigger, slLimit };
    const order = {
      ...common,
      quantity: fixed(quantity),
      price: 1000,
      orderType: "LIMIT",
    } as const;
    this.place = { ...order, type: "place", intent: 1, side: isSale ? "SELL" : "BUY", tpsl };
    const what = { name: "s", kind: "stop-loss", side: "SELL", stopPrice: 950, price: 0 } as const;
    const terms = { ...common, ...what, orderType: "MARKET", quantity: fixed("0.5") } as const;
    this.stop = { ...terms, type: "stop", intent: 10 };
    for (const [command, id] of [
      [this.place, A],
      [this.stop, S],
    ] as const) {
      this.tracker.commands.place(command, this.nowMs);
      this.tracker.commands.signed(command.intent, id);
    }
    this.hit("BUY", 1010, "1");
  }

  order(id: OrderId): TrackedOrder {
    const order = this.tracker.byId(id);
    if (order === undefined) throw new Error(`${id} is not tracked`);
    return order;
  }

  /** Others trade up to `price`, which fills our orders in between. */
  hit(side: "BUY" | "SELL", price: number, quantity: string): void {
    const { exchange } = this.world;
    const [third] = [testAddress(3)];
    exchange.execute(other, limit(side, String(price), quantity), this.nowMs);
    exchange.execute(
      third,
      limit(side === "BUY" ? "SELL" : "BUY", String(price), quantity),
      this.nowMs,
    );
    exchange.execute(other, { type: "cancel-all" }, this.nowMs);
    exchange.execute(third, { type: "cancel-all" }, this.nowMs);
    this.#collect();
  }

  #collect(): void {
    for (const block of this.world.blocks.slice(this.#blocks)) {
      for (const event of block.orderEvents) {
        if (event.order.account === bot) this.events.push(event);
      }
    }
    this.#blocks = this.world.blocks.length;
  }

  land(isStop: boolean): void {
    const command = isStop ? this.stop : this.place;
    const endedMs = this.responded.get(command.intent) ?? Number.POSITIVE_INFINITY;
    if (this.landed.has(command.intent) || this.nowMs >= endedMs + IN_FLIGHT_MS) return;
    this.landed.add(command.intent);
    const { side, orderType, orderMode, quantity, marketId } = command;
    const terms = { marketId, side, orderType, orderMode, quantity, price: money(command.price) };
    const tpsl = this.place.tpsl;
    const { tpLimit = 0, slTrigger = 0, slLimit } = tpsl ?? {};
    const legs = {
      tpLimit: money(tpLimit),
      slTrigger: money(slTrigger),
      slLimit: slLimit === undefined ? undefined : money(slLimit),
    };
    this.world.exchange.execute(
      bot,
      isStop
        ? { type: "stop", ...terms, stopPrice: money(this.stop.stopPrice) }
        : { type: "place", ...terms, tpsl: legs },
      this.nowMs,
      { txHash: isStop ? S : A },
    );
    this.#collect();
  }

  response(isStop: boolean, isLost: boolean): void {
    const { intent } = isStop ? this.stop : this.place;
    if (this.responded.has(intent)) return;
    const hasLanded = this.landed.has(intent);
    // A refused order never lands.
    this.responded.set(intent, isLost || hasLanded ? this.nowMs : Number.NEGATIVE_INFINITY);
    const refused = {
      type: "refused",
      reason: "invalid",
      message: "",
      retryAfterMs: undefined,
    } as const;
    const outcome = isLost ? unknown : hasLanded ? ({ type: "accepted" } as const) : refused;
    this.take(this.tracker.commands.responded(intent, outcome, this.nowMs));
  }

  cancel(id: OrderId, arrives: boolean): void {
    const order = this.order(id);
    if (order.cancel !== "none" || order.phase === "ended") return;
    this.#intent += 1;
    const { nonce, strategy } = common;
    this.tracker.commands.cancelMade({
      type: "cancel",
      intent: this.#intent,
      nonce,
      strategy,
      orderId: id,
    });
    const outcome = arrives ? this.#cancelAtVenue(id) : undefined;
    this.cancels.push({ intent: this.#intent, outcome, id });
  }

  #cancelAtVenue(id: OrderId): CommandOutcome {
    const response = this.world.exchange.execute(bot, { type: "cancel", orderId: id }, this.nowMs);
    this.#collect();
    return response.type === "accepted"
      ? { type: "accepted" }
      : {
          type: "refused",
          reason: response.reason,
          message: "",
          retryAfterMs: undefined,
        };
  }

  respondToCancel(isLost: boolean): void {
    const cancel = this.cancels.shift();
    if (cancel === undefined) return;
    const outcome = isLost ? unknown : (cancel.outcome ?? this.#cancelAtVenue(cancel.id));
    this.take(this.tracker.commands.responded(cancel.intent, outcome, this.nowMs));
  }

  report(id: OrderId): OrderReport | "absent" {
    return this.world.exchange.order(id) ?? "absent";
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

  check(): void {
    this.projection.check();
    for (const id of IDS) {
      const order = this.order(id);
      expect(order.executed).toBeGreaterThanOrEqual(this.#known.get(order) ?? ZERO);
      this.#known.set(order, order.executed);
    }
    for (const side of ["BUY", "SELL"] as const) {
      const ours = IDS.map((id) => this.order(id));
      const known = addFixed(net(side, ours), exposureOf(this.tracker, ETH_USDT, side));
      expect(known, `${side}: never less at stake than there is`).toBeGreaterThanOrEqual(
        this.#worst(side),
      );
      expect(this.tracker.ownQuantityByPrice(ETH_USDT, side)).toEqual(this.#resting(side));
    }
  }

  /** The tracker's orders that rest in the book, summed independently. */
  #resting(side: "BUY" | "SELL"): ReadonlyMap<number, number> {
    const sums = new Map<number, Fixed>();
    for (const order of this.tracker.live()) {
      const left = remainingOf(order);
      if (order.side !== side || !restsInBook(order) || left === ZERO) continue;
      sums.set(order.price, addFixed(sums.get(order.price) ?? ZERO, left));
    }
    return new Map([...sums].map(([price, sum]) => [price, fixedToNumber(sum)]));
  }

  /** Net executed quantity of a side plus its open quantity, a pair counted once; without fees, as the tracker counts. */
  #worst(side: "BUY" | "SELL"): Fixed {
    const records = IDS.flatMap((id) => this.world.exchange.order(id) ?? []);
    const open = records.filter((order) => order.side === side && isOpen(order));
    const isLeg = ({ orderId }: OrderRecord): boolean => orderId === TP || orderId === SL;
    const left = open.filter((order) => !isLeg(order)).map(leftOf);
    const legs = records.filter(isLeg);
    const filled = legs.reduce((sum, { executedQty }) => addFixed(sum, executedQty), ZERO);
    const [leg] = open.filter(isLeg);
    if (leg !== undefined) left.push(subFixed(leg.origQty, filled));
    const worked = records.map(({ side: on, executedQty }) => ({
      side: on,
      executed: executedQty,
    }));
    return left.reduce(addFixed, net(side, worked));
  }

  /** Nothing happens any more: every request ends, and every query gets a response. */
  settle(): void {
    this.response(false, true);
    this.response(true, true);
    while (this.cancels.length > 0) this.respondToCancel(true);
    for (let round = 0; round < 200; round += 1) {
      this.nowMs = unixMs(this.nowMs + 500);
      for (const order of this.tracker.queries.due(this.nowMs)) {
        const id = order.orderId;
        if (id === undefined) throw new Error("signed");
        this.tracker.queries.queried(order, this.nowMs);
        this.take(this.tracker.reports.report(id, this.report(id), this.nowMs, this.nowMs));
      }
      if (round % 20 === 0) {
        const orders = this.world.exchange.openOrders(bot, WHOLE_HISTORY);
        this.take(this.tracker.reports.openOrders(orders, this.nowMs, this.nowMs));
        const fills = this.world.exchange.userTrades(bot, WHOLE_HISTORY);
        this.take(this.tracker.reports.fills(fills, this.nowMs));
        this.check();
      }
    }
  }
}

const unknown: CommandOutcome = { type: "unknown", message: "" };
const money = (price: number): Fixed => fixed(String(price));
const isOpen = ({ status }: OrderRecord): boolean =>
  !isTerminal(status) && status !== "PENDING_NEW";
const leftOf = ({ origQty, executedQty }: OrderRecord): Fixed => subFixed(origQty, executedQty);

function net(
  side: string,
  orders: readonly { readonly side: string; readonly executed: Fixed }[],
): Fixed {
  return orders.reduce(
    (sum, order) =>
      order.side === side ? addFixed(sum, order.executed) : subFixed(sum, order.executed),
    ZERO,
  );
}

const kinds = [
  "land",
  "hit",
  "response",
  "cancel",
  "cancelAnswer",
  "event",
  "drop",
  "ask",
  "report",
  "askList",
  "list",
  "fills",
] as const;

const action = fc.record({
  kind: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom("event", "hit", "land" as const)),
  pick: fc.nat({ max: 11 }),
  flag: fc.boolean(),
  price: fc.constantFrom(880, 890, 950, 1000, 1000, 1050, 1100, 1110),
  quantity: fc.constantFrom("0.3", "0.7", "1", "3"),
  waitMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 6000 })),
});

function step(
  walk: Walk,
  { kind, pick, flag, price, quantity, waitMs }: Parameters<typeof run>[1],
): void {
  run(walk, { kind, pick, flag, price, quantity, waitMs });
  walk.nowMs = unixMs(walk.nowMs + waitMs);
  walk.check();
}

function run(
  walk: Walk,
  action: {
    kind: (typeof kinds)[number];
    pick: number;
    flag: boolean;
    price: number;
    quantity: string;
    waitMs: number;
  },
): void {
  const { tracker, nowMs } = walk;
  const { kind, pick, flag } = action;
  const id = IDS[pick % IDS.length] ?? A;
  const one = <Item>(items: readonly Item[]): Item | undefined =>
    items[pick % Math.max(1, items.length)];
  switch (kind) {
    case "land":
      return walk.land(pick % 4 === 0);
    case "hit":
      return walk.hit(flag ? "BUY" : "SELL", action.price, action.quantity);
    case "response":
      return walk.response(pick % 4 === 0, flag);
    case "cancel":
      return pick % 3 === 0 ? walk.cancel(id, flag) : undefined;
    case "cancelAnswer":
      return walk.respondToCancel(flag);
    case "event": {
      const event = one(walk.events);
      return event === undefined ? undefined : walk.take(tracker.reports.event(event, nowMs));
    }
    case "drop":
      walk.events.splice(pick % Math.max(1, walk.events.length), 1);
      return;
    case "ask":
      walk.reports.push({ id, report: walk.report(id), queriedAtMs: nowMs });
      return;
    case "report": {
      const sent = one(walk.reports);
      if (sent !== undefined)
        walk.take(tracker.reports.report(sent.id, sent.report, sent.queriedAtMs, nowMs));
      return;
    }
    case "askList":
      walk.lists.push({
        orders: walk.world.exchange.openOrders(bot, WHOLE_HISTORY),
        queriedAtMs: nowMs,
      });
      return;
    case "list": {
      const list = one(walk.lists);
      if (list !== undefined)
        walk.take(tracker.reports.openOrders(list.orders, list.queriedAtMs, nowMs));
      return;
    }
    case "fills":
      return walk.take(
        tracker.reports.fills(walk.world.exchange.userTrades(bot, WHOLE_HISTORY), nowMs),
      );
  }
}

const terms = fc.record({
  isSale: fc.boolean(),
  slLimit: fc.constantFrom(undefined, undefined, 1000),
  quantity: fc.constantFrom("1", "1", "1", "2000"),
});

const lateTerms = { flag: false, price: 880, quantity: "0.3", waitMs: 0 } as const;
/** The pair of a leg is canceled, and a query of before, which did not find the leg, gets its response after that. */
const lateAbsence = (
  [
    ["cancel", 6],
    ["ask", 5],
    ["land", 1],
    ["cancelAnswer", 0],
    ["event", 4],
    ["report", 0],
  ] as const
).map(([kind, pick]) => ({ ...lateTerms, kind, pick }));

describe("take profit, stop loss and a stop order, any interleaving", () => {
  it("ends in the venue's state", () => {
    fc.assert(
      fc.property(terms, fc.array(action, { maxLength: 100, size: "max" }), (drawn, actions) => {
        const walk = new Walk(drawn);
        for (const next of actions) step(walk, next);
        walk.settle();
        for (const id of IDS) {
          const order = walk.order(id);
          const real = walk.world.exchange.order(id);
          const isLive = real !== undefined && !isTerminal(real.status);
          const phase = isLive ? (real.status === "PENDING_NEW" ? "pending" : "working") : "ended";
          expect([id.slice(-3), order.phase]).toEqual([id.slice(-3), phase]);
          if (real !== undefined && real.status !== "PENDING_NEW") {
            expect(order.status).toBe(real.status);
            expect(order.executed).toBe(real.executedQty);
            if (order.trigger !== undefined && isLive) {
              expect(order.trigger.isFired).toBe(real.isTriggered);
            }
          }
          expect(missingOf(order)).toBe(ZERO);
        }
        expect(walk.yielded.size).toBe(walk.world.exchange.userTrades(bot, WHOLE_HISTORY).length);
        const expected = new Set(["STOP_TURNED"]);
        expect(walk.warned.filter((code) => !expected.has(code))).toEqual([]);
        expect(walk.tracker.queries.due(unixMs(Number.MAX_SAFE_INTEGER))).toEqual([]);
        expect(fixedToNumber(exposureOf(walk.tracker, ETH_USDT, "BUY"))).toBeGreaterThanOrEqual(0);
      }),
      {
        numRuns: 120,
        examples: [[{ isSale: false, slLimit: undefined, quantity: "1" }, lateAbsence]],
      },
    );
  });
});
