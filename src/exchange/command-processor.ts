import { assert } from "../base/assert.ts";
import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { fixed, type Fixed } from "../domain/fixed.ts";
import {
  addressOf,
  marketId,
  orderId,
  tokenId,
  type Address,
  type OrderId,
} from "../domain/ids.ts";
import { unixSec, type UnixMs } from "../domain/time.ts";
import type { ContextOf } from "../spec/command.ts";
import { commands, type Commands, type WireCommand } from "../spec/commands.ts";
import type { WireTpsl } from "../spec/commands/order.ts";
import { sessionActions } from "../spec/commands/session.ts";
import type { Account } from "./account.ts";
import type { OrderRequest } from "./admission.ts";
import type { BlockBuilder } from "./block-builder.ts";
import type { Faucet } from "./faucet.ts";
import { UnfundedAccounts } from "./unfunded-accounts.ts";
import { type SnapshotPart, partLater, type SavedRows } from "./snapshot.ts";
import type { Ledger } from "./ledger.ts";
import { NonceBook } from "./nonce-book.ts";
import type { TpslRequest } from "./order.ts";
import type { OrderEntry } from "./order-entry.ts";
import type { OrderIndex } from "./order-index.ts";
import type { CommandResult } from "./records.ts";
import type { SessionBook } from "./session-book.ts";
import type { MoveRequest, TokenTransfers } from "./token-transfers.ts";

/** A transaction whose form and signature are in order (§4.4, D5); the decoder has checked its context. */
export interface VerifiedTransaction {
  readonly signer: Address;
  readonly txHash: OrderId;
  readonly nonce: number;
  readonly command: WireCommand;
  /** Of a session command. */
  readonly session?: {
    /** Who made its `l1signature` (§5). */
    readonly l1signer: Address;
    /** The name in the request's body; empty without one. */
    readonly name: string;
  };
}

export interface CommandLimits {
  readonly nonceWindowMs: number;
  /** How many accepted transactions are remembered, so that the same bytes sent again get the same answer (D6). */
  readonly rememberedTransactions: number;
  readonly signers: number;
  readonly unfundedCommands: number;
  readonly historyPerAccount: number;
}

/** Where commands are carried out. */
export interface CommandProcessorParts {
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly orders: OrderEntry;
  readonly index: OrderIndex;
  readonly wallet: TokenTransfers;
  readonly sessions: SessionBook;
  readonly faucet: Faucet;
}

/**
 * Takes signed transactions: same bytes again → same answer; then the nonce; then who may do it (D7); then the command
 * itself, in the order of D6. Anything but 200 uses no nonce.
 */
export class CommandProcessor {
  readonly #parts: CommandProcessorParts;
  readonly #nonces: NonceBook;
  readonly #limits: CommandLimits;
  readonly #unfunded: UnfundedAccounts;
  /** Answers given, oldest first. */
  readonly #results = new Map<OrderId, CommandResult>();
  readonly #oldestResult = new OldestKeyCursor(this.#results);

