import { nearest } from "../base/nearest.ts";
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
  const guess = nearest(
    written,
    tokens.map((token) => token.l2Symbol),
  );
  throw usageError(
    `There is no token ${written}${guess === undefined ? "" : `, did you mean ${guess}`}.`,
    "See: touchline market tokens",
  );
}

/** Layer-2 symbols by token id. */
export async function tokenSymbols(venue: VenueAccess): Promise<ReadonlyMap<string, string>> {
  const tokens = await venue.call(endpoints.tokens, {});
  return new Map(tokens.map(({ tokenId: id, l2Symbol }) => [id, l2Symbol]));
}
