import fc from "fast-check";
import { expect, test } from "vitest";
import { ReplayBook } from "../../src/backtest/replay-book.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { runs } from "../support/soak.ts";

test("the mid has 15 digits, whatever the two best prices are", () => {
  const market = marketId("1", "2");
  const ofDecimals = fc
    .tuple(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 0, max: 12 }))
    .map(([units, decimals]) => units / 10 ** decimals);
  const price = fc.oneof(ofDecimals, fc.double({ min: 1e-9, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(price, price, (bid, ask) => {
      const book = new ReplayBook();
      const bids = Float64Array.of(bid, 1);
      const asks = Float64Array.of(ask, 1);
      const timeMs = unixMs(1);
      book.apply({
        type: "book",
        atMs: timeMs,
        snapshot: { marketId: market, lastId: 1, timeMs, bids, asks },
      });
      expect(book.mid).toBe(Number(((bid + ask) / 2).toPrecision(15)));
    }),
    runs(400),
  );
});
