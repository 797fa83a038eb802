import { TouchlineError } from "../base/error.ts";
import { type MarketId, type TokenId, tokensOf } from "./ids.ts";
import type { Market } from "./market.ts";
import { marketIdsOf, marketsOf, type TradesIn } from "./market-roles.ts";
import type { CurrencySettings } from "./reporting-currency.ts";

type Listed = Pick<Market, "marketId" | "ticker">;

/** Whether a market is written as the ids of two tokens, plain numbers, so that no list is needed to know it. */
export function isMarketId(written: string): boolean {
  return /^(0|[1-9]\d*)_(?!\1$)(?:0|[1-9]\d*)$/.test(written);
}

function plain(ticker: string): string {
  return ticker.toLowerCase().replace("/", "_");
}

/** Whether two may mean the same market as far as they tell without a list. */
export function mayBeSameMarket(one: string, other: string): boolean {
  return isMarketId(one) !== isMarketId(other) || plain(one) === plain(other);
}

/**
 * The id of a market that is written as its id or as its ticker, `ETH/USDC` or `ETH_USDC` in any case; undefined when the list has none. Throws
 * `MARKET_AMBIGUOUS` for a ticker of several markets: symbols are free to choose.
 */
export function marketOfTicker(markets: readonly Listed[], written: string): MarketId | undefined {
  const byId = markets.find(({ marketId }) => marketId === written);
  if (byId !== undefined) return byId.marketId;
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

/**
 * The id of a token of these markets that is written as its id or as its symbol in any case; as written when they have none. Throws `TOKEN_AMBIGUOUS`
 * for a symbol of several tokens.
 */
function tokenOfSymbol(markets: readonly Listed[], written: TokenId): TokenId {
  const named = markets.flatMap(({ marketId, ticker }) => {
    const { base, quote } = tokensOf(marketId);
    const [baseSymbol, quoteSymbol] = ticker.toLowerCase().split("/");
    return [
      { token: base, symbol: baseSymbol },
      { token: quote, symbol: quoteSymbol },
    ];
  });
  if (named.some(({ token }) => token === written)) return written;
  const found = new Set(
    named.flatMap(({ token, symbol }) => (symbol === written.toLowerCase() ? [token] : [])),
  );
  const [token = written] = found;
  if (found.size < 2) return token;
  throw new TouchlineError(
    "TOKEN_AMBIGUOUS",
    `The strategies' markets have several tokens ${written}: ${[...found].join(", ")}.`,
    { hint: "Write the id of the token that is meant." },
  );
}

/** The markets of a strategy with ids in place of tickers. Throws `MARKET_TWICE` where two of its names mean one market. */
function withIds(one: NamedTrader, idOf: (written: MarketId) => MarketId): TradesIn {
  const { name, marketId, otherMarkets } = one;
  const ids = marketsOf(one).map((each) => idOf(each.marketId));
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    const message = `Strategy ${name} has the market ${twice} under two names.`;
    throw new TouchlineError("MARKET_TWICE", message, { hint: "Give each name its own market." });
  }
  if (otherMarkets === undefined) return { marketId: idOf(marketId) };
  const others = Object.entries(otherMarkets).map(([role, id]) => [role, idOf(id)] as const);
  return { marketId: idOf(marketId), otherMarkets: Object.fromEntries(others) };
}

type NamedTrader = TradesIn & { readonly name: string };

interface WithMarkets extends CurrencySettings {
  readonly strategies: readonly NamedTrader[];
  readonly risk: { readonly markets: Readonly<Record<string, unknown>> };
  readonly sources?: readonly {
    readonly origin: { readonly type: string; readonly marketId?: MarketId };
  }[];
}

/** The settings with ids in place of tickers and of the reporting currency's symbol; what the list does not have stays as it is. */
export function withMarketIds<Settings extends WithMarkets>(
  settings: Settings,
  markets: readonly Listed[],
): Settings {
  const idOf = <Written extends string>(written: Written): Written | MarketId =>
    marketOfTicker(markets, written) ?? written;
  const limits = new Map<string, unknown>();
  for (const [name, own] of Object.entries(settings.risk.markets)) {
    const marketId = idOf(name);
    if (limits.has(marketId)) {
      throw new TouchlineError("MARKET_TWICE", `risk.markets has two entries for ${marketId}.`, {
        hint: "Keep the one that is meant.",
      });
    }
    limits.set(marketId, own);
  }
  const strategies = settings.strategies.map((one) => ({ ...one, ...withIds(one, idOf) }));
  const { reportingCurrency } = settings;
  const ids = new Set(marketIdsOf(strategies));
  const traded = markets.filter(({ marketId }) => ids.has(marketId));
  return {
    ...settings,
    strategies,
    ...(settings.sources === undefined
      ? {}
      : {
          sources: settings.sources.map(({ origin, ...source }) => {
            const { marketId } = origin;
            const resolved =
              marketId === undefined ? origin : { ...origin, marketId: idOf(marketId) };
            return { ...source, origin: resolved };
          }),
        }),
    ...(reportingCurrency === undefined
      ? {}
      : { reportingCurrency: tokenOfSymbol(traded, reportingCurrency) }),
    risk: { ...settings.risk, markets: Object.fromEntries(limits) },
  };
}
