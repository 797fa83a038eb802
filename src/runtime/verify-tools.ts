import { fromHex, toHex } from "../base/hex.ts";
import type { OrderId } from "../domain/ids.ts";
import type { RunHeader } from "../journal/entry.ts";
import type { VerifyTools } from "../journal/verify.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import type { Crypto } from "../ports/crypto.ts";
import { CommandEncoder } from "../spec/sign-command.ts";
import { decodeTransaction } from "../spec/transaction.ts";
import { recordedKernel } from "./rerun.ts";

/** The tools with which `verifyRun` re-runs a journaled run: a kernel, and the transaction and signature codecs. */
export function verifyToolsOf(
  header: RunHeader,
  crypto: Crypto,
  strategies: readonly StrategyBinding[],
): VerifyTools {
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const encoder = new CommandEncoder({
    owner: header.kernel.owner,
    chainId: header.chainId,
    keccak256,
  });
  return {
    kernelOf: () => recordedKernel(header, strategies),
    unsignedOf: (_, command) => encoder.unsigned(command),
    openSigned(_, bytesHex) {
      const bytes = fromHex(bytesHex);
      if (bytes === undefined) return undefined;
      const decoded = decodeTransaction(bytes, header.chainId);
      if (!decoded.ok) return undefined;
      const { unsigned, signature } = decoded.value;
      return {
        unsigned,
        signer: crypto.recover(keccak256(unsigned), signature.rs, signature.recovery),
        txHash: toHex(keccak256(bytes)) as OrderId,
      };
    },
  };
}
