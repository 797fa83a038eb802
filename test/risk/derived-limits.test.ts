import { describe, expect, it } from "vitest";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { deriveBounds, deriveDayLoss } from "../../src/risk/derived-limits.ts";

function derived(base: string, quote: string, mid: string): Record<string, string> | undefined {
  const bounds = deriveBounds({ base: fixed(base), quote: fixed(quote), mid: fixed(mid) });
  return (
    bounds && Object.fromEntries(Object.entries(bounds).map(([key, one]) => [key, fixedText(one)]))
  );
}

describe("derived limits", () => {
  it("are what the account could hold in base token, and half of its equity for an order", () => {
    // 10 + 10 000 / 2 000 = 15 base token; (10 · 2 000 + 10 000) / 2 = 15 000 quote token.
    expect(derived("10", "10000", "2000")).toEqual({
      maxPosition: "15",
      maxOrderNotional: "15000",
    });
  });

  it("exist for an account that holds only one of the tokens", () => {
    expect(derived("0", "10000", "2000")).toEqual({ maxPosition: "5", maxOrderNotional: "5000" });
    expect(derived("10", "0", "2000")).toEqual({ maxPosition: "10", maxOrderNotional: "10000" });
  });

  it("round the position up where the division does not end", () => {
    expect(derived("0", "1", "3")?.["maxPosition"]).toBe("0.33333334");
  });

  it("do not exist without balances", () => {
    expect(derived("0", "0", "2000")).toBeUndefined();
    expect(deriveDayLoss(ZERO)).toBeUndefined();
  });

  it("stop a day's loss at a tenth of the equity", () => {
    expect(deriveDayLoss(fixed("30000"))).toBe(fixed("3000"));
  });
});
