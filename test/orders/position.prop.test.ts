import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal, decimalOf } from "../../src/domain/decimal.ts";
import { fixedText, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import { Position } from "../../src/orders/position.ts";
import { fillOf, idOf, market } from "./order-fixture.ts";

/** A positive amount with at most `decimals` decimals. */
function amount(decimals: number, max: bigint): fc.Arbitrary<string> {
  return fc
    .bigInt({ min: 1n, max })
    .map((units) => fixedText((units * 10n ** BigInt(26 - decimals)) as Fixed));
}

const fill: fc.Arbitrary<Fill> = fc
  .record({
    side: fc.constantFrom("BUY" as const, "SELL" as const),
    price: amount(8, 10n ** 13n),
    // A few round sizes, so that positions sometimes close exactly, and odd ones.
    quantity: fc.oneof(fc.constantFrom("1", "2", "3"), amount(18, 10n ** 21n)),
    feeShare: fc.constantFrom(0n, 1n, 37n),
    feeToken: fc.constantFrom("1", "2"),
  })
  .map(({ side, price, quantity, feeShare, feeToken }) => {
    const bare = fillOf(idOf(1), "t", quantity, { side, price, feeToken });
    return { ...bare, fee: ((bare.quantity * feeShare) / 10_000n) as Fixed };
  });

describe("position, any fills", () => {
  it("realised plus unrealised PnL is the quote change plus the base change at the mid", () => {
    fc.assert(
      fc.property(
        fc.array(fill, { maxLength: 40, size: "max" }),
        amount(8, 10n ** 13n),
        (fills, midText) => {
          const position = new Position(market);
          const mid = new Decimal(midText);
          let turnover = new Decimal(1);
          for (const next of fills) {
            position.apply(next);
            turnover = turnover.plus(
              decimalOf(next.quantity).times(decimalOf(next.price).plus(mid)),
            );
          }
          const money = decimalOf(position.quote).plus(decimalOf(position.base).times(mid));
          const pnl = position.realisedPnl.plus(position.unrealisedPnl(mid));
          const error = pnl.minus(money).abs().div(turnover);
          expect(error.lessThan("1e-18")).toBe(true);
        },
      ),
    );
  });

  it("adding realises nothing, and the average price lies between the prices paid", () => {
    const buys = fc.array(
      fc.record({ price: amount(8, 10n ** 13n), quantity: amount(8, 10n ** 12n) }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(buys, fc.constantFrom("BUY" as const, "SELL" as const), (steps, side) => {
        const position = new Position(market);
        const prices: Decimal[] = [];
        for (const { price, quantity } of steps) {
          position.apply(fillOf(idOf(1), "t", quantity, { side, price }));
          prices.push(new Decimal(price));
          const tiny = new Decimal("1e-30");
          expect(position.realisedPnl.abs().lessThan(tiny)).toBe(true);
          const average = position.averagePrice ?? new Decimal(0);
          expect(average.greaterThanOrEqualTo(Decimal.min(...prices).minus(tiny))).toBe(true);
          expect(average.lessThanOrEqualTo(Decimal.max(...prices).plus(tiny))).toBe(true);
        }
      }),
    );
  });

  it("is flat with all PnL realised once everything bought is sold back", () => {
    fc.assert(
      fc.property(fc.array(fill, { minLength: 1, maxLength: 20 }), (fills) => {
        const position = new Position(market);
        for (const next of fills) position.apply(next);
        const rest = position.base;
        if (rest !== ZERO) {
          const side = rest > ZERO ? "SELL" : "BUY";
          const quantity = fixedText((rest < ZERO ? -rest : rest) as Fixed);
          position.apply(fillOf(idOf(1), "t", quantity, { side, price: "12.5" }));
        }
        expect(position.base).toBe(ZERO);
        expect(position.averagePrice).toBeUndefined();
        expect(position.realisedPnl.toFixed()).toBe(fixedText(position.quote));
      }),
    );
  });
});
