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

/** The key that signs, the account it signs for, and the chain. */
export interface Signing {
  /** `l1owner` of every command. */
  readonly owner: Address;
  /** The key of the owner or of a session wallet. */
  readonly signer: Signer;
  /** Chain id of layer 2. */
  readonly chainId: number;
  readonly crypto: Crypto;
}

/** A command's context without `l1owner`, which the wallet adds. */
export type ContextInput<C extends CommandSpec> = Omit<z.input<C["context"]>, "l1owner">;

export interface SignedTransaction {
  /** The complete signed transaction, `0x…`: the body's `tx`. To repeat the command, send exactly these bytes. */
  readonly tx: string;
  /** Known before sending. For an order, a modify or a stop order it is the new order's id (§1.7). */
  readonly txHash: OrderId;
  readonly nonce: number;
}

/**
 * Signs one command and sends nothing. Checks the context against the command's schema and writes its fields in the order of
 * the interface's table. Throws TouchlineError `CONTEXT_INVALID`.
 */
export function signTransaction<C extends CommandSpec>(
  { owner, signer, chainId, crypto }: Signing,
  command: C,
  context: ContextInput<C>,
  nonce: number,
): SignedTransaction {
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const l1owner = checksumAddress(owner, keccak256);
  const checked = command.context.safeParse({ ...context, l1owner }, { reportInput: true });
  if (!checked.success) {
    throw new TouchlineError("CONTEXT_INVALID", `${problemOf(checked.error, command.name)}.`);
  }
  // A transfer cannot be undone, and the venue need not verify the checksum of its target.
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
