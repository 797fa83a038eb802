import { assert } from "../base/assert.ts";
import { addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import { Account, type TokenBalance } from "./account.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

/** The account that receives every fee (D18). */
export const FEE_ACCOUNT = "0x00000000000000000000000000000000000000fe" as Address;

/**
 * Who owns what, exact to the last digit. Money enters by `deposit` and leaves by `withdraw` alone, so the sum over all
 * accounts, the fee account too, always equals what was deposited and not withdrawn. A negative balance is a bug of the caller, who has to ask first.
 */
export class Ledger {
  readonly #accounts = new Map<Address, Account>();
  /** Of forgotten accounts. */
  readonly #freeNumbers: number[] = [];
  /** Less what was withdrawn. */
  readonly #deposited = new Map<TokenId, Fixed>();
  readonly fees: Account;

  constructor() {
    this.fees = this.account(FEE_ACCOUNT);
  }

  get size(): number {
    return this.#accounts.size;
  }

  find(address: Address): Account | undefined {
    return this.#accounts.get(address);
  }

  /** The account of this address, made when it is new. */
  account(address: Address): Account {
    return this.find(address) ?? this.#add(address, false);
  }

  /** Forgets an account that never owned anything. */
  forget(account: Account): void {
    assert(account.balances.size === 0, "only an account that never owned anything is forgotten");
    this.#accounts.delete(account.address);
    this.#freeNumbers.push(account.number);
  }

  /** A new account behind recorded liquidity. */
  flowAccount(address: Address): Account {
    assert(this.find(address) === undefined, "a flow account has an address of its own");
    return this.#add(address, true);
  }

  #add(address: Address, isFlow: boolean): Account {
    // While none is free, those in use are 0 to the number of accounts less one.
    const number = this.#freeNumbers.pop() ?? this.#accounts.size;
    const account = new Account(number, address, isFlow);
    this.#accounts.set(address, account);
    return account;
  }

  deposit(account: Account, token: TokenId, amount: Fixed): void {
    assert(amount >= 0n, "a deposit is not negative");
    this.credit(account, token, amount);
    this.#deposited.set(token, addFixed(this.#deposited.get(token) ?? ZERO, amount));
  }

  /** Takes unlocked money out of layer 2. */
  withdraw(account: Account, token: TokenId, amount: Fixed): void {
    this.debit(account, token, amount, "unlocked");
    this.#deposited.set(token, subFixed(this.#deposited.get(token) ?? ZERO, amount));
  }

  /** What a new order of the account could still use. */
  unlocked(account: Account, token: TokenId): Fixed {
    return account.balances.get(token)?.unlocked ?? ZERO;
  }

  lock(account: Account, token: TokenId, amount: Fixed): void {
    if (account.isFlow) return;
    const balance = account.balance(token);
    balance.unlocked = take(balance.unlocked, amount);
    balance.locked = addFixed(balance.locked, amount);
  }

  unlock(account: Account, token: TokenId, amount: Fixed): void {
    if (account.isFlow) return;
    const balance = account.balance(token);
    balance.locked = take(balance.locked, amount);
    balance.unlocked = addFixed(balance.unlocked, amount);
  }

  /** Takes money out of an account; a transfer's other half is `credit`. */
  debit(account: Account, token: TokenId, amount: Fixed, from: keyof TokenBalance): void {
    const balance = account.balance(token);
    if (from === "locked" && !account.isFlow) balance.locked = take(balance.locked, amount);
    else balance.unlocked = take(balance.unlocked, amount);
  }

  credit(account: Account, token: TokenId, amount: Fixed): void {
    if (amount === 0n) return;
    const balance = account.balance(token);
    balance.unlocked = addFixed(balance.unlocked, amount);
  }

  save(): SnapshotPart[] {
    const accounts = [...this.#accounts.values()].map(
      ({ address, isFlow, balances }): AccountRow => {
        const lines = [...balances].map(
          ([token, { unlocked, locked }]) => [token, String(unlocked), String(locked)] as const,
        );
        return [address, isFlow, lines];
      },
    );
    const deposited = [...this.#deposited].map(([token, amount]) => [token, String(amount)]);
    return [partNow("accounts", accounts), partNow("deposited", deposited)];
  }

  restore(saved: SavedRows): void {
    for (const [address, isFlow, lines] of saved<AccountRow>("accounts")) {
      const account = this.find(address) ?? this.#add(address, isFlow);
      for (const [token, unlocked, locked] of lines) {
        const balance = account.balance(token);
        balance.unlocked = BigInt(unlocked) as Fixed;
        balance.locked = BigInt(locked) as Fixed;
      }
    }
    for (const [token, amount] of saved<[TokenId, string]>("deposited")) {
      this.#deposited.set(token, BigInt(amount) as Fixed);
    }
  }

  /** Every token with the sum over all accounts and what was deposited and not withdrawn: equal, or money was made or lost. */
  audit(): Map<TokenId, { readonly held: Fixed; readonly deposited: Fixed }> {
    const held = new Map<TokenId, Fixed>();
    for (const account of this.#accounts.values()) {
      for (const [token, { locked, unlocked }] of account.balances) {
        held.set(token, addFixed(held.get(token) ?? ZERO, addFixed(locked, unlocked)));
      }
    }
    const lines = new Map<TokenId, { held: Fixed; deposited: Fixed }>();
    for (const token of new Set([...held.keys(), ...this.#deposited.keys()])) {
      lines.set(token, {
        held: held.get(token) ?? ZERO,
        deposited: this.#deposited.get(token) ?? ZERO,
      });
    }
    return lines;
  }
}

type AccountRow = readonly [
  address: Address,
  isFlow: boolean,
  balances: readonly (readonly [token: TokenId, unlocked: string, locked: string])[],
];

function take(from: Fixed, amount: Fixed): Fixed {
  assert(from >= amount, "a balance is never negative");
  return subFixed(from, amount);
}
