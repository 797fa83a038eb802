import type { Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import { type SnapshotPart, partLater, type SavedRows } from "./snapshot.ts";
import type { Ledger } from "./ledger.ts";

/** Makes deposits, and funds addresses the first time they are seen (D33). */
export class Faucet {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #amounts: ReadonlyMap<TokenId, Fixed>;
  readonly #seenMax: number;
  readonly #seen = new Set<Address>();

  /** With empty `amounts`, no address is funded or remembered. */
  constructor(
    ledger: Ledger,
    blocks: BlockBuilder,
    amounts: ReadonlyMap<TokenId, Fixed>,
    seenMax: number,
  ) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#amounts = amounts;
    this.#seenMax = seenMax;
  }

  markSeen(address: Address): void {
    this.#seen.add(address);
  }

  see(address: Address, nowMs: UnixMs): void {
    if (this.#amounts.size === 0 || this.#seen.has(address) || this.#seen.size >= this.#seenMax)
      return;
    this.#seen.add(address);
    this.deposit(this.#ledger.account(address), this.#amounts, nowMs);
  }

  save(): SnapshotPart[] {
    return [partLater("seen", [...this.#seen], (address) => address)];
  }

  restore(saved: SavedRows): void {
    for (const address of saved<Address>("seen")) this.#seen.add(address);
  }

  /** Deposits in one block, with an event per token. */
  deposit(account: Account, amounts: ReadonlyMap<TokenId, Fixed>, nowMs: UnixMs): void {
    this.#blocks.open(nowMs, undefined);
    for (const [token, amount] of amounts) {
      this.#ledger.deposit(account, token, amount);
      this.#blocks.accountEvent({
        eventType: "DEPOSIT",
        account: account.address,
        tokenId: token,
        amount,
      });
    }
    this.#blocks.close();
  }
}
