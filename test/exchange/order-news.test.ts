import { expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { limit, NOW, testAddress, testExchange, testHash } from "../support/exchange.ts";

const [alice, bob] = [testAddress(1), testAddress(2)];
const [A, B, C] = [testHash(0xa00), testHash(0xb00), testHash(0xc00)];

/** Records are created when they are read, which may be much later. */
test("an event shows the order's state at the time of the event, whenever it is read", () => {
  const { exchange, blocks } = testExchange();
  exchange.execute(alice, limit("BUY", "1000", "3"), NOW, { txHash: A });
  exchange.execute(bob, limit("SELL", "1000", "1"), unixMs(NOW + 1), { txHash: B });
  exchange.execute(alice, { type: "cancel", orderId: A }, unixMs(NOW + 2), { txHash: C });
  const told = blocks
    .flatMap(({ orderEvents }) => orderEvents)
    .map(({ account, eventType, order, fill }) => [
      account,
      eventType,
      order.status,
      order.executedQty,
      order.executedQuoteQty,
      order.updatedAtMs,
      fill?.isMaker,
    ]);
  const [one, thousand, none] = [fixed("1"), fixed("1000"), fixed("0")];
  expect(told).toEqual([
    [alice, "NEW", "NEW", none, none, NOW, undefined],
    [bob, "NEW", "NEW", none, none, NOW + 1, undefined],
    [bob, "TRADE", "FILLED", one, thousand, NOW + 1, false],
    [alice, "TRADE", "PARTIALLY_FILLED", one, thousand, NOW + 1, true],
    [alice, "CANCEL", "CANCELED", one, thousand, NOW + 2, undefined],
  ]);
  const trade = blocks[1]?.orderEvents[2];
  expect(trade?.order).toBe(trade?.order);
  expect(trade?.fill).toBe(trade?.fill);
});
