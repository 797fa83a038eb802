import { assert } from "../base/assert.ts";
import { addFixed, fixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { Account, type TokenBalance } from "./account.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

/** The account that receives every fee (D18). */
export const FEE_ACCOUNT = "0x00000000000000000000000000000000000000fe" as Address;

/** What the fee account starts with of each token of a market with a rebate. */
const REBATES = fixed("1000000000000000000000000");

/**
 * All balances, exact to the last digit. Money enters only by `deposit` and leaves only by `withdraw`, so the sum over all accounts,
 * including the fee account, always equals deposits less withdrawals. Callers check balances first: a negative one is a bug.
 */
export class Ledger {
  readonly #accounts = new Map<Address, Account>();
  /** Numbers of forgotten accounts. */
  readonly #freeNumbers: number[] = [];
  /** Deposits less withdrawals. */
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

  /** The account of this address; creates it when there is none. */
  account(address: Address): Account {
    return this.find(address) ?? this.#add(address, false);
  }

  /** Forgets an account that never owned anything. */
  forget(account: Account): void {
    assert(account.balances.size === 0, "only an account that never owned anything is forgotten");
    this.#accounts.delete(account.address);
    this.#freeNumbers.push(account.number);
  }

  /** Creates an account for recorded liquidity. */
  flowAccount(address: Address): Account {
    assert(this.find(address) === undefined, "a flow account has an unused address");
    return this.#add(address, true);
  }

  #add(address: Address, isFlow: boolean): Account {
    // Without freed numbers, the accounts have the numbers from 0 to their count less one.
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

  /** Removes unlocked money from layer 2. */
  withdraw(account: Account, token: TokenId, amount: Fixed): void {
    this.debit(account, token, amount, "unlocked");
    this.#deposited.set(token, subFixed(this.#deposited.get(token) ?? ZERO, amount));
  }

  /** The amount available to a new order of the account. */
  unlocked(account: Account, token: TokenId): Fixed {
    return account.balances.get(token)?.unlocked ?? ZERO;
  }

  lock(account: Account, token: TokenId, amount: Fixed): void {
    const balance = account.balance(token);
    balance.unlocked = take(balance.unlocked, amount);
    balance.locked = addFixed(balance.locked, amount);
  }

  unlock(account: Account, token: TokenId, amount: Fixed): void {
    const balance = account.balance(token);
    balance.locked = take(balance.locked, amount);
    balance.unlocked = addFixed(balance.unlocked, amount);
  }

  /** Removes money from an account; `credit` is the other half of a transfer. */
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

  /** Adds a fee to those collected; a rebate is negative and paid from them. */
  charge(token: TokenId, fee: Fixed): void {
    if (fee >= 0n) this.credit(this.fees, token, fee);
    else this.debit(this.fees, token, -fee as Fixed, "unlocked");
  }

  /** Deposits what rebates are paid from, where a rate is one. */
  fundRebates({ baseToken, quoteToken }: Market, ...rates: readonly Fixed[]): void {
    if (rates.every((rate) => rate >= 0n)) return;
    for (const token of [baseToken, quoteToken]) {
      if (this.unlocked(this.fees, token) < REBATES) this.deposit(this.fees, token, REBATES);
    }
  }

  save(): SnapshotPart[] {
    const accounts = [...this.#accounts.values()];
    // Flat lists: arrays for each account would take several times as long.
    const lines: SavedLines = { tokens: [], unlocked: [], locked: [] };
    const ends: number[] = [];
    for (const { balances } of accounts) {
      for (const [token, { unlocked, locked }] of balances) {
        lines.tokens.push(token);
        lines.unlocked.push(unlocked);
        lines.locked.push(locked);
      }
      ends.push(lines.tokens.length);
    }
    const rowAt = (at: number): AccountRow | undefined => {
      const account = accounts[at];
      if (account === undefined) return undefined;
      return [account.address, account.isFlow, rowsOf(lines, ends[at - 1] ?? 0, ends[at] ?? 0)];
    };
    const deposited = [...this.#deposited].map(([token, amount]) => [token, String(amount)]);
    return [
      { name: "accounts", size: accounts.length, row: rowAt },
      partNow("deposited", deposited),
    ];
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

  /** For every token, the sum over all accounts and the deposits less withdrawals. They differ only when money was created or lost. */
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

/** Balances at the moment of a snapshot, those of all accounts one after the other. */
interface SavedLines {
  readonly tokens: TokenId[];
  readonly unlocked: Fixed[];
  readonly locked: Fixed[];
}

type BalanceRow = readonly [token: TokenId, unlocked: string, locked: string];

type AccountRow = readonly [address: Address, isFlow: boolean, balances: readonly BalanceRow[]];

/** The rows from index `from` up to `end`. */
function rowsOf({ tokens, unlocked, locked }: SavedLines, from: number, end: number): BalanceRow[] {
  return tokens
    .slice(from, end)
    .map((token, at) => [token, String(unlocked[from + at]), String(locked[from + at])]);
}

function take(from: Fixed, amount: Fixed): Fixed {
  assert(from >= amount, "a balance is never negative");
  return subFixed(from, amount);
}
