import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "./ids.ts";
import type { Market } from "./market.ts";

type Listed = Pick<Market, "marketId" | "ticker">;

/** Whether a market is written as two token ids, so that no list is needed to know it. */
export function isMarketId(written: string): boolean {
  return /^\d+_\d+$/.test(written);
}

/**
 * The id of a market that is written as its id or as its ticker, `ETH/USDC` or `ETH_USDC` in any case; undefined when the list has none. Throws
 * `MARKET_AMBIGUOUS` for a ticker of several markets: symbols are free to choose.
 */
export function marketOfTicker(markets: readonly Listed[], written: string): MarketId | undefined {
  const byId = markets.find(({ marketId }) => marketId === written);
  if (byId !== undefined) return byId.marketId;
  const plain = (text: string) => text.toLowerCase().replace("/", "_");
  const found = markets.filter(({ ticker }) => plain(ticker) === plain(written));
  if (found.length < 2) return found[0]?.marketId;
  const ids = found.map(({ marketId }) => marketId).join(", ");
  throw new TouchlineError(
    "MARKET_AMBIGUOUS",
    `The venue has several markets ${written}: ${ids}.`,
    {
      hint: "Write the id of the market that is meant.",
    },
  );
}

interface WithMarkets {
  readonly strategies: readonly { readonly marketId: MarketId }[];
  readonly risk: { readonly markets: Readonly<Record<string, unknown>> };
}

/** The settings with ids in place of tickers; what the list does not have stays as it is. */
export function withMarketIds<Settings extends WithMarkets>(
  settings: Settings,
  markets: readonly Listed[],
): Settings {
  const idOf = (written: string): string => marketOfTicker(markets, written) ?? written;
  const limits = Object.entries(settings.risk.markets).map(([name, own]) => [idOf(name), own]);
  return {
    ...settings,
    strategies: settings.strategies.map((one) => ({ ...one, marketId: idOf(one.marketId) })),
    risk: { ...settings.risk, markets: Object.fromEntries(limits) },
  };
}
