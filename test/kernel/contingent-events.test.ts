import { describe, expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import type { OrderType } from "../../src/domain/order.ts";
import type { OrderEventType } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import { Harness, hashOf, market, owner, readsOf } from "./harness.ts";

/** An event of an order of the account that the bot did not place. */
function foreign(bot: Harness, orderType: OrderType, eventType: OrderEventType): Input {
  bot.block += 1;
  const timeMs = unixMs(bot.nowMs);
  return {
    type: "orderEvent",
    event: {
      eventType,
      order: {
        orderId: hashOf(777),
        account: owner,
        marketId: market.marketId,
        side: "SELL",
        orderType,
        orderMode: 0,
        price: fixed("2000"),
        origQty: fixed("1"),
        origQuoteOrderQty: ZERO,
        executedQty: ZERO,
        executedQuoteQty: ZERO,
        status: eventType === "CANCEL" ? "CANCELED" : "NEW",
        createdAtMs: timeMs,
        updatedAtMs: timeMs,
      },
      fill: undefined,
      blockNumber: bot.block,
      timeMs,
      txHash: hashOf(777),
    },
  };
}

describe("events of stop orders and legs", () => {
  it.each(["NEW", "TRIGGER", "CANCEL"] as const)(
    "a %s event requests the balances again",
    (type) => {
      const bot = new Harness({ decide: () => keepQuotes() });
      bot.begin();
      expect(readsOf(bot.after(10, foreign(bot, "LIMIT", type)))).toEqual([]);
      expect(readsOf(bot.after(10, foreign(bot, "STOP_LOSS_MARKET", type)))).toEqual(["balances"]);
      // While a response is pending, one more query covers all further events.
      expect(readsOf(bot.after(10, foreign(bot, "TAKE_PROFIT_LIMIT", type)))).toEqual([]);
      expect(readsOf(bot.after(10, foreign(bot, "TAKE_PROFIT_LIMIT", type)))).toEqual([]);
      expect(readsOf(bot.after(10, bot.balances()))).toEqual(["balances"]);
      expect(readsOf(bot.after(10, bot.balances()))).toEqual([]);
    },
  );
});
