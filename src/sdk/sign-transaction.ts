import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { toHex } from "../base/hex.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { CommandSpec } from "../spec/command.ts";
import { checksumAddress, hasWrongChecksum, wrongChecksum } from "../spec/checksum-address.ts";
import { transactionLimits } from "../spec/limits.ts";
import { problemOf } from "../spec/problem.ts";
import { TransactionWriter } from "../spec/transaction.ts";

/** Who signs, for whom, on which chain. */
export interface Signing {
  /** `l1owner` of every command. */
  readonly owner: Address;
  /** The owner's own key, or that of a session wallet. */
  readonly signer: Signer;
  /** Of layer 2. */
  readonly chainId: number;
  readonly crypto: Crypto;
}

/** A context as its caller gives it: `l1owner` is the wallet's. */
export type ContextInput<C extends CommandSpec> = Omit<z.input<C["context"]>, "l1owner">;

export interface SignedTransaction {
  /** The complete signed transaction, `0x…`: the body's `tx`. Sent again only as these bytes. */
  readonly tx: string;
  /** Known before anything is sent. Of an order, a modify or a stop order it is the new order's id (§1.7). */
  readonly txHash: OrderId;
  readonly nonce: number;
}

/**
 * Signs one command; sends nothing. The context is checked against the command's schema and written in the order of the
 * interface's table. Throws TouchlineError `CONTEXT_INVALID`.
 */
export function signTransaction<C extends CommandSpec>(
  { owner, signer, chainId, crypto }: Signing,
  command: C,
  context: ContextInput<C>,
  nonce: number,
): SignedTransaction {
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const l1owner = checksumAddress(owner, keccak256);
  const checked = command.context.safeParse({ ...context, l1owner });
  if (!checked.success) {
    throw new TouchlineError("CONTEXT_INVALID", `${problemOf(checked.error, command.name)}.`);
  }
  // Money goes there for good: no venue has to check how an address is written.
  const to: unknown = Reflect.get(Object(checked.data), "to");
  if (typeof to === "string" && hasWrongChecksum(to, keccak256)) {
    throw new TouchlineError("CONTEXT_INVALID", `${command.name}.to ${wrongChecksum}.`);
  }
  const text = JSON.stringify(checked.data);
  const writer = new TransactionWriter(text.length + 1);
  writer.commandBody(nonce, transactionLimits.gasLimit, command.byte, text);
  const signature = signer.sign(crypto.keccak256(writer.unsigned(chainId)));
  const bytes = writer.signed(chainId, signature);
  return { tx: toHex(bytes), txHash: toHex(crypto.keccak256(bytes)) as OrderId, nonce };
}
