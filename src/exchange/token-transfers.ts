import { getOrMake } from "../base/get-or-make.ts";
import { Ring } from "../base/ring.ts";
import { fixedText, type Fixed } from "../domain/fixed.ts";
import type { Address, OrderId, TokenId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Account } from "./account.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Faucet } from "./faucet.ts";
import { flat, type SnapshotPart, partLater, type SavedRows, unflat } from "./snapshot.ts";
import type { Ledger } from "./ledger.ts";
import { syntheticHash } from "./order.ts";
import {
  accepted,
  type CommandResult,
  type Refusal,
  refused,
  type TransferRecord,
} from "./records.ts";
import { SharedHistory } from "./shared-history.ts";
import type { Withdrawals } from "./withdrawals.ts";

/** Money that leaves an account. */
export interface MoveRequest {
  /** A layer-2 address; for a withdrawal, a layer-1 address. */
  readonly to: Address;
  readonly tokenId: TokenId;
  /** Positive. */
  readonly amount: Fixed;
}

export interface TokenTransferParts {
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly faucet: Faucet;
  readonly withdrawals: Withdrawals;
}

export interface TokenTransferOptions {
  readonly tokens: ReadonlySet<TokenId>;
  /** The token that a native transfer moves (D8). */
  readonly nativeToken: TokenId;
  /** Number of accounts from which transfers open no new ones. */
  readonly holders: number;
  /** Transfers kept per account. */
  readonly historyPerAccount: number;
  /** Transfers kept of all accounts together, except those of `exempt`. */
  readonly historyOfAll: number;
  readonly exempt: ReadonlySet<Address>;
}

/** Transfers between accounts and withdrawals from layer 2 (§4.1). Each is one block (D30). */
export class TokenTransfers {
  readonly #ledger: Ledger;
  readonly #blocks: BlockBuilder;
  readonly #faucet: Faucet;
  readonly #withdrawals: Withdrawals;
  readonly #options: TokenTransferOptions;
  readonly #transfers = new Map<Account, Ring<TransferRecord>>();
  readonly #shared: SharedHistory;
  #recordId = 0;

  constructor(
    { ledger, blocks, faucet, withdrawals }: TokenTransferParts,
    options: TokenTransferOptions,
  ) {
    this.#ledger = ledger;
    this.#blocks = blocks;
    this.#faucet = faucet;
    this.#withdrawals = withdrawals;
    this.#options = options;
    const clear = (account: Account): number => {
      const count = this.#transfers.get(account)?.size ?? 0;
      this.#transfers.delete(account);
      return count;
    };
    this.#shared = new SharedHistory(options.historyOfAll, clear, options.exempt);
  }

  hasToken(tokenId: TokenId): boolean {
    return this.#options.tokens.has(tokenId);
  }

  /** Moves the native token (0x02, D8). */
  transferNative(
    from: Account,
    request: Omit<MoveRequest, "tokenId">,
    nowMs: UnixMs,
    txHash: OrderId | undefined,
  ): CommandResult {
    const tokenId = this.#options.nativeToken;
    return this.#transfer(from, { ...request, tokenId, txType: "TRANSFER" }, nowMs, txHash);
  }

  /** Moves any token (0x11). */
  transfer(
    from: Account,
    request: MoveRequest,
    nowMs: UnixMs,
    txHash: OrderId | undefined,
  ): CommandResult {
    return this.#transfer(from, { ...request, txType: "TOKEN_TRANSFER" }, nowMs, txHash);
  }

