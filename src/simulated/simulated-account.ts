import { TouchlineError } from "../base/error.ts";
import { fixed, type Fixed } from "../domain/fixed.ts";
import { tokenId, tokensOf, type Address, type TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";

/** Owner of the simulated account when the config names none; nobody knows a key of this address. */
export const NOBODY = "0x0000000000000000000000000000000000000b07" as Address;
/** Default balance of each token, enough for quotes of any size. */
const AMPLE = "1000000000";

/** A market whose tokens may be named by their ids, by the symbols of its ticker, or by the ids of another name of it. */
export interface FundedMarket extends Pick<Market, "marketId" | "ticker"> {
  readonly alias?: string;
}

/**
 * The starting balances of a simulated account. Adds to `warnings` when the config has none or names unused tokens. Throws TouchlineError
 * `BALANCES_INVALID` when none is of a traded token, or two are of one.
 */
export function startBalances(
  { balances }: { readonly balances?: Readonly<Record<string, string>> | undefined },
  markets: readonly FundedMarket[],
  warnings: string[],
): ReadonlyMap<TokenId, Fixed> {
  const tokens = new Set(markets.flatMap(({ marketId }) => Object.values(tokensOf(marketId))));
  if (balances === undefined) {
    warnings.push(
      `the config has no balances: the account starts with ${AMPLE} of each token. Set balances: { ${[...tokens].map((token) => `"${token}": "1000"`).join(", ")} } to change that.`,
    );
    return new Map([...tokens].map((token) => [token, fixed(AMPLE)]));
  }
  const names = tokenNames(markets);
  const funded = new Map<TokenId, Fixed>();
  for (const [name, text] of Object.entries(balances)) {
    const token = tokens.has(tokenId(name)) ? tokenId(name) : names.get(name.toLowerCase());
    if (token === undefined) warnings.push(`balances: no strategy trades token ${name}.`);
    else if (funded.has(token))
      throw wrongBalances(`two of the balances are of token ${token}`, tokens);
    else funded.set(token, fixed(text));
  }
  const given = Object.keys(balances);
  if (funded.size === 0 && given.length > 0 && tokens.size > 0) {
    throw wrongBalances(`no strategy trades a token of the balances, ${given.join(", ")}`, tokens);
  }
  return funded;
}

function wrongBalances(fault: string, tokens: ReadonlySet<TokenId>): TouchlineError {
  return new TouchlineError("BALANCES_INVALID", `The account cannot be funded: ${fault}.`, {
    hint: `Write balances: { ${[...tokens].map((token) => `"${token}": "1000"`).join(", ")} } with your amounts.`,
  });
}

/** The tokens by symbols and other names in lower case, without names of several tokens. */
function tokenNames(markets: readonly FundedMarket[]): ReadonlyMap<string, TokenId | undefined> {
  const names = new Map<string, TokenId | undefined>();
  for (const { marketId, ticker, alias = ticker } of markets) {
    const { base, quote } = tokensOf(marketId);
    for (const name of [ticker, alias]) {
      const [baseName = "", quoteName = ""] = name.toLowerCase().split(/[/_]/);
      for (const [each, token] of [
        [baseName, base],
        [quoteName, quote],
      ] as const) {
        names.set(each, names.has(each) && names.get(each) !== token ? undefined : token);
      }
    }
  }
  return names;
}
