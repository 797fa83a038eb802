import { expect, it } from "vitest";
import { orderFrom } from "../../src/gateway/from-wire.ts";
import type { WireOrder } from "../../src/spec/resources.ts";

const wire: WireOrder = {
  orderId: `0x${"AB".repeat(32)}`,
  accountAddress: `0x${"aa".repeat(20)}`,
  marketId: "1_2",
  side: "SELL",
  orderType: "STOP_LOSS_MARKET",
  price: "0",
  origQty: "1",
  origQuoteOrderQty: "0",
  status: "NEW",
  txHash: `0x${"ab".repeat(32)}`,
  createdAt: 1,
  updatedAt: 1,
  executedQty: "0",
  executedQuoteQty: "0",
};

it("isTriggered is set for stop orders only, and is absent when the venue omits it (§2.5)", () => {
  expect(orderFrom({ ...wire, isTrigger: true, isTriggered: true }).isTriggered).toBe(true);
  expect(orderFrom({ ...wire, isTrigger: true, isTriggered: false }).isTriggered).toBe(false);
  expect("isTriggered" in orderFrom({ ...wire, isTrigger: false, isTriggered: false })).toBe(false);
  expect("isTriggered" in orderFrom(wire)).toBe(false);
});
