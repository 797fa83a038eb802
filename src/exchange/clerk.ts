import { fixed, type Fixed } from "../domain/fixed.ts";
import { addressOf, marketId, orderId, type Address, type OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { WireCommand } from "../spec/commands.ts";
import type { Account } from "./account.ts";
import type { Faucet } from "./faucet.ts";
import { type ImagePart, partLater, type SavedRows } from "./image.ts";
import type { Ledger } from "./ledger.ts";
import { NonceBook } from "./nonce-book.ts";
import type { OrderDesk } from "./order-desk.ts";
import type { Answer } from "./records.ts";

/** A transaction whose form and signature are in order (§4.4, D5); the decoder has checked its context. */
export interface SignedTransaction {
  readonly signer: Address;
  readonly txHash: OrderId;
  readonly nonce: number;
  readonly command: WireCommand;
}

export interface ClerkLimits {
  readonly nonceWindowMs: number;
  /** How many accepted transactions are remembered, so that the same bytes sent again get the same answer (D6). */
  readonly rememberedTransactions: number;
}

/**
 * Takes signed transactions: same bytes again → same answer; then the nonce; then who may do it (D7); then the command
 * itself, in the order of D6. Anything but 200 uses no nonce.
 */
export class Clerk {
  readonly #ledger: Ledger;
  readonly #desk: OrderDesk;
  readonly #faucet: Faucet;
  readonly #nonces: NonceBook;
  readonly #limits: ClerkLimits;
  /** Answers given, oldest first. */
  readonly #answered = new Map<OrderId, Answer>();

  constructor(ledger: Ledger, desk: OrderDesk, faucet: Faucet, limits: ClerkLimits) {
    this.#ledger = ledger;
    this.#desk = desk;
    this.#faucet = faucet;
    this.#limits = limits;
    this.#nonces = new NonceBook(limits.nonceWindowMs);
  }

  submit(transaction: SignedTransaction, nowMs: UnixMs): Answer {
    const { signer, txHash, nonce, command } = transaction;
    const before = this.#answered.get(txHash);
    if (before !== undefined) return before;
    const problem = this.#nonces.problem(signer, nonce, nowMs);
    if (problem !== undefined) return problem;

    const owner = addressOf(command.context.l1owner);
    if (owner === undefined) return { code: 400, errMsg: "l1owner is not an address." };
    if (!this.#maySign(signer, owner)) {
      return { code: 401, errMsg: `${signer} may not sign for ${owner}.` };
    }
    this.#faucet.see(owner, nowMs);
    const answer = this.#carryOut(command, this.#ledger.account(owner), txHash, nowMs);
    if (answer.code !== 200) return answer;
    this.#nonces.use(signer, nonce, nowMs);
    this.#remember(txHash, answer);
    return answer;
  }

  /** D7; session wallets will be asked for here. */
  #maySign(signer: Address, owner: Address): boolean {
    return signer === owner;
  }

  #carryOut(command: WireCommand, account: Account, txHash: OrderId, nowMs: UnixMs): Answer {
    const desk = this.#desk;
    switch (command.name) {
      case "order": {
        const { context } = command;
        const request = {
          marketId: marketId(context.baseToken, context.quoteToken),
          side: context.side === 0 ? ("BUY" as const) : ("SELL" as const),
          orderType: context.orderType === 0 ? ("LIMIT" as const) : ("MARKET" as const),
          orderMode: context.orderMode,
          price: fixed(context.price),
          quantity: fixed(context.quantity),
        };
        return desk.place(account, request, nowMs, { txHash });
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
      default:
        return { code: 400, errMsg: `Command ${command.name} is not done yet.` };
    }
  }

  save(): ImagePart[] {
    return [...this.#nonces.save(), partLater("answered", [...this.#answered], (entry) => entry)];
  }

  restore(saved: SavedRows): void {
    this.#nonces.restore(saved);
    for (const [txHash, answer] of saved<[OrderId, Answer]>("answered")) {
      this.#answered.set(txHash, answer);
    }
  }

  #remember(txHash: OrderId, answer: Answer): void {
    this.#answered.set(txHash, answer);
    if (this.#answered.size <= this.#limits.rememberedTransactions) return;
    const oldest = this.#answered.keys().next();
    if (oldest.done !== true) this.#answered.delete(oldest.value);
  }
}

const badOrderId: Answer = { code: 400, errMsg: "orderId is not 0x and 64 hex digits." };

/** Null and absent keep the current value (§4.4). */
function optional(text: string | null | undefined): Fixed | undefined {
  return text === null || text === undefined ? undefined : fixed(text);
}
