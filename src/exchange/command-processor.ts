import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type {
  ChangeSession,
  CommandOptions,
  ExchangeCommand,
  VerifiedTransaction,
} from "./command.ts";
import type { Faucet } from "./faucet.ts";
import type { Ledger } from "./ledger.ts";
import { NonceBook } from "./nonce-book.ts";
import { syntheticHash } from "./order.ts";
import type { OrderEntry } from "./order-entry.ts";
import type { OrderIndex } from "./order-index.ts";
import { accepted, type AcceptedCommand, type CommandResult, refused } from "./records.ts";
import type { SessionBook } from "./session-book.ts";
import { partLater, type SavedRows, type SnapshotPart } from "./snapshot.ts";
import type { TokenTransfers } from "./token-transfers.ts";
import { UnfundedAccounts } from "./unfunded-accounts.ts";

export interface CommandLimits {
  readonly nonceWindowMs: number;
  /** Accepted transactions that are remembered, so that the same bytes sent again get the same result (D6). */
  readonly rememberedTransactions: number;
  readonly signers: number;
  readonly unfundedCommands: number;
  readonly historyPerAccount: number;
}

/** The parts of an exchange that carry commands out. */
export interface CommandProcessorParts {
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly orders: OrderEntry;
  readonly index: OrderIndex;
  readonly transfers: TokenTransfers;
  readonly sessions: SessionBook;
  readonly faucet: Faucet;
}

/**
 * Checks signed transactions in the order of D6 (repeated bytes, nonce, authority) and carries commands out. A refused
 * transaction uses no nonce.
 */
export class CommandProcessor {
  readonly #parts: CommandProcessorParts;
  readonly #nonces: NonceBook;
  readonly #limits: CommandLimits;
  readonly #exempt: ReadonlySet<Address>;
  readonly #unfunded: UnfundedAccounts;
  /** Results of accepted transactions by hash, oldest first. */
  readonly #results = new Map<OrderId, AcceptedCommand>();
  readonly #oldestResult = new OldestKeyCursor(this.#results);

  /** `exempt`: owners whose signers' nonces are counted although `limits.signers` are. */
  constructor(parts: CommandProcessorParts, limits: CommandLimits, exempt: ReadonlySet<Address>) {
    this.#parts = parts;
    this.#exempt = exempt;
    this.#limits = limits;
    this.#nonces = new NonceBook(limits);
    this.#unfunded = new UnfundedAccounts(limits, (account) => {
      parts.index.forget(account);
      parts.sessions.forget(account.address);
      parts.ledger.forget(account);
    });
  }

  submit(transaction: VerifiedTransaction, nowMs: UnixMs): CommandResult {
    const { signer, txHash, nonce, owner, command } = transaction;
    const before = this.#results.get(txHash);
    if (before !== undefined) return before;
    const problem = this.#nonces.problem(signer, nonce, nowMs, this.#exempt.has(owner));
    if (problem !== undefined) return problem;
    if (!this.#maySign(transaction, nowMs)) {
      return refused("unauthorized", `${signer} may not sign this for ${owner}.`);
    }
    const { faucet, ledger } = this.#parts;
    faucet.see(owner, nowMs);
    const known = ledger.find(owner);
    const account = known ?? ledger.account(owner);
    const result = this.execute(account, command, nowMs, { txHash, nonce });
    if (result.type === "refused") {
      // A refused command leaves nothing behind, not even an account.
      if (known === undefined) ledger.forget(account);
      return result;
    }
    this.#unfunded.note(account);
    this.#nonces.use(signer, nonce, nowMs);
    this.#remember(txHash, result);
    return result;
  }

  /** The one place that knows every command: signed and unsigned ones alike end here. */
  execute(
    account: Account,
    command: ExchangeCommand,
    nowMs: UnixMs,
    options: CommandOptions,
  ): CommandResult {
    const { orders, transfers } = this.#parts;
    const { txHash } = options;
    switch (command.type) {
      case "place":
      case "stop":
        return orders.place(account, command, nowMs, options);
      case "cancel":
        return orders.cancel(account, command.orderId, nowMs, txHash);
      case "cancel-all":
        return orders.cancelAll(account, nowMs, txHash);
      case "modify":
        return orders.modify(account, command, nowMs, options);
      case "transfer":
        return transfers.transferNative(account, command, nowMs, txHash);
      case "token-transfer":
        return transfers.transfer(account, command, nowMs, txHash);
      case "withdraw":
        return transfers.withdraw(account, command, nowMs, txHash);
      case "session":
        return this.#changeSession(account, command, nowMs, options);
    }
  }

  /** The owner may sign everything; a session wallet may trade, and change its own session (D7). */
  #maySign(
    { signer, owner, sessionMaySign, command }: VerifiedTransaction,
    nowMs: UnixMs,
  ): boolean {
    if (signer === owner) return true;
    if (!sessionMaySign) return false;
    // A wallet that is being created is not applied yet; the typed data carries the owner's signature.
    if (command.type === "session") return command.sessionWallet === signer;
    return this.#parts.sessions.isApplied(owner, signer, nowMs);
  }

  #changeSession(
    { address }: Account,
    command: ChangeSession,
    nowMs: UnixMs,
    { txHash, nonce = command.nonce }: CommandOptions,
  ): CommandResult {
    const { sessions, blocks } = this.#parts;
    const problem = sessions.problem(address, command, nonce, nowMs);
    if (problem !== undefined) return problem;
    blocks.open(nowMs, txHash);
    sessions.apply(address, command, nowMs);
    blocks.close();
    return accepted(txHash ?? syntheticHash("block", blocks.blockNumber));
  }

  save(): SnapshotPart[] {
    return [
      ...this.#nonces.save(),
      ...this.#unfunded.save(),
      partLater("result-hashes", [...this.#results.keys()], (txHash) => txHash),
      partLater("results", [...this.#results.values()], (result) => result),
    ];
  }

  restore(saved: SavedRows): void {
    this.#nonces.restore(saved);
    this.#unfunded.restore(saved, (address) => this.#parts.ledger.account(address));
    const results = saved<AcceptedCommand>("results")[Symbol.iterator]();
    for (const txHash of saved<OrderId>("result-hashes")) {
      const result = results.next();
      if (result.done === true) return;
      this.#results.set(txHash, accepted(result.value.txHash, result.value.rejected));
    }
  }

  #remember(txHash: OrderId, result: AcceptedCommand): void {
    this.#results.set(txHash, result);
    if (this.#results.size <= this.#limits.rememberedTransactions) return;
    const oldest = this.#oldestResult.next();
    if (oldest !== undefined) this.#results.delete(oldest);
  }
}
