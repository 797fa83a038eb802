import { expect, test } from "vitest";
import { rounded } from "../../src/cli/summary-text.ts";

test("an amount for people has at most eight decimals, and a tiny loss is 0 without a sign", () => {
  expect(rounded("-1.234567899")).toBe("-1.23456789");
  expect(rounded("0.000000009")).toBe("0");
  expect(rounded("-0.000000009")).toBe("0");
  expect(rounded("-12")).toBe("-12");
});
