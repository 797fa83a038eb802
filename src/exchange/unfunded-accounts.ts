import type { Address } from "../domain/ids.ts";
import type { Account } from "./account.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";

export interface UnfundedAccountLimits {
  /** Accepted commands remembered for all unfunded accounts together. */
  readonly unfundedCommands: number;
  readonly historyPerAccount: number;
}

/**
 * Accounts that never owned anything. Keys are free, so anyone can create any number of such accounts, and their orders, rejected
 * for lack of funds, are recorded like all others (D12). Their records share one limit; beyond it, the account that was idle
 * longest is forgotten completely.
 */
export class UnfundedAccounts {
  readonly #max: number;
  readonly #perAccount: number;
  readonly #forget: (account: Account) => void;
  /** Commands remembered per account; the account that was idle longest comes first. */
  readonly #commands = new Map<Account, number>();
  #total = 0;

  constructor(limits: UnfundedAccountLimits, forget: (account: Account) => void) {
    this.#max = limits.unfundedCommands;
    this.#perAccount = Math.min(limits.historyPerAccount, limits.unfundedCommands);
    this.#forget = forget;
  }

  /** Counts an accepted command of this account. */
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
      // An account that has been funded since is no longer unfunded, and is kept.
      if (oldest.balances.size === 0) this.#forget(oldest);
    }
  }

  save(): SnapshotPart[] {
    const rows = [...this.#commands].map(([{ address }, count]): UnfundedRow => [address, count]);
    return [partNow("unfunded", rows)];
  }

  restore(saved: SavedRows, accountOf: (address: Address) => Account): void {
    for (const [address, count] of saved<UnfundedRow>("unfunded"))
      this.#put(accountOf(address), count);
  }

  #put(account: Account, count: number): void {
    this.#commands.set(account, count);
    this.#total += count;
  }
}

type UnfundedRow = readonly [address: Address, count: number];
