import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixedToNumber, subFixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import type { QueueModel } from "../../src/exchange/queue-model.ts";
import { queueModel } from "../../src/simulated/queue-models.ts";
import {
  ETH_USDT,
  expectConservation,
  limit,
  NOW,
  testAddress,
  testExchange,
  testHash,
} from "../support/exchange.ts";
import { isSoak } from "../support/soak.ts";
import { type NaiveLevel, type NaiveLevels, NaiveQueues } from "./naive-queues.ts";

const SIDES = ["BUY", "SELL"] as const;
const STEPS = 1500;

interface OwnOrder {
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  /** Hundredths, as all quantities here. */
  readonly quantity: number;
}

type Action =
  | { readonly type: "gap" }
  | { readonly type: "depth"; readonly levels: NaiveLevels }
  | { readonly type: "book"; readonly levels: NaiveLevels }
  | {
      readonly type: "trade";
      /** Of the makers. */
      readonly side: Side;
      readonly price: number;
      readonly quantity: number;
    }
  | { readonly type: "place"; readonly order: OwnOrder }
  | { readonly type: "cancel"; readonly id: number };

/** Actions in a market of which some events are lost and some books are short. */
function* randomActions(random: Prng, isLive: (id: number) => boolean): Generator<Action> {
  const real: Record<Side, Map<number, number>> = { BUY: new Map(), SELL: new Map() };
  let orders: OwnOrder[] = [];
  let mid = 1000;
  for (let id = 1; id <= STEPS; id += 1) {
    orders = orders.filter((order) => isLive(order.id));
    const kind = random.unit();
    const side = random.pick(SIDES);
    const sign = side === "BUY" ? -1 : 1;
    if (kind < 0.4) {
      if (random.chance(0.3)) mid += random.pick([-1, 1]);
      const levels = { BUY: changed("BUY"), SELL: changed("SELL") };
      yield random.chance(0.12) ? { type: "gap" } : { type: "depth", levels };
    } else if (kind < 0.43) {
      const levels = { BUY: best("BUY"), SELL: best("SELL") };
      if (levels.BUY.length + levels.SELL.length > 0) yield { type: "book", levels };
    } else if (kind < 0.7) {
      const own = orders.filter((order) => order.side === side).map(({ price }) => price);
      const price = random.pick([mid + sign * random.int(0, 5), ...own]);
      yield { type: "trade", side, price, quantity: random.int(1, 250) };
    } else if (kind < 0.92) {
      const price = mid + sign * random.int(-2, 7);
      const meetsOwn = orders.some(
        (order) => order.side !== side && sign * (order.price - price) >= 0,
      );
      if (meetsOwn) continue;
      const order = { id, side, price, quantity: random.int(1, 300) };
      orders.push(order);
      yield { type: "place", order };
    } else if (orders.length > 0) {
      yield { type: "cancel", id: random.pick(orders).id };
    }
  }

  function changed(side: Side): NaiveLevel[] {
    const sign = side === "BUY" ? -1 : 1;
    const changes = new Map<number, number>();
    for (const price of real[side].keys()) if ((price - mid) * sign < 1) changes.set(price, 0);
    for (let rank = 1; rank <= 8; rank += 1) {
      if (random.chance(0.12))
        changes.set(mid + sign * rank, random.chance(0.3) ? 0 : random.int(1, 500));
    }
    for (const [price, quantity] of changes) real[side].set(price, quantity);
    return [...changes];
  }

  /** The best levels of the real book. */
  function best(side: Side): NaiveLevel[] {
    const sign = side === "BUY" ? -1 : 1;
    return [...real[side]]
      .filter(([, quantity]) => quantity > 0)
      .sort(([left], [right]) => sign * (left - right))
      .slice(0, random.int(0, 6));
  }
}

/** The exchange that plays a recording with this model. */
function marketOf(queue: QueueModel) {
  const tested = testExchange({}, [["1000000", "1000000000"]]);
  const { exchange } = tested;
  const recorded = exchange.recordedLiquidity(ETH_USDT, queue);
  const orderOf = (id: number) => exchange.order(testHash(id));
  return {
    tested,
    apply(action: Action): void {
      if (action.type === "gap") recorded.snapshot(flat([]), flat([]), NOW);
      else if (action.type === "depth" || action.type === "book") {
        const { BUY, SELL } = action.levels;
        recorded[action.type === "book" ? "snapshot" : "depth"](flat(BUY), flat(SELL), NOW);
      } else if (action.type === "trade") {
        const { side, price, quantity } = action;
        recorded.trade({ price, quantity: quantity / 100, isBuyerMaker: side === "BUY" }, NOW);
      } else {
        const id: OrderId = testHash(action.type === "place" ? action.order.id : action.id);
        const command = (() => {
          if (action.type === "cancel") return { type: "cancel", orderId: id } as const;
          const { side, price, quantity } = action.order;
          return limit(side, String(price), String(quantity / 100));
        })();
        const options = action.type === "place" ? { txHash: id } : {};
        expect(exchange.execute(testAddress(1), command, NOW, options).type).toBe("accepted");
      }
    },
    isLive: (id: number): boolean =>
      ["NEW", "PARTIALLY_FILLED"].includes(orderOf(id)?.status ?? ""),
    remaining(id: number): number {
      const order = orderOf(id);
      if (order === undefined || order.status === "CANCELED") return 0;
      return Math.round(100 * fixedToNumber(subFixed(order.origQty, order.executedQty)));
    },
    remainingAt(side: Side, price: number): number | undefined {
      const quantity = recorded.depthLevels(side).remainingAt(price);
      return quantity === undefined ? undefined : Math.round(quantity * 100);
    },
  };
}

