import { assert } from "../base/assert.ts";
import { toHex } from "../base/hex.ts";
import type { CancelCommand, PlaceCommand } from "../domain/command.ts";
import type { Fixed } from "../domain/fixed.ts";
import { type Address, type MarketId, type OrderId, tokensOf } from "../domain/ids.ts";
import { sideCode } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { checksumAddress } from "./checksum-address.ts";
import { wirePrice, wireQuantity } from "./command-amount.ts";
import { commands, type CommandName } from "./commands.ts";
import type { EndpointName } from "./endpoints.ts";
import { transactionLimits } from "./limits.ts";
import { type SignableStop, stopContextText, tpslText } from "./stop-command.ts";
import { type Keccak256, type TransactionSignature, TransactionWriter } from "./transaction.ts";
import { type WalletCommand, walletContextText } from "./wallet-command.ts";

/** A command that can be signed: those of the kernel, and those that only people give. */
export type SignableCommand =
  | SignableOrder
  | Omit<CancelCommand, "intent" | "strategy">
  | CancelAllCommand
  | SignableModify
  | SignableStop
  | WalletCommand;

/** An order; `tpsl` is allowed on limit orders only. */
export interface SignableOrder extends Omit<PlaceCommand, "intent" | "strategy" | "tpsl"> {
  readonly tpsl?: Tpsl | undefined;
}

/** Cancels all orders of the owner, including those placed by other programs. */
export interface CancelAllCommand {
  readonly type: "cancel-all";
  readonly nonce: number;
}

/** Cancel-and-replace. An undefined value is kept; at least one must be defined. */
export interface SignableModify {
  readonly type: "modify";
  readonly nonce: number;
  readonly orderId: OrderId;
  readonly newPrice: number | undefined;
  /** The new total quantity, including what has been executed (D23). */
  readonly newQty: Fixed | undefined;
}

/** Command and endpoint of each signable command. */
export const commandRoutes: Readonly<
  Record<
    SignableCommand["type"],
    { readonly command: CommandName; readonly endpoint: EndpointName }
  >
> = {
  place: { command: "order", endpoint: "order" },
  cancel: { command: "cancel", endpoint: "order-cancel" },
  "cancel-all": { command: "cancel-all", endpoint: "order-cancel-all" },
  modify: { command: "modify", endpoint: "order-modify" },
  stop: { command: "stop", endpoint: "order-trigger" },
  "session-create": { command: "session", endpoint: "session-create" },
  "session-update": { command: "session", endpoint: "session-update" },
  "session-delete": { command: "session", endpoint: "session-delete" },
  transfer: { command: "transfer", endpoint: "transfer" },
  "token-transfer": { command: "token-transfer", endpoint: "transfer" },
  withdraw: { command: "withdraw", endpoint: "withdraw" },
};

/** Number of markets whose context prefix is cached. */
const PREFIXES_MAX = 1024;

/**
 * Encodes the commands of one owner on one chain for signing. On the order path, so it reuses its buffer and caches the constant
 * start of each market's context: returned bytes are a view that the next call overwrites.
 */
export class CommandEncoder {
  readonly chainId: number;
  readonly #keccak256: Keccak256;
  readonly #owner: string;
  readonly #orderPrefixes = new Map<MarketId, string>();
  readonly #writer = new TransactionWriter();
  readonly #withdraw: { readonly byte: number };

  /** `owner` is written into contexts in EIP-55 form, as wallets do; `withdrawByte` defaults to the one of D9. */
  constructor(options: {
    readonly owner: Address;
    readonly chainId: number;
    readonly keccak256: Keccak256;
    readonly withdrawByte?: number | undefined;
  }) {
    this.#withdraw = { byte: options.withdrawByte ?? commands.withdraw.byte };
    this.chainId = options.chainId;
    this.#keccak256 = options.keccak256;
    this.#owner = checksumAddress(options.owner, options.keccak256);
  }

