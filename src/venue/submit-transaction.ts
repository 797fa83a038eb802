import { fromHex, toHex } from "../base/hex.ts";
import { ok, type Result } from "../base/result.ts";
import type { OrderId } from "../domain/ids.ts";
import { commands } from "../spec/commands.ts";
import { decodeContext } from "../spec/context.ts";
import { decodeTransaction } from "../spec/transaction.ts";
import { failure, type Failure } from "./failure.ts";
import { takeRate } from "./take-rate.ts";
import type { VenueContext } from "./venue-context.ts";

/**
 * A signed transaction from a POST body, up to the exchange: form, context, whether command and endpoint belong together
 * (D10), signature, rate; then the exchange's own order of checks (D6). The result is the transaction's hash.
 */
export function submitTransaction(
  context: VenueContext,
  path: string,
  tx: string,
): Result<string, Failure> {
  const { config, crypto, exchange, clock } = context;
  const bytes = fromHex(tx);
  if (bytes === undefined) return failure(400, "tx is not 0x and hex digits.");
  const transaction = decodeTransaction(bytes, config.chainId);
  if (!transaction.ok) return failure(400, `${transaction.error}.`);
  const command = decodeContext(transaction.value.data);
  if (!command.ok) return failure(400, `${command.error}.`);
  const { byte, paths } = commands[command.value.name];
  if (!paths.includes(path)) {
    return failure(
      400,
      `Command 0x${byte.toString(16)} does not belong to ${path} but to ${paths.join(", ")}.`,
    );
  }
  const { signature, unsigned, nonce } = transaction.value;
  const signer = crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery);
  if (signer === undefined) return failure(400, "tx: the signature is of nobody.");
  const limited = takeRate(context, `signer ${signer}`);
  if (limited !== undefined) return limited;

  const txHash = toHex(crypto.keccak256(bytes)) as OrderId;
  const nowMs = clock.nowMs();
  const answer = exchange.submit({ signer, txHash, nonce, command: command.value }, nowMs);
  if (answer.code !== 200) return failure(answer.code, answer.errMsg);
  if (answer.rejected !== undefined) {
    context.log.debug({ txHash, reason: answer.rejected }, "order rejected");
  }
  return ok(answer.txHash);
}
