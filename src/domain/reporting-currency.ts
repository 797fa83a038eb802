import { Decimal } from "./decimal.ts";
import { type MarketId, type TokenId, tokensOf } from "./ids.ts";
import type { Market } from "./market.ts";
import { marketIdsOf, type TradesIn } from "./market-roles.ts";

type Pair = Pick<Market, "marketId" | "baseToken" | "quoteToken">;

/** Gives a market's newest mid; undefined before the first. */
export type MidOf = (marketId: MarketId) => number | undefined;

interface Conversion {
  readonly marketId: MarketId;
  /** True from base to quote token, which multiplies by the mid; otherwise it divides. */
  readonly isForward: boolean;
}

/** Converts amounts of the markets' tokens into one reporting currency, by the mids of these markets. */
export class ReportingCurrency {
  readonly token: TokenId;
  /** The shortest chain of markets from each token that can be converted. */
  readonly #chains: ReadonlyMap<TokenId, readonly Conversion[]>;

  constructor(token: TokenId, markets: readonly Pair[]) {
    this.token = token;
    this.#chains = chainsTo(token, markets);
  }

  /** How much of the currency one unit of a token is worth now; undefined while a mid on the way is unknown. */
  rate(token: TokenId, midOf: MidOf): Decimal | undefined {
    const chain = this.#chains.get(token);
    if (chain === undefined) return undefined;
    let rate = new Decimal(1);
    for (const { marketId, isForward } of chain) {
      const mid = midOf(marketId);
      if (mid === undefined) return undefined;
      rate = isForward ? rate.times(mid) : rate.div(mid);
    }
    return rate;
  }
}

/** The quote tokens of the markets that no chain of these markets converts into the currency. */
export function unconvertible(token: TokenId, markets: readonly Pair[]): readonly TokenId[] {
  const chains = chainsTo(token, markets);
  const quotes = new Set(markets.map(({ quoteToken }) => quoteToken));
  return [...quotes].filter((quote) => !chains.has(quote));
}

/** The first quote token into which the markets convert all others; undefined where their quote tokens are unrelated. */
export function mainQuoteToken(markets: readonly Pair[]): TokenId | undefined {
  return markets.find(({ quoteToken }) => unconvertible(quoteToken, markets).length === 0)
    ?.quoteToken;
}

/** What decides in which currency amounts of all markets of a bot are added up, once its markets have ids. */
export interface CurrencySettings {
  readonly strategies: readonly TradesIn[];
  /** As written; undefined: the main quote token. */
  readonly reportingCurrency?: TokenId | undefined;
}

/** The written currency, or the main quote token of the strategies' markets. */
export function currencyOf({
  strategies,
  reportingCurrency,
}: CurrencySettings): TokenId | undefined {
  return reportingCurrency ?? mainQuoteToken(pairsOf(strategies));
}

/** The markets of strategies, each once. */
export function pairsOf(strategies: readonly TradesIn[]): readonly Pair[] {
  return marketIdsOf(strategies).map((marketId) => {
    const { base, quote } = tokensOf(marketId);
    return { marketId, baseToken: base, quoteToken: quote };
  });
}

/** Breadth-first search, so that each chain is as short as can be; ties go to the market that comes first. */
function chainsTo(
  token: TokenId,
  markets: readonly Pair[],
): ReadonlyMap<TokenId, readonly Conversion[]> {
  const chains = new Map<TokenId, readonly Conversion[]>([[token, []]]);
  // The map grows while it is walked: that is the queue of the search.
  for (const [reached, chain] of chains) {
    for (const { marketId, baseToken, quoteToken } of markets) {
      const isForward = quoteToken === reached;
      if (!isForward && baseToken !== reached) continue;
      const next = isForward ? baseToken : quoteToken;
      if (!chains.has(next)) chains.set(next, [{ marketId, isForward }, ...chain]);
    }
  }
  return chains;
}
