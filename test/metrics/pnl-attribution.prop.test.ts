import fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal, decimalOf } from "../../src/domain/decimal.ts";
import { fixed, mulFixed, negFixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { PnlAttribution } from "../../src/metrics/pnl-attribution.ts";
import { ETH_USDT, testMarket } from "../support/exchange.ts";

const market = testMarket();

/** A fill with the mid just before it; price, quantity and mid in thousandths. */
interface FillNumbers {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
  readonly feeRate: string;
  readonly feeInBase: boolean;
  readonly mid: number;
}

const anyFill: fc.Arbitrary<FillNumbers> = fc.record({
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  price: fc.integer({ min: 1, max: 200_000 }),
  quantity: fc.integer({ min: 1, max: 5_000 }),
  feeRate: fc.constantFrom("0", "0.0002", "0.01"),
  feeInBase: fc.boolean(),
  mid: fc.integer({ min: 1, max: 200_000 }),
});
const thousandths = (units: number): string => new Decimal(units).div(1000).toFixed();

function fillOf({ side, price, quantity, feeRate, feeInBase }: FillNumbers): Fill {
  const [at, amount] = [fixed(thousandths(price)), fixed(thousandths(quantity))];
  return {
    tradeId: "",
    orderId: "" as OrderId,
    marketId: ETH_USDT,
    side,
    price: at,
    quantity: amount,
    fee: mulFixed(feeInBase ? amount : mulFixed(at, amount), fixed(feeRate)),
    feeToken: feeInBase ? market.baseToken : market.quoteToken,
    isMaker: true,
    timeMs: unixMs(0),
  };
}

test("spread, inventory and fees add up to realised plus unrealised PnL, and inventory follows its formula", () => {
  fc.assert(
    fc.property(
      fc.array(anyFill, { maxLength: 12 }),
      fc.integer({ min: 1, max: 200_000 }),
      (fills, last) => {
        const attribution = new PnlAttribution(market);
        const end = new Decimal(thousandths(last));
        let [base, moved, before] = [new Decimal(0), new Decimal(0), end];
        for (const each of fills) {
          const fill = fillOf(each);
          const mid = new Decimal(thousandths(each.mid));
          moved = moved.plus(base.times(mid.minus(before)));
          before = mid;
          const signed = fill.side === "BUY" ? fill.quantity : negFixed(fill.quantity);
          base = base.plus(decimalOf(signed));
          if (fill.feeToken === market.baseToken) base = base.minus(decimalOf(fill.fee));
          attribution.fill(fill, mid.toNumber());
        }
        moved = moved.plus(base.times(end.minus(before)));

        const { position } = attribution;
        const { spread, inventory, fees, total } = attribution.at(end);
        expect(spread.plus(inventory).plus(fees).eq(total)).toBe(true);
        expect(inventory.toFixed()).toBe(moved.toFixed());
        // The average cost is rounded to 60 digits.
        const whole = position.realisedPnl.plus(position.unrealisedPnl(end));
        expect(whole.minus(total).abs().lt("1e-40")).toBe(true);
        expect(fees.lte(0)).toBe(true);
      },
    ),
  );
});
