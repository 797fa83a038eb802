import { describe, expect, test } from "vitest";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { OrderSnapshot } from "../../src/orders/order-snapshot.ts";
import { OwnOrders } from "../../src/orders/own-orders.ts";
import { idOf } from "./order-fixture.ts";
import { aSnapshot, standing } from "./order-notes.ts";

function tableOf(...orders: readonly OrderSnapshot[]): OwnOrders {
  const table = new OwnOrders();
  for (const order of orders) table.apply({ order });
  return table;
}

const intents = (table: OwnOrders, strategy?: string): number[] =>
  [...table.live(strategy)].map(({ intent }) => intent);

describe("the table of own orders", () => {
  test("lists live orders by strategy, oldest first", () => {
    const table = tableOf(
      aSnapshot({ intent: 1 }),
      aSnapshot({ intent: 2, strategy: "other" }),
      aSnapshot({ intent: 3 }),
    );
    table.apply({ order: aSnapshot({ intent: 1, ...standing("NEW") }) });
    expect(intents(table)).toEqual([1, 2, 3]);
    expect(intents(table, "maker")).toEqual([1, 3]);
    table.apply({ order: aSnapshot({ intent: 1, ...standing("CANCELED") }) });
    expect(intents(table, "maker")).toEqual([3]);
  });

  test("recognises an own order after its end, and one that becomes live again", () => {
    const table = tableOf(aSnapshot({ intent: 1, ...standing("NEVER_PLACED") }));
    expect(table.byId(idOf(1))).toMatchObject({ strategy: "maker", state: "ended" });
    expect(table.byId(idOf(2))).toBeUndefined();
    table.apply({ order: aSnapshot({ intent: 1, ...standing("NEW") }) });
    expect(table.byId(idOf(1))).toMatchObject({ state: "working" });
    expect(intents(table)).toEqual([1]);
  });

  test("forgets the oldest ended orders, and never a live one", () => {
    const table = tableOf(aSnapshot({ intent: 1, ...standing("NEW") }));
    for (let intent = 2; intent <= 10_002; intent += 1) {
      table.apply({ order: aSnapshot({ intent, ...standing("FILLED") }) });
    }
    expect(table.byId(idOf(1))).toBeDefined();
    expect(table.byId(idOf(2))).toBeUndefined();
    expect(table.byId(idOf(3))).toBeDefined();
  });

  test("names the strategies of as many older orders as asked for, should the venue list them as open", () => {
    const table = new OwnOrders({ older: 2 });
    for (let intent = 1; intent <= 10_003; intent += 1) {
      table.apply({ order: aSnapshot({ intent, ...standing("CANCELED") }) });
    }
    expect(table.byId(idOf(3))).toBeUndefined();
    expect(table.strategyOf(idOf(1))).toBeUndefined();
    expect(table.strategyOf(idOf(2))).toBe("maker");
    expect(table.strategyOf(idOf(10_003))).toBe("maker");
    expect(table.strategyOf(idOf(10_004))).toBeUndefined();
  });

  test("takes the ids of an order and its legs at signing", () => {
    const tpsl = { tpLimit: 2100, slTrigger: 1900, slLimit: undefined };
    const leg = {
      orderId: undefined,
      origin: "leg",
      entry: 1,
      ...standing("PENDING_NEW"),
    } as const;
    const table = tableOf(
      aSnapshot({ intent: 1, orderId: undefined, tpsl }),
      aSnapshot({ ...leg, intent: 2, role: "takeProfit" }),
      aSnapshot({ ...leg, intent: 3, role: "stopLoss" }),
      aSnapshot({ intent: 4, orderId: undefined }),
    );
    table.signed(1, idOf(9));
    // A cancel has an intent and a hash too.
    table.signed(5, idOf(20));
    const { takeProfit, stopLoss } = legIdsOf(idOf(9));
    expect([idOf(9), takeProfit, stopLoss].map((id) => table.byId(id)?.role)).toEqual([
      "quote",
      "takeProfit",
      "stopLoss",
    ]);
    expect(table.byId(idOf(20))).toBeUndefined();
    expect([...table.live()].at(-1)?.orderId).toBeUndefined();
  });

  test("counts orders in doubt", () => {
    const table = tableOf(
      aSnapshot({ intent: 1, ...standing("NEW") }),
      aSnapshot({ intent: 2, ...standing("PARTIALLY_FILLED"), state: "canceling" }),
      aSnapshot({ intent: 3, ...standing("NEW"), side: "SELL", role: "takeProfit" }),
      aSnapshot({ intent: 4 }),
      aSnapshot({ intent: 5, ...standing("UNKNOWN") }),
      aSnapshot({ intent: 6, ...standing("PENDING_NEW"), role: "stopLoss" }),
    );
    expect(table.inDoubt("maker", () => true)).toBe(2);
    expect(table.inDoubt("other", () => true)).toBe(0);
    expect(table.inDoubt("maker", () => false)).toBe(0);
  });

  test("gives the placement time of the oldest order, from its nonce if that is earlier", () => {
    expect(tableOf().oldestMs).toBe(Number.POSITIVE_INFINITY);
    const madeAtMs = unixMs(5_000);
    expect(tableOf(aSnapshot({ madeAtMs, nonce: 6_000 })).oldestMs).toBe(5_000);
    expect(tableOf(aSnapshot({ madeAtMs, nonce: 7 })).oldestMs).toBe(7);
  });
});
