import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";

/** What an account has of one token (§2.2). */
export interface TokenBalance {
  unlocked: Fixed;
  locked: Fixed;
}

/** An account of the ledger. Only the ledger changes its balances. */
export class Account {
  /** Accounts of a ledger are numbered from 0; a forgotten one's number is given to the next new one. */
  readonly number: number;
  readonly address: Address;
  /**
   * True for the accounts behind recorded liquidity (D35): their orders lock nothing, have no events and no history, since
   * nobody asks and a recording changes thousands of levels a second. What they trade is settled like anyone's.
   */
  readonly isFlow: boolean;
  readonly balances = new Map<TokenId, TokenBalance>();

  constructor(number: number, address: Address, isFlow: boolean) {
    this.number = number;
    this.address = address;
    this.isFlow = isFlow;
  }

  /** The balance of a token, made at zero when the account never had it. */
  balance(token: TokenId): TokenBalance {
    let balance = this.balances.get(token);
    if (balance === undefined) {
      balance = { unlocked: ZERO, locked: ZERO };
      this.balances.set(token, balance);
    }
    return balance;
  }
}