function flat(levels: readonly NaiveLevel[]): Float64Array {
  return Float64Array.from(levels.flatMap(([price, quantity]) => [price, quantity / 100]));
}

/** What a market shows at each price near the touch, as text. */
function shown(at: (side: Side, price: number) => number | undefined): string {
  const prices = Array.from({ length: 31 }, (_, rank) => 985 + rank);
  return SIDES.map((side) => prices.map((price) => at(side, price) ?? "?").join(" ")).join("\n");
}

const seeds = Array.from({ length: isSoak ? 100 : 1 }, (_, at) => at + 1);
describe.each(
  (["risk-averse", "trade-through"] as const).flatMap((queue) =>
    [true, false].map((partialFills) => ({ queue, partialFills, exponent: 3 })),
  ),
)("prices that nothing has shown, $queue, partial fills $partialFills", (settings) => {
  const queue = queueModel(settings);
  test.each(seeds)("fill own orders as a plain list of them does, seed %i", (seed) => {
    const market = marketOf(queue);
    const naive = new NaiveQueues(queue);
    const ids: number[] = [];
    let unknown = 0;
    for (const action of randomActions(new Prng(seed), market.isLive)) {
      market.apply(action);
      if (action.type === "gap") naive.gap();
      else if (action.type === "depth") naive.depth(action.levels);
      else if (action.type === "book") naive.book(action.levels);
      else if (action.type === "trade") naive.trade(action.side, action.price, action.quantity);
      else if (action.type === "cancel") naive.cancel(action.id);
      else {
        const { quantity: remaining, ...order } = action.order;
        ids.push(order.id);
        naive.place({ ...order, remaining });
      }
      const left = new Map(naive.orders.map(({ id, remaining }) => [id, remaining]));
      const newest = ids.slice(-60);
      expect(newest.map((id) => `${id}: ${market.remaining(id)}`)).toEqual(
        newest.map((id) => `${id}: ${left.get(id) ?? 0}`),
      );
      expect(shown((side, price) => market.remainingAt(side, price))).toBe(
        shown((side, price) => naive.shownAt(side, price)),
      );
      unknown += naive.orders.filter(({ ahead }) => ahead === Infinity).length;
    }
    expectConservation(market.tested);
    expect(unknown).toBeGreaterThan(100);
  });
});

describe.each(["uniform", "power", "log"] as const)("with the model %s, orders", (name) => {
  test.each(seeds)("share no trade and wait at prices that nothing has shown, seed %i", (seed) => {
    const model = queueModel({ queue: name, exponent: 3, partialFills: true });
    const market = marketOf({
      ...model,
      frontAfter(front, before, after) {
        expect(front >= 0 && front <= before && after < before).toBe(true);
        return model.frontAfter(front, before, after);
      },
    });
    const live = new Map<number, OwnOrder>();
    /** Those at whose price neither depth nor a trade has shown anything since they came. */
    const unseen = new Set<number>();
    let kept = 0;
    for (const action of randomActions(new Prng(seed), market.isLive)) {
      const before = new Map([...live.keys()].map((id) => [id, market.remaining(id)]));
      market.apply(action);
      if (action.type === "trade") {
        const made = [...live.values()]
          .filter((order) => order.side === action.side)
          .map(
            (order) => [order, (before.get(order.id) ?? 0) - market.remaining(order.id)] as const,
          );
        expect(made.reduce((sum, [, filled]) => sum + filled, 0)).toBeLessThanOrEqual(
          action.quantity,
        );
        for (const [order, filled] of made) {
          if (order.price !== action.price) {
            // A trade beyond the order proves that nothing is in front of it.
            const isBeyond =
              action.side === "BUY" ? action.price < order.price : action.price > order.price;
            if (isBeyond) unseen.delete(order.id);
          } else if (unseen.has(order.id)) {
            expect(filled).toBe(0);
            kept += 1;
          }
        }
      }
      if (action.type === "place") {
        live.set(action.order.id, action.order);
        unseen.add(action.order.id);
      }
      for (const { id, side, price } of live.values()) {
        if (market.remainingAt(side, price) !== undefined) unseen.delete(id);
        if (!market.isLive(id)) live.delete(id);
      }
    }
    expectConservation(market.tested);
    expect(kept).toBeGreaterThan(5);
  });
});

test.each(SIDES)("a new %s order where the other side has been is the first there", (side) => {
  const levelsOf = (own: readonly NaiveLevel[], others: readonly NaiveLevel[]): NaiveLevels =>
    side === "BUY" ? { BUY: own, SELL: others } : { BUY: others, SELL: own };
  const at = (rank: number): number => (side === "BUY" ? 1000 + rank : 1000 - rank);
  const filled = (...events: NaiveLevels[]): number => {
    const market = marketOf(queueModel({ queue: "risk-averse", exponent: 3, partialFills: true }));
    for (const levels of events) market.apply({ type: "depth", levels });
    const order = { id: 1, side, price: at(0), quantity: 100 };
    market.apply({ type: "place", order });
    // They join behind it.
    market.apply({ type: "depth", levels: levelsOf([[at(0), 300]], []) });
    market.apply({ type: "trade", side, price: at(0), quantity: 50 });
    return 100 - market.remaining(1);
  };
  const start = levelsOf([[at(-3), 700]], [[at(2), 500]]);
  expect(filled(start)).toBe(0);
  const passed = levelsOf([], [[at(0), 500]]);
  const back = levelsOf([], [[at(0), 0]]);
  expect(filled(start, passed, back)).toBe(50);
});
