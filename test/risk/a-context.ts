import { fixed, type Fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId, type TokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Proposal, RiskContext } from "../../src/risk/context.ts";

export const BASE = tokenId("1");
export const QUOTE = tokenId("2");
const id = marketId(BASE, QUOTE);

/** A limit bid of 1 at 100 unless said otherwise. */
export function aProposal(
  said: Partial<Omit<Proposal, "quantity">> & { readonly quantity?: string } = {},
): Proposal {
  const { quantity = "1", ...rest } = said;
  return {
    strategy: "maker",
    marketId: id,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: 100,
    ...rest,
    quantity: fixed(quantity),
  };
}

/** A live book around 100.5, funds for 1000 of base and 100000 of quote, nothing of ours in the market. */
export function aContext(
  said: Partial<Omit<RiskContext, "position" | "free">> & {
    readonly position?: string;
    readonly free?: Readonly<Record<string, string>> | undefined;
  } = {},
): RiskContext {
  const { position = "0", ...rest } = said;
  const free = "free" in said ? said.free : { [BASE]: "1000", [QUOTE]: "100000" };
  return {
    nowMs: unixMs(1_760_000_000_000),
    market: {
      marketId: id,
      baseToken: BASE,
      quoteToken: QUOTE,
      ticker: "ETH/USDT",
      makerFee: fixed("0.0002"),
      takerFee: fixed("0.0005"),
      listed: true,
      rules: { type: "grid" },
    },
    isBookLive: true,
    mid: 100.5,
    lastTrade: undefined,
    lastMessageMs: 1_760_000_000_000,
    orders: [],
    ...rest,
    position: fixed(position),
    free: (token: TokenId): Fixed | undefined =>
      free === undefined ? undefined : fixed(free[token] ?? "0"),
  };
}
