import type { Crypto, Signer } from "../../src/ports/crypto.ts";
import {
  type CommandTransaction,
  type TransactionSignature,
  TransactionWriter,
} from "../../src/spec/transaction.ts";

/** Transactions with any fields, also those that no client of ours makes. */

/** The bytes whose hash is signed: `[nonce, gasPrice, gasLimit, to, value, data, chainId, 0, 0]`. */
export function encodeUnsigned(transaction: CommandTransaction): Uint8Array {
  return written(transaction).unsigned(transaction.chainId);
}

/** The bytes that are sent; their hash is the transaction's (§1.7). */
export function encodeSigned(
  transaction: CommandTransaction,
  signature: TransactionSignature,
): Uint8Array {
  return written(transaction).signed(transaction.chainId, signature);
}

/** The bytes that are sent, signed with this key. */
export function signedBytes(
  transaction: CommandTransaction,
  { signer, crypto }: { readonly signer: Signer; readonly crypto: Crypto },
): Uint8Array {
  return encodeSigned(transaction, signer.sign(crypto.keccak256(encodeUnsigned(transaction))));
}

function written({ nonce, gasLimit, data }: CommandTransaction): TransactionWriter {
  const writer = new TransactionWriter(data.length);
  writer.body(nonce, gasLimit, data);
  return writer;
}
