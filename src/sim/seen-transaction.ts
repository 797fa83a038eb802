import { fromHex, toHex } from "../base/hex.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Crypto } from "../ports/crypto.ts";
import { type ContextCommand, decodeCommand, decodeContext } from "../spec/context.ts";
import { decodeTransaction } from "../spec/transaction.ts";

/** A signed transaction on its way to the venue. */
export interface SeenTransaction {
  readonly bytesHex: string;
  /** Hash of the bytes; the id of the order that the command makes. */
  readonly hash: OrderId;
  readonly nonce: number;
  readonly command: ContextCommand;
  /** Recovered in worlds where the bot signs with several keys. */
  readonly signer?: Address | undefined;
}

/** The transaction in a request's body; undefined when it has none. */
export function transactionOf(
  { method, body }: { readonly method: string; readonly body?: string | undefined },
  {
    chainId,
    crypto,
    hasSigner = false,
  }: { readonly chainId: number; readonly crypto: Crypto; readonly hasSigner?: boolean },
): SeenTransaction | undefined {
  if (method !== "POST" || body === undefined) return undefined;
  const { tx } = JSON.parse(body) as { tx?: string };
  const bytes = tx === undefined ? undefined : fromHex(tx);
  if (tx === undefined || bytes === undefined) return undefined;
  const decoded = decodeTransaction(bytes, chainId);
  if (!decoded.ok) return undefined;
  const { nonce, data, unsigned, signature } = decoded.value;
  const context = decodeContext(data);
  if (!context.ok) return undefined;
  const { command } = decodeCommand(context.value);
  const seen = { bytesHex: tx, hash: toHex(crypto.keccak256(bytes)) as OrderId, nonce, command };
  if (!hasSigner) return seen;
  const { rs, recovery } = signature;
  return { ...seen, signer: crypto.recover(crypto.keccak256(unsigned), rs, recovery) };
}
