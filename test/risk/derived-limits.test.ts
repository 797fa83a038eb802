import { describe, expect, it } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { deriveLimits, type LimitBasis } from "../../src/risk/derived-limits.ts";

/** Ten base tokens and 10 000 quote tokens at a mid of 2 000: an equity of 30 000. */
const basis: LimitBasis = {
  base: fixed("10"),
  quote: fixed("10000"),
  mid: fixed("2000"),
  quotedPerSide: fixed("0.1"),
  largestQuote: fixed("0.05"),
};

function derived(over: Partial<LimitBasis> = {}): Record<string, string> | undefined {
  const limits = deriveLimits({ ...basis, ...over });
  return (
    limits && Object.fromEntries(Object.entries(limits).map(([key, one]) => [key, fixedText(one)]))
  );
}

describe("derived limits", () => {
  it("are multiples of the quoted sizes and a tenth of the equity", () => {
    expect(derived()).toEqual({ maxPosition: "5", maxOrderNotional: "500", dayLoss: "3000" });
  });

  it("are bounded by what the balances can buy or sell", () => {
    const limits = derived({ quotedPerSide: fixed("1"), largestQuote: fixed("4") });
    expect(limits).toEqual({ maxPosition: "10", maxOrderNotional: "30000", dayLoss: "3000" });
  });

  it("follow the balances alone when the strategy does not state its sizes", () => {
    const limits = derived({ quotedPerSide: undefined, largestQuote: undefined });
    expect(limits).toEqual({ maxPosition: "10", maxOrderNotional: "30000", dayLoss: "3000" });
  });

  it("measure a long position by the quote balance when the account holds no base token", () => {
    const limits = derived({ base: fixed("0"), quotedPerSide: fixed("1") });
    expect(limits).toEqual({ maxPosition: "5", maxOrderNotional: "500", dayLoss: "1000" });
  });

  it("do not exist without a mid or without balances", () => {
    expect(derived({ mid: fixed("0") })).toBeUndefined();
    expect(derived({ base: fixed("0"), quote: fixed("0") })).toBeUndefined();
  });
});
