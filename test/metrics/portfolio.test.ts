import { expect, test } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId, tokensOf } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { portfolioOf, type ValuedPosition } from "../../src/metrics/portfolio.ts";
import { PositionBook } from "../../src/orders/position-book.ts";
import { hashOf } from "../kernel/harness.ts";

/** A position that was bought at a price (sold when negative), with the mid now; its day began before it. */
function held(base: string, quote: string, quantity: string, price: string, mid?: number) {
  const id = marketId(base, quote);
  const book = new PositionBook();
  book.markDay("maker", id, undefined, 0);
  book.apply("maker", {
    tradeId: "1",
    orderId: hashOf(1),
    marketId: id,
    side: quantity.startsWith("-") ? "SELL" : "BUY",
    price: fixed(price),
    quantity: fixed(quantity.replace("-", "")),
    fee: ZERO,
    feeToken: tokensOf(id).base,
    isMaker: true,
    timeMs: unixMs(1),
  });
  return { booked: book.of("maker", id), mid } satisfies ValuedPosition;
}

test("a portfolio has the net position of each base token, and PnL by quote token and in one currency", () => {
  const positions = [
    held("1", "2", "3", "2000", 2010),
    held("1", "3", "-1", "2500", 2512.5),
    held("5", "2", "10", "7", 6),
  ];
  expect(portfolioOf(positions, undefined)).toEqual({
    currency: "2",
    // 30 − 10 of token 2, and −12.5 of token 3 at 2010 / 2512.5.
    pnl: { day: "10", total: "10" },
    // 2 of token 1 and 10 of token 5.
    exposure: "4080",
    positions: { "1": "2", "5": "10" },
    pnlByToken: { "2": { day: "20", total: "20" }, "3": { day: "-12.5", total: "-12.5" } },
  });
  const { currency, pnl, exposure } = portfolioOf(positions, tokenId("3"));
  expect([currency, pnl.total, exposure]).toEqual(["3", "12.5", "5100"]);
});

test("a portfolio of unrelated quote tokens has no total, and a missing mid leaves out what needs it", () => {
  const unrelated = portfolioOf(
    [held("1", "2", "3", "2000", 2010), held("5", "4", "1", "7", 8)],
    undefined,
  );
  expect(unrelated).toMatchObject({
    currency: null,
    pnl: { day: null, total: null },
    exposure: null,
    pnlByToken: { "2": { total: "30" }, "4": { total: "1" } },
  });
  const blind = portfolioOf(
    [held("1", "2", "3", "2000", 2010), held("5", "2", "1", "7")],
    undefined,
  );
  expect(blind).toMatchObject({ currency: "2", pnl: { total: null }, positions: { "5": "1" } });
});
