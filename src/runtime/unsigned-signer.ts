import { toHex } from "../base/hex.ts";
import type { Command } from "../domain/command.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { CommandEncoder, type SignedCommand } from "../spec/sign-command.ts";
import type { Keccak256 } from "../spec/transaction.ts";

/** Replaces the signer at a simulated venue: an order's id is the hash of the unsigned transaction. */
export function unsignedSigner(options: {
  readonly owner: Address;
  readonly chainId: number;
  readonly keccak256: Keccak256;
}): (command: Command) => SignedCommand {
  const encoder = new CommandEncoder(options);
  return (command) => ({
    txHash: toHex(encoder.unsignedHash(command)) as OrderId,
    bytesHex: "",
  });
}
