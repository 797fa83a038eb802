import { expect, test } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { SummaryFold } from "../../src/metrics/summary-fold.ts";
import { PositionBook } from "../../src/orders/position-book.ts";
import { hashOf, market, start } from "../kernel/harness.ts";

const end = {
  durationMs: 60_000,
  ordersLeft: [],
  foreignOrders: 0,
  signer: "ethers",
  described: new Map(),
} as const;

function bought(quantity: string) {
  return {
    tradeId: quantity,
    orderId: hashOf(1),
    marketId: market.marketId,
    side: "BUY",
    price: fixed("2000"),
    quantity: fixed(quantity),
    fee: ZERO,
    feeToken: market.baseToken,
    isMaker: true,
    timeMs: unixMs(start),
  } as const;
}

test("each of several strategies has its own position over all runs, and the total has their sum", () => {
  const positions = new PositionBook();
  positions.apply("maker", bought("1"));
  positions.apply("other", bought("0.5"));
  const strategies = ["maker", "other"].map((name) => ({ name, market }));
  const fold = new SummaryFold({ strategies, startMs: start });
  fold.mid(market.marketId, 2001);
  expect(fold.result({ ...end, positions: positions.all() })).toMatchObject({
    position: { base: "1.5", unrealisedPnl: "1.5" },
    strategies: [
      { position: { base: "1", unrealisedPnl: "1" } },
      { position: { base: "0.5", unrealisedPnl: "0.5" } },
    ],
  });
});

test("strategies in several markets have no common position, but a portfolio", () => {
  const positions = new PositionBook();
  const other = { ...market, marketId: marketId("3", "2"), baseToken: tokenId("3") };
  positions.apply("maker", bought("1"));
  // A market that the strategy traded in an earlier run.
  positions.apply("other", bought("0.5"));
  const strategies = [
    { name: "maker", market },
    { name: "other", market: other },
  ];
  const fold = new SummaryFold({ strategies, startMs: start });
  fold.mid(market.marketId, 2001);
  expect(fold.result({ ...end, positions: positions.all() })).toMatchObject({
    position: null,
    portfolio: { currency: "2", pnl: { total: "1" }, exposure: "2001", positions: { "1": "1" } },
  });
});

test("a strategy that has never traded has a position of 0 and no unrealised PnL", () => {
  const fold = new SummaryFold({ strategies: [{ name: "maker", market }], startMs: start });
  expect(fold.result({ ...end, positions: new PositionBook().all() }).position).toMatchObject({
    base: "0",
    realisedPnl: "0",
    unrealisedPnl: "0",
  });
});
