import type { Address } from "../domain/ids.ts";
import type { Account } from "./account.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

export interface UnfundedAccountLimits {
  /** Accepted commands that all accounts without money have remembered, together. */
  readonly unfundedCommands: number;
  readonly historyPerAccount: number;
}

/**
 * Accounts that never owned anything. Whoever makes up keys has any number of them for nothing, and their orders, refused
 * for want of money, are records like any (D12). So what all of them leave behind has one bound; beyond it the guest that was heard of
 * longest ago is forgotten whole.
 */
export class UnfundedAccounts {
  readonly #max: number;
  readonly #perAccount: number;
  readonly #forget: (account: Account) => void;
  /** Commands remembered of each; the one that was heard of longest ago is the first. */
  readonly #commands = new Map<Account, number>();
  #total = 0;

  constructor(limits: UnfundedAccountLimits, forget: (account: Account) => void) {
    this.#max = limits.unfundedCommands;
    this.#perAccount = Math.min(limits.historyPerAccount, limits.unfundedCommands);
    this.#forget = forget;
  }

  /** A command of this account was accepted. */
  note(account: Account): void {
    if (account.balances.size > 0) return;
    const before = this.#commands.get(account) ?? 0;
    const after = Math.min(before + 1, this.#perAccount);
    this.#commands.delete(account);
    this.#put(account, after);
    this.#total -= before;
    for (const [oldest, count] of this.#commands) {
      if (this.#total <= this.#max) return;
      this.#commands.delete(oldest);
      this.#total -= count;
      // Who has come to money since is a guest no more.
      if (oldest.balances.size === 0) this.#forget(oldest);
    }
  }

  save(): SnapshotPart[] {
    const rows = [...this.#commands].map(([{ address }, count]): UnfundedRow => [address, count]);
    return [partNow("guests", rows)];
  }

  restore(saved: SavedRows, accountOf: (address: Address) => Account): void {
    for (const [address, count] of saved<UnfundedRow>("guests"))
      this.#put(accountOf(address), count);
  }

  #put(account: Account, count: number): void {
    this.#commands.set(account, count);
    this.#total += count;
  }
}

type UnfundedRow = readonly [address: Address, count: number];
