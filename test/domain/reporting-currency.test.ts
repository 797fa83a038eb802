import { expect, test } from "vitest";
import {
  mainQuoteToken,
  ReportingCurrency,
  unconvertible,
} from "../../src/domain/reporting-currency.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { testMarket } from "../support/exchange.ts";

const market = (base: string, quote: string) =>
  testMarket({
    marketId: marketId(base, quote),
    baseToken: tokenId(base),
    quoteToken: tokenId(quote),
  });
const markets = [market("QTUM", "ETH"), market("ETH", "USDT"), market("USDT", "BRL")];
const mids: Readonly<Record<string, number>> = { QTUM_ETH: 0.01, ETH_USDT: 2000, USDT_BRL: 5 };
const rates = (token: string) => {
  const currency = new ReportingCurrency(tokenId(token), markets);
  return (from: string): string | undefined =>
    currency.rate(tokenId(from), (id) => mids[id])?.toFixed();
};

test("a token is converted through as many markets as it takes, in either direction", () => {
  const inUsdt = rates("USDT");
  expect(["USDT", "ETH", "QTUM", "BRL"].map(inUsdt)).toEqual(["1", "2000", "20", "0.2"]);
  expect(rates("ETH")("USDT")).toBe("0.0005");
});

test("a token without a chain, or with an unknown mid on it, has no rate", () => {
  expect(rates("USDT")("BTC")).toBeUndefined();
  const unknown = new ReportingCurrency(tokenId("USDT"), markets);
  expect(unknown.rate(tokenId("ETH"), () => undefined)).toBeUndefined();
  expect(unknown.rate(tokenId("USDT"), () => undefined)?.toFixed()).toBe("1");
});

test("the quote tokens without a chain are named, and so is the first one that all others are converted into", () => {
  expect(unconvertible(tokenId("USDT"), markets)).toEqual([]);
  expect(unconvertible(tokenId("USDT"), [...markets, market("A", "B")])).toEqual(["B"]);
  expect(mainQuoteToken(markets)).toBe("ETH");
  expect(mainQuoteToken([market("A", "USDT"), market("B", "USDT")])).toBe("USDT");
  expect(mainQuoteToken([market("A", "USDT"), market("A", "USDC")])).toBe("USDT");
  expect(mainQuoteToken([market("A", "USDT"), market("B", "USDC")])).toBeUndefined();
});
