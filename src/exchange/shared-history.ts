import type { Address } from "../domain/ids.ts";
import type { Account } from "./account.ts";
import { partNow, type SnapshotPart } from "./snapshot.ts";

/**
 * The room that the histories of all accounts share. Funds are free on a paper venue, so a limit on each account alone would let
 * any number of them fill the memory. Beyond it, the account whose history has not grown for the longest loses it. Histories of
 * exempt accounts are neither counted nor lost.
 */
export class SharedHistory {
  readonly #max: number;
  readonly #exempt: ReadonlySet<Address>;
  /** Forgets an account's history and returns how many records that were. */
  readonly #clear: (account: Account) => number;
  /** Accounts with records, the one whose history grew last at the end. */
  readonly #accounts = new Set<Account>();
  #newest: Account | undefined;
  #records = 0;

  constructor(
    max: number,
    clear: (account: Account) => number,
    exempt: ReadonlySet<Address> = new Set(),
  ) {
    this.#max = max;
    this.#exempt = exempt;
    this.#clear = clear;
  }

  /** The order in which histories grew, as a part of a snapshot. */
  save(part: string): SnapshotPart {
    return partNow(
      part,
      [...this.#accounts].map(({ address }) => address),
    );
  }

  /** Call after the records of all accounts were noted. */
  restore(addresses: Iterable<Address>, accountOf: (address: Address) => Account): void {
    for (const address of addresses) {
      const account = accountOf(address);
      if (this.#accounts.delete(account)) this.#accounts.add(account);
    }
    this.#newest = undefined;
  }

  /** Counts a new record of an account; `hasReplaced`: its oldest record made room. */
  note(account: Account, hasReplaced: boolean): void {
    if (this.#exempt.has(account.address)) return;
    if (account !== this.#newest) {
      this.#accounts.delete(account);
      this.#accounts.add(account);
      this.#newest = account;
    }
    if (hasReplaced) return;
    this.#records += 1;
    if (this.#records <= this.#max) return;
    const [longestIdle] = this.#accounts;
    if (longestIdle === undefined || longestIdle === account) return;
    this.#records -= this.#clear(longestIdle);
    this.#accounts.delete(longestIdle);
  }

  /** The account's `records` are gone. */
  forget(account: Account, records: number): void {
    if (this.#accounts.delete(account)) this.#records -= records;
    if (this.#newest === account) this.#newest = undefined;
  }
}
