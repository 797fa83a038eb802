import { describe, expect, test } from "vitest";
import { Reaction } from "../../src/backtest/reaction.ts";
import type { OrderSnapshot } from "../../src/orders/order-snapshot.ts";
import { testMarket } from "../support/exchange.ts";

const { marketId } = testMarket();
const strategy = "maker";

function order(intent: number, part: Partial<OrderSnapshot> = {}): OrderSnapshot {
  const bid = {
    intent,
    strategy,
    marketId,
    side: "BUY",
    price: 99,
    state: "working",
    wasCanceled: false,
  };
  return { ...bid, ...part } as OrderSnapshot;
}

/** A bid at 99, planned at a mid of 100 with a tolerance of 0.5 %. */
function withBid(): Reaction {
  const reaction = new Reaction();
  reaction.planned({ type: "planned", strategy, marketId, mid: 100, tolerance: 0.005, kept: [] });
  reaction.order(order(1), 0);
  return reaction;
}

describe("the reaction of quotes to the market", () => {
  test("is the time from the move that made a quote too dangerous to its cancel", () => {
    const reaction = withBid();
    reaction.mid(100, 99.6);
    reaction.mid(200, 99.4);
    reaction.mid(300, 99.2);
    reaction.order(order(1, { wasCanceled: true }), 350);
    expect(reaction.figures()).toMatchObject({ p50Ms: 150, p90Ms: 150 });
  });

  test("does not count a move that returned, nor one that made the quote safer", () => {
    const reaction = withBid();
    reaction.mid(100, 99.4);
    reaction.mid(200, 99.8);
    reaction.mid(300, 102);
    reaction.order(order(1, { wasCanceled: true }), 350);
    expect(reaction.figures().p50Ms).toBeUndefined();
  });

  test("counts what a quote that was kept was off already", () => {
    const reaction = withBid();
    reaction.planned({
      type: "planned",
      strategy,
      marketId,
      mid: 100,
      tolerance: 0.005,
      kept: [{ intent: 1, price: 98.6 }],
    });
    reaction.mid(100, 99.85);
    reaction.order(order(1, { wasCanceled: true }), 130);
    expect(reaction.figures().p50Ms).toBe(30);
  });

  test("calls a fill off target when the bot had received the book that says so and had not moved the quote", () => {
    const reaction = withBid();
    reaction.fill(1, 100, 99.9);
    reaction.fill(1, 200, 99.4);
    expect(reaction.figures().leavingMaxMs).toBeUndefined();
    reaction.order(order(1, { wasCanceled: true }), 350);
    reaction.fill(1, 358, 99.4);
    reaction.order(order(1, { wasCanceled: true }), 359);
    reaction.fill(1, 360, undefined);
    const fills = { offTargetFills: 0.25, leavingFills: 0.5, leavingMaxMs: 10 };
    expect(reaction.figures()).toMatchObject(fills);
  });
});