  /** Removes money from layer 2 at once; the execution on layer 1 follows (D33). */
  withdraw(
    account: Account,
    request: MoveRequest,
    nowMs: UnixMs,
    txHash: OrderId | undefined,
  ): CommandResult {
    const problem = this.#problem(account, request);
    if (problem !== undefined) return problem;
    const { to, tokenId, amount } = request;
    const hash = this.#open(nowMs, txHash);
    this.#ledger.withdraw(account, tokenId, amount);
    this.#blocks.accountEvent({
      eventType: "WITHDRAW",
      account: account.address,
      tokenId,
      amount,
    });
    this.#withdrawals.add({
      txHash: hash,
      account: account.address,
      to,
      tokenId,
      amount,
      acceptedAtMs: nowMs,
    });
    this.#blocks.close();
    return accepted(hash);
  }

  /** Transfers from and to the account, newest first. */
  transfers(account: Account): Iterable<TransferRecord> {
    return this.#transfers.get(account)?.newestFirst() ?? [];
  }

  #transfer(
    from: Account,
    request: MoveRequest & Pick<TransferRecord, "txType">,
    nowMs: UnixMs,
    txHash: OrderId | undefined,
  ): CommandResult {
    const problem = this.#problem(from, request);
    if (problem !== undefined) return problem;
    const { to, tokenId, amount, txType } = request;
    const { holders } = this.#options;
    if (this.#ledger.size >= holders && this.#ledger.find(to) === undefined) {
      return refused(
        "invalid",
        `There are ${holders} accounts already, so a transfer cannot open another.`,
      );
    }
    this.#faucet.see(to, nowMs);
    const receiver = this.#ledger.account(to);
    const hash = this.#open(nowMs, txHash);
    this.#ledger.debit(from, tokenId, amount, "unlocked");
    this.#ledger.credit(receiver, tokenId, amount);
    const parties = { fromAddress: from.address, toAddress: to };
    const event = { eventType: "TRANSFER", tokenId, amount, ...parties } as const;
    this.#blocks.accountEvent({ ...event, account: from.address });
    this.#blocks.accountEvent({ ...event, account: to });
    this.#recordId += 1;
    const record: TransferRecord = {
      recordId: this.#recordId,
      ...parties,
      txType,
      tokenId,
      amount,
      timeMs: nowMs,
      txHash: hash,
    };
    this.#note(from, record);
    if (receiver !== from) this.#note(receiver, record);
    this.#blocks.close();
    return accepted(hash);
  }

  /** Why the money cannot be moved (D12). */
  #problem(from: Account, { tokenId, amount }: MoveRequest): Refusal | undefined {
    if (!this.hasToken(tokenId)) {
      return refused("notFound", `There is no token ${tokenId.slice(0, 80)}.`);
    }
    if (amount <= 0n) return refused("invalid", "value is 0.");
    const unlocked = this.#ledger.unlocked(from, tokenId);
    if (amount <= unlocked) return undefined;
    return refused(
      "invalid",
      `value ${fixedText(amount)} is above the unlocked ${fixedText(unlocked)} of token ${tokenId}.`,
    );
  }

  #open(nowMs: UnixMs, txHash: OrderId | undefined): OrderId {
    this.#blocks.open(nowMs, txHash);
    return txHash ?? syntheticHash("block", this.#blocks.blockNumber);
  }

  #note(account: Account, record: TransferRecord): void {
    const { historyPerAccount } = this.#options;
    const transfers = getOrMake(this.#transfers, account, () => new Ring(historyPerAccount));
    this.#shared.note(account, transfers.push(record) !== undefined);
  }

  save(): SnapshotPart[] {
    const rows = [...this.#transfers].flatMap(([{ address }, transfers]) =>
      transfers.oldestFirst().map((record) => [address, record] as const),
    );
    return [
      partLater("transfers", rows, ([address, record]) => [address, flat(record)]),
      partLater("transfer-count", [this.#recordId], (count) => count),
      this.#shared.save("transfer-order"),
    ];
  }

  restore(saved: SavedRows): void {
    for (const [address, row] of saved<[Address, unknown]>("transfers")) {
      this.#note(this.#ledger.account(address), unflat<TransferRecord>(row));
    }
    for (const count of saved<number>("transfer-count")) this.#recordId = count;
    this.#shared.restore(saved<Address>("transfer-order"), (address) =>
      this.#ledger.account(address),
    );
  }
}
