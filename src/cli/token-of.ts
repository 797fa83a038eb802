import type { Market } from "../domain/market.ts";
import { suggestion } from "../base/nearest.ts";
import { type TokenId, tokenId } from "../domain/ids.ts";
import { endpoints } from "../spec/endpoints.ts";
import { usageError } from "./exit-code.ts";
import type { VenueAccess } from "./venue-access.ts";

/** Finds a token by its id or its layer-2 symbol, in any case. Throws a usage error when there is none. */
export async function tokenOf(
  venue: VenueAccess,
  written: string,
): Promise<{ readonly tokenId: TokenId; readonly symbol: string }> {
  const tokens = await venue.call(endpoints.tokens, {});
  const wanted = written.toLowerCase();
  const found =
    tokens.find((token) => token.tokenId === written) ??
    tokens.find((token) => token.l2Symbol.toLowerCase() === wanted);
  if (found !== undefined) return { tokenId: tokenId(found.tokenId), symbol: found.l2Symbol };
  const symbols = tokens.map((token) => token.l2Symbol);
  throw usageError(
    `There is no token ${written}${suggestion(written, symbols)}.`,
    "See: touchline market tokens",
  );
}

/** Symbols by token id, as the tickers of the markets have them. A token that two tickers name differently has none. */
export function symbolsIn(
  markets: readonly Pick<Market, "baseToken" | "quoteToken" | "ticker">[],
): ReadonlyMap<string, string> {
  const symbols = new Map<string, string>();
  const unclear = new Set<string>();
  for (const { baseToken, quoteToken, ticker } of markets) {
    const [base = "", quote = ""] = ticker.split("/");
    for (const [token, symbol] of [
      [baseToken, base],
      [quoteToken, quote],
    ] as const) {
      if ((symbols.get(token) ?? symbol) !== symbol) unclear.add(token);
      if (symbol !== "") symbols.set(token, symbol);
    }
  }
  for (const token of unclear) symbols.delete(token);
  return symbols;
}

/** How a token is written after an amount: by its symbol, or by its id where that is all that is known. */
export function symbolOf(symbols: ReadonlyMap<string, string>, token: string): string {
  return symbols.get(token) ?? `of token ${token}`;
}

/** Layer-2 symbols by token id. */
export async function tokenSymbols(venue: VenueAccess): Promise<ReadonlyMap<string, string>> {
  const tokens = await venue.call(endpoints.tokens, {});
  return new Map(tokens.map(({ tokenId: id, l2Symbol }) => [id, l2Symbol]));
}
