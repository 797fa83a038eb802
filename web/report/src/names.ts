import type { ResultDocument } from "../../../src/backtest/result-document.ts";

/** Names of the config's markets and tokens as the recording has them; an id that it does not have stays. */
export function namesOf(markets: ResultDocument["recording"]["markets"]) {
  const marketNames = new Map<string, string>();
  const tokenNames = new Map<string, string>();
  for (const { market, recorded } of markets) {
    const names = recorded.split("_");
    marketNames.set(market, names.join("/"));
    for (const [at, token] of market.split("_").entries())
      tokenNames.set(token, names[at] ?? token);
  }
  return {
    marketName: (market: string): string => marketNames.get(market) ?? market,
    tokenName: (token: string): string => tokenNames.get(token) ?? token,
  };
}
