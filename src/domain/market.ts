import type { MarketId, TokenId } from "./ids.ts";
import type { Fixed } from "./fixed.ts";
import type { MarketRulesSpec } from "./market-rules.ts";

/** What trading needs to know of a market (§2.7). */
export interface Market {
  readonly marketId: MarketId;
  readonly baseToken: TokenId;
  readonly quoteToken: TokenId;
  /** Symbols for people, `ETH/USDT`. */
  readonly ticker: string;
  /** Share of the received token, e.g. 0.0002. */
  readonly makerFee: Fixed;
  readonly takerFee: Fixed;
  readonly listed: boolean;
  /** Which prices and sizes its orders may have; `rulesOf` gives the functions. */
  readonly rules: MarketRulesSpec;
}
