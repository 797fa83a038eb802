import type { Brand } from "../base/brand.ts";

/** `{baseTokenId}_{quoteTokenId}` (§1.6). */
export type MarketId = Brand<string, "MarketId">;
/** A token's id, text (§1.6). */
export type TokenId = Brand<string, "TokenId">;
/** Hash of the transaction that made the order: 0x + 64 lower-case hex digits (§1.7, D4). */
export type OrderId = Brand<string, "OrderId">;
/** 0x + 40 hex digits in lower case: the form in which the program compares and stores addresses. */
export type Address = Brand<string, "Address">;

const hash = /^0x[0-9a-f]{64}$/i;
const address = /^0x[0-9a-f]{40}$/i;

/** The id in lower case; undefined when `text` is not a hash (D16). */
export function orderId(text: string): OrderId | undefined {
  return hash.test(text) ? (text.toLowerCase() as OrderId) : undefined;
}

/** The address in lower case; undefined when `text` is not an address. */
export function addressOf(text: string): Address | undefined {
  return address.test(text) ? (text.toLowerCase() as Address) : undefined;
}

export function tokenId(text: string): TokenId {
  return text as TokenId;
}

export function marketId(base: TokenId | string, quote: TokenId | string): MarketId {
  return `${base}_${quote}` as MarketId;
}

/**
 * The tokens of a market, from its id (§1.6). The only place that splits market ids; code that has the `Market` reads its
 * tokens there.
 */
export function tokensOf(market: MarketId): MarketTokens {
  return knownTokens.get(market) ?? newTokens(market);
}

export interface MarketTokens {
  readonly base: TokenId;
  readonly quote: TokenId;
}

/** Remembered, since a run needs the tokens of its few markets again and again. */
const knownTokens = new Map<MarketId, MarketTokens>();
const MAX_KNOWN = 1_000;

function newTokens(market: MarketId): MarketTokens {
  const at = market.indexOf("_");
  const tokens = { base: tokenId(market.slice(0, at)), quote: tokenId(market.slice(at + 1)) };
  if (knownTokens.size >= MAX_KNOWN) knownTokens.clear();
  knownTokens.set(market, Object.freeze(tokens));
  return tokens;
}
