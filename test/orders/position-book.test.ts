import fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { carriedPosition, PositionBook, positionSetTo } from "../../src/orders/position-book.ts";

const market = marketId("1", "2");

const fills = fc.array(
  fc
    .record({
      isBuy: fc.boolean(),
      price: fc.integer({ min: 1, max: 1e6 }),
      quantity: fc.integer({ min: 1, max: 1e6 }),
      fee: fc.integer({ min: 0, max: 1000 }),
    })
    .map(
      ({ isBuy, price, quantity, fee }): Fill => ({
        tradeId: "t",
        orderId: `0x${"0".repeat(64)}` as Fill["orderId"],
        marketId: market,
        side: isBuy ? "BUY" : "SELL",
        price: fixed(String(price)),
        quantity: fixed(`${quantity}.5`),
        fee: fixed(`0.${String(fee).padStart(6, "0")}`),
        feeToken: tokenId(isBuy ? "1" : "2"),
        isMaker: true,
        timeMs: unixMs(1),
      }),
    ),
  { maxLength: 12 },
);

function bookOf(all: readonly Fill[]): PositionBook {
  const book = new PositionBook();
  for (const [at, fill] of all.entries()) {
    book.apply("maker", fill);
    book.mark("maker", market, 100 + at);
  }
  return book;
}

const carried = (book: PositionBook) => carriedPosition(book.of("maker", market));

test("a position that is carried over at any point ends like one that never was", () => {
  fc.assert(
    fc.property(fills, fc.nat(12), (all, at) => {
      const first = bookOf(all.slice(0, at));
      const second = new PositionBook();
      // As the journal stores it.
      second.restore(JSON.parse(JSON.stringify(carried(first))));
      for (const [index, fill] of all.slice(at).entries()) {
        second.apply("maker", fill);
        second.mark("maker", market, 100 + Math.min(at, all.length) + index);
      }
      expect(carried(second)).toEqual(carried(bookOf(all)));
    }),
  );
});

test("a position that a person sets has that base and cost, and the PnL realised so far", () => {
  fc.assert(
    fc.property(fills, fc.integer({ min: -9, max: 9 }), (all, base) => {
      const before = bookOf(all);
      const set = positionSetTo(carried(before), fixed(String(base)), new Decimal(7));
      const book = new PositionBook();
      book.restore(set);
      const { position, drawdown } = book.of("maker", market);
      expect(position.base).toBe(fixed(String(base)));
      expect(position.averagePrice?.toFixed()).toBe(base === 0 ? undefined : "7");
      const { realisedPnl, fees } = before.of("maker", market).position;
      expect(position.realisedPnl.minus(realisedPnl).abs().lt("1e-25")).toBe(true);
      expect(position.fees).toEqual(fees);
      expect(drawdown.max.toFixed()).toBe("0");
    }),
  );
});
