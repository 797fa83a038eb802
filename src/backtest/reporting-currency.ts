import { Decimal } from "../domain/decimal.ts";
import type { MarketId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";

/** Gives a market's newest recorded mid; undefined before the first. */
export type MidOf = (marketId: MarketId) => number | undefined;

interface Conversion {
  readonly marketId: MarketId;
  /** True from base to quote token, which multiplies by the mid; otherwise it divides. */
  readonly isForward: boolean;
}

/** Converts amounts of the markets' tokens into one reporting currency, by the recorded mids of these markets. */
export class ReportingCurrency {
  readonly token: TokenId;
  /** The shortest chain of markets from each token that can be converted. */
  readonly #chains: ReadonlyMap<TokenId, readonly Conversion[]>;
  readonly #midOf: MidOf;

  constructor(token: TokenId, markets: readonly Market[], midOf: MidOf) {
    this.token = token;
    this.#chains = chainsTo(token, markets);
    this.#midOf = midOf;
  }

  /** How much of the currency one unit of a token is worth now; undefined while a mid on the way is unknown. */
  rate(token: TokenId): Decimal | undefined {
    const chain = this.#chains.get(token);
    if (chain === undefined) return undefined;
    let rate = new Decimal(1);
    for (const { marketId, isForward } of chain) {
      const mid = this.#midOf(marketId);
      if (mid === undefined) return undefined;
      rate = isForward ? rate.times(mid) : rate.div(mid);
    }
    return rate;
  }
}

/** The quote tokens of the markets that no chain of these markets converts into the currency. */
export function unconvertible(token: TokenId, markets: readonly Market[]): readonly TokenId[] {
  const chains = chainsTo(token, markets);
  const quotes = new Set(markets.map(({ quoteToken }) => quoteToken));
  return [...quotes].filter((quote) => !chains.has(quote));
}

/** The quote token that all markets share; undefined when they have several. */
export function commonQuoteToken(markets: readonly Market[]): TokenId | undefined {
  const [first, ...others] = new Set(markets.map(({ quoteToken }) => quoteToken));
  return others.length === 0 ? first : undefined;
}

/** Breadth-first search, so that each chain is as short as can be; ties go to the market that comes first. */
function chainsTo(
  token: TokenId,
  markets: readonly Market[],
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
