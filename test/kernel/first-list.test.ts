import { describe, expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input, RestoredOrder } from "../../src/kernel/input.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import { bidReport, cancelsOf, Harness, hashOf, market, start } from "./harness.ts";

/** Orders of an earlier run are settled by the first list of open orders where that is possible. */

function restoredOrder(bot: Harness, at: number): RestoredOrder {
  return {
    orderId: hashOf(1000 + at),
    nonce: bot.nowMs - 5_000 - at,
    strategy: "maker",
    marketId: market.marketId,
    side: "BUY",
    price: 1990,
    quantity: "1",
    executed: "0",
    tradeIds: [],
  };
}

function openReport({ orderId, nonce }: RestoredOrder): OrderReport {
  return bidReport(orderId, nonce);
}

function restarted(count: number) {
  const rate = { perSecond: 20, burst: 40, concurrency: 40 };
  const bot = new Harness({ decide: () => keepQuotes(), config: { rate } });
  const orders = Array.from({ length: count }, (_, at) => restoredOrder(bot, at));
  const first = bot.step(
    { type: "restored", restored: { orders, nonceHighWater: bot.nowMs, carried: [] } },
    { type: "stream", state: "opened", reason: "" },
  );
  return { bot, orders, first };
}

function queriedIn(effects: readonly Effect[]): OrderId[] {
  return effects.flatMap((effect) => (effect.type === "order" ? [effect.orderId] : []));
}

describe("orders of an earlier run", () => {
  it("are queried by id when the first list of open orders lacks them", () => {
    const { bot, orders, first } = restarted(3);
    expect(queriedIn(first)).toEqual([]);
    const [listed, ...missing] = orders;
    if (listed === undefined) throw new Error("no order");
    const after = bot.after(100, { type: "openOrders", orders: [openReport(listed)] });
    expect(queriedIn(after)).toEqual(missing.map(({ orderId }) => orderId));
    expect(queriedIn(bot.after(5_000))).not.toContain(listed.orderId);
  });

  it("are queried by id when no list has come for three seconds", () => {
    const { bot, orders } = restarted(3);
    expect(queriedIn(bot.after(2_999))).toEqual([]);
    expect(queriedIn(bot.after(1))).toEqual(orders.map(({ orderId }) => orderId));
  });

  it("are canceled by the clock that it read while the venue's time cannot be read", () => {
    const canceled = (offsetMs?: number) => {
      const bot = new Harness({ decide: () => keepQuotes() });
      const orders = [{ ...restoredOrder(bot, 0), strategy: "gone" }];
      const { nowMs } = bot;
      const past = offsetMs === undefined ? {} : { lastEntry: { nowMs, offsetMs, isOpen: true } };
      const restored = { orders, nonceHighWater: nowMs - 5_000, carried: [], ...past };
      bot.step({ type: "restored", restored }, { type: "stream", state: "opened", reason: "" });
      const list = { type: "openOrders", orders: orders.map(openReport) } as const;
      return bot.after(10_000, list).filter(({ type }) => type === "cancel");
    };
    expect(canceled()).toEqual([]);
    expect(canceled(90_000)).toMatchObject([{ orderId: hashOf(1000), nonce: start + 100_000 }]);
  });

  it("are neither queried nor canceled when there are hundreds and the first list shows them", () => {
    const { bot, orders, first } = restarted(300);
    const reports = new Map(orders.map((order) => [order.orderId, openReport(order)]));
    const response = (effect: Effect): Input[] => {
      if (effect.type === "order") {
        return [{ ...effect, report: reports.get(effect.orderId) ?? "absent" }];
      }
      if (effect.type === "openOrders")
        return [{ type: "openOrders", orders: [...reports.values()] }];
      if (effect.type === "venueTime") return [{ ...effect, offsetMs: 0, roundTripMs: 1 }];
      if (effect.type === "balances") return [bot.balances()];
      if (effect.type === "fills") return [{ type: "fills", fills: [] }];
      if (effect.type === "book") return [bot.snapshot(1999, 2001)];
      return [];
    };
    const all = [...first];
    let effects = first;
    const endMs = bot.nowMs + 12_000;
    while (bot.nowMs < endMs) {
      effects = bot.after(50, ...effects.flatMap(response), {
        type: "stream",
        state: "alive",
        reason: "",
      });
      all.push(...effects);
    }
    expect(queriedIn(all)).toEqual([]);
    expect(cancelsOf(all)).toEqual([]);
  });
});
