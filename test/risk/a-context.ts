import { fixed, type Fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId, type TokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Proposal, RiskContext } from "../../src/risk/context.ts";

export const BASE = tokenId("1");
export const QUOTE = tokenId("2");
const id = marketId(BASE, QUOTE);

/** A proposal for a limit bid of 1 at 100, with overrides. */
export function aProposal(
  overrides: Partial<Omit<Proposal, "quantity">> & { readonly quantity?: string } = {},
): Proposal {
  const { quantity = "1", ...rest } = overrides;
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

/** A context with a live book around 100.5, 1000 of base, 100000 of quote and no own orders, with overrides. */
export function aContext(
  overrides: Partial<Omit<RiskContext, "position" | "net" | "free">> & {
    readonly position?: string;
    /** Default: the position. */
    readonly net?: string;
    readonly free?: Readonly<Record<string, string>> | undefined;
  } = {},
): RiskContext {
  const { position = "0", net = position, ...rest } = overrides;
  const free = "free" in overrides ? overrides.free : { [BASE]: "1000", [QUOTE]: "100000" };
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
    strategy: "maker",
    budgetFree: () => undefined,
    isBookLive: true,
    reduceOnly: undefined,
    mid: 100.5,
    lastTrade: undefined,
    provenMs: 1_760_000_000_000,
    orders: [],
    ...rest,
    position: fixed(position),
    net: () => fixed(net),
    free: (token: TokenId): Fixed | undefined =>
      free === undefined ? undefined : fixed(free[token] ?? "0"),
  };
}
