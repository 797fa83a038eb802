import { describe, expect, it } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { expectedFee } from "../../src/orders/expected-fee.ts";
import { market } from "./order-fixture.ts";

describe("expected fee (D18)", () => {
  const cases = [
    // [side, price, quantity, isMaker, fee, token]
    ["BUY", "100", "10", true, "0.002", "1"],
    ["BUY", "100", "10", false, "0.005", "1"],
    ["SELL", "100", "10", true, "0.2", "2"],
    ["SELL", "100.5", "10", false, "0.5025", "2"],
    // Half a unit of the 18th decimal rounds up, less rounds down.
    ["BUY", "1", "0.0000000000000025", true, "0.000000000000000001", "1"],
    ["BUY", "1", "0.0000000000000024", true, "0", "1"],
  ] as const;
  for (const [side, price, quantity, isMaker, fee, token] of cases) {
    it(`${side} ${quantity} at ${price}, ${isMaker ? "maker" : "taker"}: ${fee} of ${token}`, () => {
      const found = expectedFee(
        { side, price: fixed(price), quantity: fixed(quantity), isMaker },
        market,
      );
      expect(fixedText(found.fee)).toBe(fee);
      expect(found.feeToken).toBe(token);
    });
  }
});
