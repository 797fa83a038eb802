import { expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import type { Input } from "../../src/kernel/input.ts";
import { unixMs } from "../../src/domain/time.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, market, owner, placesOf, start } from "./harness.ts";

it("nothing is quoted before a list of open orders that was requested when no order that the journal lost can appear any more", () => {
  const bot = new Harness({
    decide: (view) => setQuotes({ bids: [{ price: (view.book.mid ?? 0) - 1, size: "1" }] }),
  });
  const tail = { sinceMs: start - 1_000, untilMs: start + 5_000, marketIds: [market.marketId] };
  bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails: [tail] } });
  expect(placesOf(bot.begin())).toEqual([]);
  const listed = () => {
    bot.after(2_000);
    return placesOf(bot.after(1, { type: "openOrders", orders: [] }));
  };
  // Requested before that time: an order may still appear.
  expect(listed()).toEqual([]);
  expect(listed()).toEqual([]);
  expect(listed()).toHaveLength(1);
});

it.each([
  { when: "below the journal's last entry", startMs: start, adopted: [hashOf(7)] },
  { when: "above it from the start", startMs: start + 6_000, adopted: [] },
])(
  "an order older than the journal's end that is listed late is adopted when the venue's clock was read $when",
  ({ startMs, adopted }) => {
    const bot = new Harness({
      decide: () => setQuotes({}),
      config: { adoptsAfterSetClocks: true },
    });
    const tail = {
      sinceMs: start + 5_000,
      offsetMs: 0,
      untilMs: start + 15_000,
      landsUntilMs: start + 80_000,
      marketIds: [market.marketId],
    };
    bot.nowMs = startMs;
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails: [tail] } });
    bot.begin();
    // By the time of the list, the venue's clock is above that entry again.
    bot.after(6_000);
    expect(cancelsOf(bot.after(1, listOf(start + 1_000)))).toEqual(adopted);
  },
);

/** A list with one open order that the journal does not know. */
function listOf(createdAtMs: number): Input {
  return {
    type: "openOrders",
    orders: [
      {
        orderId: hashOf(7),
        account: owner,
        marketId: market.marketId,
        side: "BUY",
        orderType: "LIMIT",
        orderMode: 0,
        price: fixed("1990"),
        origQty: fixed("1"),
        origQuoteOrderQty: ZERO,
        executedQty: ZERO,
        executedQuoteQty: ZERO,
        status: "NEW",
        createdAtMs: unixMs(createdAtMs),
        updatedAtMs: unixMs(createdAtMs),
      },
    ],
  };
}
