import { fixed, type Fixed } from "../domain/fixed.ts";
import { tokenId, type Address, type TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";

/** The owner where the config has no account. No key belongs to it that anybody knows. */
export const NOBODY = "0x0000000000000000000000000000000000000b07" as Address;
/** What an account has of each token when the config does not say: more than a quote of any size needs. */
const AMPLE = "1000000000";

/** What a simulated account starts with; adds to `warnings` what people should know of it. */
export function startBalances(
  { balances }: { readonly balances?: Readonly<Record<string, string>> | undefined },
  markets: readonly Market[],
  warnings: string[],
): ReadonlyMap<TokenId, Fixed> {
  const tokens = new Set(markets.flatMap(({ baseToken, quoteToken }) => [baseToken, quoteToken]));
  if (balances === undefined) {
    warnings.push(
      `the config has no balances: the account starts with ${AMPLE} of each token. Write balances: { ${[...tokens].map((token) => `"${token}": "1000"`).join(", ")} } to set the start.`,
    );
    return new Map([...tokens].map((token) => [token, fixed(AMPLE)]));
  }
  for (const name of Object.keys(balances)) {
    if (!tokens.has(tokenId(name))) {
      warnings.push(`balances: token ${name} is traded by no strategy.`);
    }
  }
  return new Map(Object.entries(balances).map(([name, text]) => [tokenId(name), fixed(text)]));
}
