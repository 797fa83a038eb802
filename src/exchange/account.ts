import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";

/** An account's balance of one token (§2.2). */
export interface TokenBalance {
  unlocked: Fixed;
  locked: Fixed;
}

/** An account of the ledger. Only the ledger changes its balances. */
export class Account {
  /** A ledger numbers its accounts from 0 and reuses the numbers of forgotten ones. */
  readonly number: number;
  readonly address: Address;
  /**
   * True for the accounts behind recorded liquidity (D35). A recording changes thousands of levels a second and nobody queries
   * its orders, so they lock nothing and have neither events nor history. Their trades are settled like all others.
   */
  readonly isFlow: boolean;
  readonly balances = new Map<TokenId, TokenBalance>();

  constructor(number: number, address: Address, isFlow: boolean) {
    this.number = number;
    this.address = address;
    this.isFlow = isFlow;
  }

  /** The balance of a token; creates one of zero when the account has none. */
  balance(token: TokenId): TokenBalance {
    let balance = this.balances.get(token);
    if (balance === undefined) {
      balance = { unlocked: ZERO, locked: ZERO };
      this.balances.set(token, balance);
    }
    return balance;
  }
}
