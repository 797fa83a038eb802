import { fixed, type Fixed } from "../domain/fixed.ts";
import { tokenId, type Address, type TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";

/** Owner of the simulated account when the config names none; nobody knows a key of this address. */
export const NOBODY = "0x0000000000000000000000000000000000000b07" as Address;
/** Default balance of each token, enough for quotes of any size. */
const AMPLE = "1000000000";

/** The starting balances of a simulated account. Adds to `warnings` when the config has none or names unused tokens. */
export function startBalances(
  { balances }: { readonly balances?: Readonly<Record<string, string>> | undefined },
  markets: readonly Market[],
  warnings: string[],
): ReadonlyMap<TokenId, Fixed> {
  const tokens = new Set(markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken]));
  if (balances === undefined) {
    warnings.push(
      `the config has no balances: the account starts with ${AMPLE} of each token. Set balances: { ${[...tokens].map((token) => `"${token}": "1000"`).join(", ")} } to change that.`,
    );
    return new Map([...tokens].map((token) => [token, fixed(AMPLE)]));
  }
  for (const name of Object.keys(balances)) {
    if (!tokens.has(tokenId(name))) {
      warnings.push(`balances: no strategy trades token ${name}.`);
    }
  }
  return new Map(Object.entries(balances).map(([name, text]) => [tokenId(name), fixed(text)]));
}
