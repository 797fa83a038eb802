import { expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { OlderOrders } from "../../src/orders/older-orders.ts";
import { idOf } from "./order-fixture.ts";

/** Ids that no leg of another has. */
const id = (at: number): OrderId => idOf(1_024 * (at + 1));

it("names the strategies of the newest orders, legs of one quote included, and of no other", () => {
  const older = new OlderOrders(100_000);
  const ids = Array.from({ length: 60_000 }, (_, at) => id(at));
  for (const [at, orderId] of ids.entries()) {
    older.add(orderId, `strategy ${at % 3}`);
    older.add(legIdsOf(orderId).stopLoss, "legs");
  }
  for (const at of [10_000, 33_333, 59_999]) {
    expect(older.strategyOf(id(at))).toBe(`strategy ${at % 3}`);
    expect(older.strategyOf(legIdsOf(id(at)).stopLoss)).toBe("legs");
  }
  // The oldest made room, and the others never were.
  const strangers = Array.from({ length: 100 }, (_, at) => id(200_000 + at));
  for (const orderId of [...ids.slice(0, 100), ...strangers]) {
    expect(older.strategyOf(orderId)).toBeUndefined();
  }
});

it("remembers nothing without room", () => {
  const none = new OlderOrders(0);
  none.add(idOf(1), "maker");
  expect(none.strategyOf(idOf(1))).toBeUndefined();
});
