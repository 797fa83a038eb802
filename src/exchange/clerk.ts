import { assert } from "../base/assert.ts";
import { OldestFirst } from "../base/oldest-first.ts";
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
import { Guests } from "./guests.ts";
import { type ImagePart, partLater, type SavedRows } from "./image.ts";
import type { Ledger } from "./ledger.ts";
import { NonceBook } from "./nonce-book.ts";
import type { TpslRequest } from "./order.ts";
import type { OrderDesk } from "./order-desk.ts";
import type { OrderIndex } from "./order-index.ts";
import type { Answer } from "./records.ts";
import type { SessionBook } from "./session-book.ts";
import type { MoveRequest, Wallet } from "./wallet.ts";

/** A transaction whose form and signature are in order (§4.4, D5); the decoder has checked its context. */
export interface SignedTransaction {
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

export interface ClerkLimits {
  readonly nonceWindowMs: number;
  /** How many accepted transactions are remembered, so that the same bytes sent again get the same answer (D6). */
  readonly rememberedTransactions: number;
  readonly signers: number;
  readonly guestCommands: number;
  readonly historyPerAccount: number;
}

/** Where commands are carried out. */
export interface ClerkDesks {
  readonly ledger: Ledger;
  readonly blocks: BlockBuilder;
  readonly orders: OrderDesk;
  readonly index: OrderIndex;
  readonly wallet: Wallet;
  readonly sessions: SessionBook;
  readonly faucet: Faucet;
}

/**
 * Takes signed transactions: same bytes again → same answer; then the nonce; then who may do it (D7); then the command
 * itself, in the order of D6. Anything but 200 uses no nonce.
 */
export class Clerk {
  readonly #desks: ClerkDesks;
  readonly #nonces: NonceBook;
  readonly #limits: ClerkLimits;
  readonly #guests: Guests;
  /** Answers given, oldest first. */
  readonly #answered = new Map<OrderId, Answer>();
  readonly #oldestAnswered = new OldestFirst(this.#answered);

  constructor(desks: ClerkDesks, limits: ClerkLimits) {
    this.#desks = desks;
    this.#limits = limits;
    this.#nonces = new NonceBook(limits);
    this.#guests = new Guests(limits, (account) => {
      desks.index.forget(account);
      desks.sessions.forget(account.address);
      desks.ledger.forget(account);
    });
  }

  submit(transaction: SignedTransaction, nowMs: UnixMs): Answer {
    const { signer, txHash, nonce, command } = transaction;
    const before = this.#answered.get(txHash);
    if (before !== undefined) return before;
    const problem = this.#nonces.problem(signer, nonce, nowMs);
    if (problem !== undefined) return problem;

    const owner = addressOf(command.context.l1owner);
    if (owner === undefined) return { code: 400, errMsg: "l1owner is not an address." };
    if (!this.#maySign(signer, owner, command, nowMs)) {
      return { code: 401, errMsg: `${signer} may not sign this for ${owner}.` };
    }
    const { faucet, ledger } = this.#desks;
    faucet.see(owner, nowMs);
    const known = ledger.find(owner);
    const account = known ?? ledger.account(owner);
    const answer = this.#carryOut(transaction, account, nowMs);
    if (answer.code !== 200) {
      // What is refused leaves nothing behind, an account neither.
      if (known === undefined) ledger.forget(account);
      return answer;
    }
    this.#guests.note(account);
    this.#nonces.use(signer, nonce, nowMs);
    this.#remember(txHash, answer);
    return answer;
  }

  /** The owner may do everything, a session wallet trade and speak of itself (D7). */
  #maySign(signer: Address, owner: Address, command: WireCommand, nowMs: UnixMs): boolean {
    if (signer === owner) return true;
    if (!commands[command.name].sessionMaySign) return false;
    // A wallet that is to be created is not applied yet; the owner's signature is in the context.
    if (command.name === "session") return addressOf(command.context.publickey) === signer;
    return this.#desks.sessions.isApplied(owner, signer, nowMs);
  }

  #carryOut(transaction: SignedTransaction, account: Account, nowMs: UnixMs): Answer {
    const { command, txHash } = transaction;
    const { orders: desk, wallet } = this.#desks;
    switch (command.name) {
      case "order": {
        const { context } = command;
        const tpsl = context.tpsl === undefined ? undefined : tpslOf(context.tpsl);
        return desk.place(account, { ...orderRequest(context), tpsl }, nowMs, { txHash });
      }
      case "cancel": {
        const target = orderId(command.context.orderId);
        if (target === undefined) return badOrderId;
        return desk.cancel(account, target, nowMs, txHash);
      }
      case "cancel-all":
        return desk.cancelAll(account, nowMs, txHash);
      case "modify": {
        const { context } = command;
        const target = orderId(context.orderId);
        if (target === undefined) return badOrderId;
        const change = { price: optional(context.newPrice), quantity: optional(context.newQty) };
        return desk.modify(account, target, change, nowMs, { txHash });
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
        return desk.place(account, { ...orderRequest(context), stopPrice }, nowMs, { txHash });
      }
    }
  }

  #session(
    transaction: SignedTransaction,
    context: ContextOf<Commands["session"]>,
    owner: Address,
    nowMs: UnixMs,
  ): Answer {
    const { txHash, nonce, session } = transaction;
    assert(session !== undefined, "the signer of a session command's typed data is known");
    const { sessions, blocks } = this.#desks;
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

  save(): ImagePart[] {
    return [
      ...this.#nonces.save(),
      ...this.#guests.save(),
      partLater("answered-hashes", [...this.#answered.keys()], (txHash) => txHash),
      partLater("answers", [...this.#answered.values()], (answer) => answer),
    ];
  }

  restore(saved: SavedRows): void {
    this.#nonces.restore(saved);
    this.#guests.restore(saved, (address) => this.#desks.ledger.account(address));
    const answers = saved<Answer>("answers")[Symbol.iterator]();
    for (const txHash of saved<OrderId>("answered-hashes")) {
      const answer = answers.next();
      if (answer.done !== true) this.#answered.set(txHash, answer.value);
    }
  }

  #remember(txHash: OrderId, answer: Answer): void {
    this.#answered.set(txHash, answer);
    if (this.#answered.size <= this.#limits.rememberedTransactions) return;
    const oldest = this.#oldestAnswered.next();
    if (oldest !== undefined) this.#answered.delete(oldest);
  }
}

const badOrderId: Answer = { code: 400, errMsg: "orderId is not 0x and 64 hex digits." };

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
