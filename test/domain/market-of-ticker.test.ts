import { expect, test } from "vitest";
import { marketOfTicker, withMarketIds } from "../../src/domain/market-of-ticker.ts";
import { marketId, type MarketId, tokenId } from "../../src/domain/ids.ts";

const listed = [
  { marketId: marketId("1", "2"), ticker: "ETH/USDC" },
  { marketId: marketId("3", "2"), ticker: "BTC/USDC" },
  { marketId: marketId("9", "2"), ticker: "btc/usdc" },
];

test("a market is found by its id, and by its ticker in any case and with either separator", () => {
  for (const written of ["1_2", "ETH/USDC", "ETH_USDC", "eth/usdc"]) {
    expect(marketOfTicker(listed, written)).toBe("1_2");
  }
  expect(marketOfTicker(listed, "DOGE/USDC")).toBeUndefined();
  expect(marketOfTicker(listed, "2_1")).toBeUndefined();
});

test("a ticker of several markets is refused with their ids", () => {
  expect(() => marketOfTicker(listed, "BTC/USDC")).toThrow("several markets BTC/USDC: 3_2, 9_2");
});

test("strategies and limits of single markets get ids, and what is not listed stays", () => {
  const settings = {
    strategies: [
      {
        name: "eth",
        marketId: "ETH_USDC" as MarketId,
        otherMarkets: { hedge: "BTC_EUR" as MarketId },
      },
      { name: "doge", marketId: "DOGE_USDC" as MarketId },
    ],
    risk: { markets: { ETH_USDC: { maxPosition: null } } },
  };
  expect(withMarketIds(settings, listed)).toEqual({
    strategies: [
      { name: "eth", marketId: "1_2", otherMarkets: { hedge: "BTC_EUR" } },
      { name: "doge", marketId: "DOGE_USDC" },
    ],
    risk: { markets: { "1_2": { maxPosition: null } } },
  });
});

test("two entries of limits for one market are refused", () => {
  const markets = { ETH_USDC: { maxPosition: null }, "1_2": { maxPosition: null } };
  expect(() => withMarketIds({ strategies: [], risk: { markets } }, listed)).toThrow(
    "risk.markets has two entries for 1_2.",
  );
});

test("the reporting currency gets its token's id where a market of the strategies has its symbol", () => {
  const currencyWith = (written: string, ...markets: string[]) => {
    const strategies = markets.map((market) => ({ name: market, marketId: market as MarketId }));
    const settings = { strategies, risk: { markets: {} }, reportingCurrency: tokenId(written) };
    return withMarketIds(settings, [
      ...listed,
      { marketId: marketId("1", "7"), ticker: "ETH/USDC" },
    ]).reportingCurrency;
  };
  expect(currencyWith("usdc", "3_2")).toBe("2");
  expect(currencyWith("ETH", "1_2", "1_7")).toBe("1");
  expect(currencyWith("2", "1_2", "1_7")).toBe("2");
  expect(currencyWith("DOGE", "1_2")).toBe("DOGE");
  expect(() => currencyWith("USDC", "1_2", "1_7")).toThrow("several tokens USDC: 2, 7");
});
