import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { KernelConfig } from "../../src/kernel/config.ts";
import type { RestoredOrder } from "../../src/orders/restored-order.ts";
import { riskSchema, triggersSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import {
  bidReport,
  cancelsOf,
  Harness,
  hashOf,
  market,
  owner,
  placesOf,
  start,
} from "./harness.ts";

const id = hashOf(99);

function saved(more: Partial<RestoredOrder>): RestoredOrder {
  return {
    orderId: id,
    nonce: start - 1000,
    strategy: "maker",
    marketId: market.marketId,
    side: "BUY",
    price: 1990,
    quantity: "2",
    executed: "0",
    tradeIds: [],
    ...more,
  };
}

/** A bot that wants a bid at 1990 and has this order of an earlier run. */
function restarted(order: RestoredOrder, more: Partial<KernelConfig> = {}) {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
    config: {
      risk: riskSchema.parse({ maxPosition: "3" }),
      rate: { perSecond: 20, burst: 40, concurrency: 32 },
      ...more,
    },
  });
  const restored = { nonceHighWater: start - 1, orders: [order], carried: [] };
  const effects = [...bot.step({ type: "restored", restored })];
  const filled = fixed("2");
  const report = {
    orderId: id,
    account: owner,
    marketId: order.marketId,
    side: order.side,
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed(String(order.price)),
    origQty: filled,
    origQuoteOrderQty: fixed("0"),
    executedQty: filled,
    executedQuoteQty: fixed("0"),
    status: "FILLED",
    createdAtMs: unixMs(start),
    updatedAtMs: unixMs(start),
  } as const;
  const fill = {
    tradeId: "t1",
    orderId: id,
    marketId: order.marketId,
    side: order.side,
    price: fixed("1990"),
    quantity: filled,
    fee: fixed("0"),
    feeToken: market.baseToken,
    isMaker: true,
    timeMs: unixMs(start),
  };
  /** The venue says that the order was filled. */
  const fillIt = () =>
    bot.step({
      type: "orderEvent",
      event: {
        eventType: "TRADE",
        order: report,
        fill,
        blockNumber: 1_000,
        timeMs: unixMs(start),
        txHash: id,
      },
    });
  const codes = (): string[] =>
    bot.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
  return { bot, effects, fillIt, codes };
}

describe("an order of an earlier run", () => {
  it("is kept as a quote of the strategy of its name in its market", () => {
    const { bot, effects, codes } = restarted(saved({}));
    const listed = { ...bidReport(id, start - 1000), origQty: fixed("2") };
    effects.push(
      ...bot.step(
        { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
        { type: "stream", state: "opened", reason: "" },
      ),
      ...bot.step({ type: "openOrders", orders: [listed] }, bot.balances()),
      ...bot.step(bot.snapshot(1999, 2001)),
    );
    expect([placesOf(effects), cancelsOf(effects)]).toEqual([[], []]);
    expect(codes()).toEqual([]);
  });

  it.each([
    ["another market", saved({ marketId: "3_2" as MarketId })],
    ["a strategy that is gone", saved({ strategy: "gone" })],
  ])("is canceled when it is of %s, and serves no quote", (_, order) => {
    const { bot, effects, codes } = restarted(order);
    effects.push(...bot.begin());
    const canceled = bot.notes.flatMap((note) =>
      note.type === "order" && note.order.state === "canceling" ? [note.order.orderId] : [],
    );
    expect(canceled).toEqual([id]);
    expect(placesOf(effects)).toHaveLength(order.strategy === "gone" ? 0 : 1);
    expect(codes()).toEqual(["ORPHANED_ORDERS"]);
  });

  it("in another market can be filled while the risk ladder watches", () => {
    const bot = triggersSchema("bot").parse({ feeSurprise: { halt: "1%" }, dayLoss: { halt: 5 } });
    const ladder = { bot, strategies: {}, widenBy: 2 };
    const { fillIt, codes } = restarted(saved({ marketId: "3_2" as MarketId }), { ladder });
    fillIt();
    expect(codes()).toContain("ORPHANED_FILL");
  });

  it("counts in its market's limits after it was filled, and in no strategy's position", () => {
    const { bot, fillIt, codes } = restarted(saved({ strategy: "gone" }));
    fillIt();
    const placed = placesOf(bot.begin());
    // 2 are held and 2 are wanted: more than the limit of 3.
    expect(placed).toEqual([]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "denied",
        strategy: "maker",
        reason: expect.objectContaining({ rule: "max-position", actual: "4" }),
      }),
    );
    expect(codes()).toContain("ORPHANED_FILL");
    expect(bot.notes).toContainEqual(expect.objectContaining({ type: "fill", strategy: "gone" }));
  });
});