  constructor(parts: CommandProcessorParts, limits: CommandLimits) {
    this.#parts = parts;
    this.#limits = limits;
    this.#nonces = new NonceBook(limits);
    this.#unfunded = new UnfundedAccounts(limits, (account) => {
      parts.index.forget(account);
      parts.sessions.forget(account.address);
      parts.ledger.forget(account);
    });
  }

  submit(transaction: VerifiedTransaction, nowMs: UnixMs): CommandResult {
    const { signer, txHash, nonce, command } = transaction;
    const before = this.#results.get(txHash);
    if (before !== undefined) return before;
    const problem = this.#nonces.problem(signer, nonce, nowMs);
    if (problem !== undefined) return problem;

    const owner = addressOf(command.context.l1owner);
    if (owner === undefined) return { code: 400, errMsg: "l1owner is not an address." };
    if (!this.#maySign(signer, owner, command, nowMs)) {
      return { code: 401, errMsg: `${signer} may not sign this for ${owner}.` };
    }
    const { faucet, ledger } = this.#parts;
    faucet.see(owner, nowMs);
    const known = ledger.find(owner);
    const account = known ?? ledger.account(owner);
    const result = this.#carryOut(transaction, account, nowMs);
    if (result.code !== 200) {
      // What is refused leaves nothing behind, an account neither.
      if (known === undefined) ledger.forget(account);
      return result;
    }
    this.#unfunded.note(account);
    this.#nonces.use(signer, nonce, nowMs);
    this.#remember(txHash, result);
    return result;
  }

  /** The owner may do everything, a session wallet trade and speak of itself (D7). */
  #maySign(signer: Address, owner: Address, command: WireCommand, nowMs: UnixMs): boolean {
    if (signer === owner) return true;
    if (!commands[command.name].sessionMaySign) return false;
    // A wallet that is to be created is not applied yet; the owner's signature is in the context.
    if (command.name === "session") return addressOf(command.context.publickey) === signer;
    return this.#parts.sessions.isApplied(owner, signer, nowMs);
  }

  #carryOut(transaction: VerifiedTransaction, account: Account, nowMs: UnixMs): CommandResult {
    const { command, txHash } = transaction;
    const { orders, wallet } = this.#parts;
    switch (command.name) {
      case "order": {
        const { context } = command;
        const tpsl = context.tpsl === undefined ? undefined : tpslOf(context.tpsl);
        return orders.place(account, { ...orderRequest(context), tpsl }, nowMs, { txHash });
      }
      case "cancel": {
        const target = orderId(command.context.orderId);
        if (target === undefined) return badOrderId;
        return orders.cancel(account, target, nowMs, txHash);
      }
      case "cancel-all":
        return orders.cancelAll(account, nowMs, txHash);
      case "modify": {
        const { context } = command;
        const target = orderId(context.orderId);
        if (target === undefined) return badOrderId;
        const change = { price: optional(context.newPrice), quantity: optional(context.newQty) };
        return orders.modify(account, target, change, nowMs, { txHash });
      }
      case "transfer": {
        const { to, value } = command.context;
        const request = { to: checkedAddress(to), amount: fixed(value) };
        return wallet.transferNative(account, request, nowMs, txHash);
      }
      case "token-transfer":
        return wallet.transfer(account, moveRequest(command.context), nowMs, txHash);
      case "withdraw":
        return wallet.withdraw(account, moveRequest(command.context), nowMs, txHash);
      case "session":
        return this.#session(transaction, command.context, account.address, nowMs);
      case "stop": {
        const { context } = command;
        const stopPrice = fixed(context.stopPrice);
        return orders.place(account, { ...orderRequest(context), stopPrice }, nowMs, { txHash });
      }
    }
  }

  #session(
    transaction: VerifiedTransaction,
    context: ContextOf<Commands["session"]>,
    owner: Address,
    nowMs: UnixMs,
  ): CommandResult {
    const { txHash, nonce, session } = transaction;
    assert(session !== undefined, "the signer of a session command's typed data is known");
    const { sessions, blocks } = this.#parts;
    const request = {
      action: sessionActions[context.type].action,
      sessionWallet: checkedAddress(context.publickey),
      expirySec: unixSec(context.expiresAt),
      nonce: context.nonce,
      ...session,
    };
    const problem = sessions.problem(owner, request, nonce, nowMs);
    if (problem !== undefined) return problem;
    blocks.open(nowMs, txHash);
    sessions.apply(owner, request, nowMs);
    blocks.close();
    return { code: 200, txHash, rejected: undefined };
  }

  save(): SnapshotPart[] {
    return [
      ...this.#nonces.save(),
      ...this.#unfunded.save(),
      partLater("answered-hashes", [...this.#results.keys()], (txHash) => txHash),
      partLater("answers", [...this.#results.values()], (result) => result),
    ];
  }

  restore(saved: SavedRows): void {
    this.#nonces.restore(saved);
    this.#unfunded.restore(saved, (address) => this.#parts.ledger.account(address));
    const results = saved<CommandResult>("answers")[Symbol.iterator]();
    for (const txHash of saved<OrderId>("answered-hashes")) {
      const result = results.next();
      if (result.done !== true) this.#results.set(txHash, result.value);
    }
  }

  #remember(txHash: OrderId, result: CommandResult): void {
    this.#results.set(txHash, result);
    if (this.#results.size <= this.#limits.rememberedTransactions) return;
    const oldest = this.#oldestResult.next();
    if (oldest !== undefined) this.#results.delete(oldest);
  }
}

const badOrderId: CommandResult = { code: 400, errMsg: "orderId is not 0x and 64 hex digits." };

/** An address whose form the context's codec has checked. */
function checkedAddress(text: string): Address {
  const address = addressOf(text);
  assert(address !== undefined, "a checked address");
  return address;
}

/** What orders and stop orders have in common. */
function orderRequest(context: ContextOf<Commands["order"] | Commands["stop"]>): OrderRequest {
  return {
    marketId: marketId(context.baseToken, context.quoteToken),
    side: context.side === 0 ? "BUY" : "SELL",
    orderType: context.orderType === 0 ? "LIMIT" : "MARKET",
    orderMode: context.orderMode,
    price: fixed(context.price),
    quantity: fixed(context.quantity),
  };
}

function moveRequest(context: ContextOf<Commands["withdraw"]>): MoveRequest {
  const { to, token, value } = context;
  return { to: checkedAddress(to), tokenId: tokenId(token), amount: fixed(value) };
}

function tpslOf({ tpLimit, slTrigger, slLimit }: WireTpsl): TpslRequest {
  return {
    tpLimit: fixed(tpLimit),
    slTrigger: fixed(slTrigger),
    slLimit: slLimit === undefined ? undefined : fixed(slLimit),
  };
}

/** Null and absent keep the current value (§4.4). */
function optional(text: string | null | undefined): Fixed | undefined {
  return text === null || text === undefined ? undefined : fixed(text);
}
