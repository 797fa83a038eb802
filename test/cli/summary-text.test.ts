import { expect, test } from "vitest";
import { rounded } from "../../src/base/rounded.ts";
import { limitRows } from "../../src/cli/summary-text.ts";
import { symbolOf, symbolsIn } from "../../src/cli/token-of.ts";
import type { TokenId } from "../../src/domain/ids.ts";

test("an amount for people has at most eight decimals, and a tiny loss is 0 without a sign", () => {
  expect(rounded("-1.234567899")).toBe("-1.23456789");
  expect(rounded("0.000000009")).toBe("0");
  expect(rounded("-0.000000009")).toBe("0");
  expect(rounded("-12")).toBe("-12");
});

test("tokens have the symbols of the markets' tickers, but for one that two tickers name differently", () => {
  const market = (baseToken: string, quoteToken: string, ticker: string) => ({
    baseToken: baseToken as TokenId,
    quoteToken: quoteToken as TokenId,
    ticker,
  });
  const symbols = symbolsIn([market("1", "2", "ETH/USDT"), market("3", "2", "BTC/USDC")]);
  expect([...symbols]).toEqual([
    ["1", "ETH"],
    ["3", "BTC"],
  ]);
  expect(symbolOf(symbols, "1")).toBe("ETH");
  expect(symbolOf(symbols, "2")).toBe("of token 2");
});

test("limits of the same name and value are one line", () => {
  const of = (limit: string, places: readonly (string | null)[], value: string) =>
    places.map((place) => ({ limit, of: place, value }));
  expect(
    limitRows([
      ...of("maxPosition", ["1_9", "2_9"], "5"),
      ...of("maxPosition", ["3_9"], "7"),
      ...of("priceCollar", ["1_9", "2_9", "3_9", "4_9"], "5%"),
      ...of("dayLoss", [null], "halt 20"),
    ]),
  ).toEqual([
    ["  maxPosition, 1_9, 2_9", "5"],
    ["  maxPosition, 3_9", "7"],
    ["  priceCollar, each of 4", "5%"],
    ["  dayLoss", "halt 20"],
  ]);
});