  /** The context as JSON without spaces, fields in the order of the interface's table. Throws AssertionError for invalid values. */
  contextText(command: SignableCommand): string {
    switch (command.type) {
      case "place": {
        const limit = command.orderType === "LIMIT";
        assert(limit || command.price === 0, "a market order has price 0");
        assert(limit || command.tpsl === undefined, "tpsl belongs to limit orders");
        const tpsl = command.tpsl === undefined ? "" : tpslText(command.tpsl);
        return `${this.#orderPrefix(command.marketId)}${sideCode(command.side)},"price":"${wirePrice(
          command.price,
        )}","quantity":"${wireQuantity(command.quantity)}","orderType":${
          limit ? 0 : 1
        },"orderMode":${command.orderMode}${tpsl}}`;
      }
      case "cancel":
        return `{"l1owner":"${this.#owner}","orderId":"${command.orderId}"}`;
      case "cancel-all":
        return `{"l1owner":"${this.#owner}"}`;
      case "modify": {
        const { newPrice, newQty } = command;
        assert(newPrice !== undefined || newQty !== undefined, "a modify changes something");
        const price = newPrice === undefined ? "" : `,"newPrice":"${wirePrice(newPrice)}"`;
        const quantity = newQty === undefined ? "" : `,"newQty":"${wireQuantity(newQty)}"`;
        return `{"l1owner":"${this.#owner}","orderId":"${command.orderId}"${price}${quantity}}`;
      }
      case "stop":
        return stopContextText(command, this.#owner);
      default:
        return walletContextText(command, this.#owner, (address) =>
          checksumAddress(address, this.#keccak256),
        );
    }
  }

  /** The bytes whose hash is signed. */
  unsigned(command: SignableCommand): Uint8Array {
    const { byte } =
      command.type === "withdraw" ? this.#withdraw : commands[commandRoutes[command.type].command];
    const text = this.contextText(command);
    this.#writer.commandBody(command.nonce, transactionLimits.gasLimit, byte, text);
    return this.#writer.unsigned(this.chainId);
  }

  /** Hash of the unsigned bytes: the digest to sign, and the order id where nothing is signed (paper trading, replay). */
  unsignedHash(command: SignableCommand): Uint8Array {
    return this.#keccak256(this.unsigned(command));
  }

  /** The signed transaction of the command last passed to `unsigned` or `unsignedHash`. */
  withSignature(signature: TransactionSignature): Uint8Array {
    return this.#writer.signed(this.chainId, signature);
  }

  #orderPrefix(marketId: MarketId): string {
    const known = this.#orderPrefixes.get(marketId);
    if (known !== undefined) return known;
    const { base, quote } = tokensOf(marketId);
    assert(base !== "" && quote !== "" && !quote.includes("_"), "a market id like 1_2");
    const tokens = `"baseToken":${JSON.stringify(base)},"quoteToken":${JSON.stringify(quote)}`;
    const prefix = `{"l1owner":"${this.#owner}",${tokens},"side":`;
    if (this.#orderPrefixes.size >= PREFIXES_MAX) this.#orderPrefixes.clear();
    this.#orderPrefixes.set(marketId, prefix);
    return prefix;
  }
}

/** A command that is ready to send. */
export interface SignedCommand {
  /** `tx` of the request body: the complete signed transaction, `0x…`. */
  readonly bytesHex: string;
  /** Hash of the transaction; for `place` and `modify` also the id of the new order (§1.7). */
  readonly txHash: OrderId;
}

/** Signs one owner's commands with one key, the owner's or a session wallet's. */
export class CommandSigner {
  readonly #encoder: CommandEncoder;
  readonly #keccak256: Keccak256;
  readonly #sign: (digest: Uint8Array) => TransactionSignature;

  constructor(options: {
    readonly owner: Address;
    readonly chainId: number;
    readonly crypto: { readonly keccak256: Keccak256 };
    readonly signer: { sign(digest: Uint8Array): TransactionSignature };
    readonly withdrawByte?: number | undefined;
  }) {
    const { owner, chainId, crypto, signer, withdrawByte } = options;
    this.#keccak256 = (bytes) => crypto.keccak256(bytes);
    this.#encoder = new CommandEncoder({
      owner,
      chainId,
      keccak256: this.#keccak256,
      withdrawByte,
    });
    this.#sign = (digest) => signer.sign(digest);
  }

  sign(command: SignableCommand): SignedCommand {
    const signature = this.#sign(this.#encoder.unsignedHash(command));
    const bytes = this.#encoder.withSignature(signature);
    return { bytesHex: toHex(bytes), txHash: toHex(this.#keccak256(bytes)) as OrderId };
  }
}
