import { expect, it } from "vitest";
import { UnsentOrders } from "../../src/runtime/unsent-orders.ts";

it("warns of orders that were not sent at once, then once a minute with those in between", () => {
  const unsent = new UnsentOrders();
  const warned = (count: number, atMs: number): unknown =>
    unsent.add(Array(count).fill("slow"), atMs);
  const warning = (message: string) => ({ type: "warning", code: "ORDERS_NOT_SENT", message });
  expect(warned(0, 4_000)).toBeUndefined();
  expect(warned(1, 5_000)).toEqual(warning("1 order was not sent: slow"));
  expect(warned(4, 6_000)).toBeUndefined();
  expect(warned(3, 64_999)).toBeUndefined();
  expect(warned(2, 65_000)).toEqual(
    warning("2 orders were not sent, and 7 more since the last such warning: slow"),
  );
  expect(warned(2, 125_000)).toEqual(warning("2 orders were not sent: slow"));
});
