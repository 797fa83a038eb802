import fc from "fast-check";
import { expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { Ledger } from "../../src/exchange/ledger.ts";
import { Order, syntheticHash } from "../../src/exchange/order.ts";
import { OrderTable } from "../../src/exchange/order-table.ts";
import { NOW, testAddress, testHash, testMarket } from "../support/exchange.ts";
import { runs } from "../support/soak.ts";

const account = new Ledger().account(testAddress(1));
const market = testMarket();

/** Ids of all kinds: hashes, synthetic ones, and ids of legs, which differ in the last byte. */
const ids: readonly OrderId[] = Array.from({ length: 300 }, (_, at) => [
  testHash(at * 256),
  testHash(at * 256 + 1),
  syntheticHash("order", at),
  `0x${((BigInt(at) * 0x9e3779b97f4a7c15f39cc0605cedc835n) % (1n << 128n)).toString(16).padStart(32, "0")}${"ab".repeat(16)}` as OrderId,
]).flat();

function orderOf(orderId: OrderId): Order {
  return new Order({
    recordId: 1,
    orderId,
    account,
    market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed("1"),
    quantity: fixed("1"),
    timeMs: NOW,
  });
}

test("an order table behaves like a map by id", () => {
  const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: ids.length - 1 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4000, size: "max" }), (steps) => {
      const table = new OrderTable();
      const map = new Map<OrderId, Order>();
      for (const [isSet, at] of steps) {
        const id = ids[at] as OrderId;
        if (isSet) {
          const order = orderOf(id);
          table.set(order);
          map.set(id, order);
        } else {
          table.delete(id);
          map.delete(id);
        }
      }
      expect(table.size).toBe(map.size);
      for (const id of ids) expect(table.find(id)).toBe(map.get(id));
    }),
    runs(30),
  );
});

test("an order table grows, and is empty again after all orders are deleted", () => {
  const table = new OrderTable();
  for (let number = 0; number < 20_000; number += 1) table.set(orderOf(testHash(number)));
  expect(table.size).toBe(20_000);
  expect(table.find(testHash(19_999))?.orderId).toBe(testHash(19_999));
  for (let number = 0; number < 20_000; number += 1) table.delete(testHash(number));
  expect(table.size).toBe(0);
  expect(table.find(testHash(7))).toBeUndefined();
});
