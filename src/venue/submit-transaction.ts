import { fromHex, toHex } from "../base/hex.ts";
import { ok, type Result } from "../base/result.ts";
import { addressOf, type OrderId } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import type { VerifiedTransaction } from "../exchange/command-processor.ts";
import { commands, type WireCommand } from "../spec/commands.ts";
import { sessionActions } from "../spec/commands/session.ts";
import { decodeContext } from "../spec/context.ts";
import { parseTypedSignature, sessionDigest } from "../spec/session-typed-data.ts";
import { decodeTransaction } from "../spec/transaction.ts";
import { failure, type Failure } from "./failure.ts";
import { takeRate } from "./take-rate.ts";
import type { VenueContext } from "./venue-context.ts";

/**
 * A signed transaction from a POST body, up to the exchange: form, context, whether command and endpoint belong together
 * (D10), signatures, rate; then the exchange's own order of checks (D6). The result is the transaction's hash. `name` is that of
 * a new session wallet.
 */
export function submitTransaction(
  context: VenueContext,
  path: string,
  tx: string,
  name = "",
): Result<string, Failure> {
  const { config, crypto, exchange, clock } = context;
  const bytes = fromHex(tx);
  if (bytes === undefined) return failure(400, "tx is not 0x and hex digits.");
  const transaction = decodeTransaction(bytes, config.chainId);
  if (!transaction.ok) return failure(400, `${transaction.error}.`);
  const command = decodeContext(transaction.value.data, config.withdrawals.byte);
  if (!command.ok) return failure(400, `${command.error}.`);
  const paths = pathsOf(command.value);
  if (!paths.includes(path)) {
    return failure(
      400,
      `This ${command.value.name} does not belong to ${path} but to ${paths.join(", ")}.`,
    );
  }
  const { signature, unsigned, nonce } = transaction.value;
  const signer = crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery);
  if (signer === undefined) return failure(400, "tx: the signature is of nobody.");
  const session = sessionOf(context, command.value, name);
  if (!session.ok) return session;
  const limited = takeRate(context, `signer ${signer}`);
  if (limited !== undefined) return limited;

  const txHash = toHex(crypto.keccak256(bytes)) as OrderId;
  const nowMs = clock.nowMs();
  const signed = { signer, txHash, nonce, command: command.value, ...session.value };
  const result = exchange.submit(signed, nowMs);
  if (result.code !== 200) return failure(result.code, result.errMsg);
  if (result.rejected !== undefined) {
    context.log.debug({ txHash, reason: result.rejected }, "order rejected");
  }
  return ok(result.txHash);
}

/** The paths that take the command, one when its context fixes which (D10). */
function pathsOf(command: WireCommand): readonly string[] {
  return command.name === "session"
    ? [sessionActions[command.context.type].path]
    : commands[command.name].paths;
}

/** What the exchange has to know of a session command besides its context: who made `l1signature` (§5). */
function sessionOf(
  { config, crypto }: VenueContext,
  command: WireCommand,
  name: string,
): Result<Pick<VerifiedTransaction, "session">, Failure> {
  if (command.name !== "session") return ok({});
  const { publickey, expiresAt, nonce, l1signature } = command.context;
  const sessionWallet = addressOf(publickey);
  const signature = parseTypedSignature(l1signature);
  if (sessionWallet === undefined || signature === undefined) {
    return failure(400, "l1signature has a v other than 27 or 28, or r or s out of range.");
  }
  const message = { sessionWallet, expirySec: unixSec(expiresAt), nonce };
  const digest = sessionDigest(message, config.l1ChainId, (bytes) => crypto.keccak256(bytes));
  const l1signer = crypto.recover(digest, signature.rs, signature.recovery);
  if (l1signer === undefined) return failure(400, "l1signature is of nobody.");
  return ok({ session: { l1signer, name } });
}
