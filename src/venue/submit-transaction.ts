import { fromHex, toHex } from "../base/hex.ts";
import { ok, type Result } from "../base/result.ts";
import type { OrderId } from "../domain/ids.ts";
import type { ExchangeCommand } from "../exchange/command.ts";
import { type ContextCommand, decodeCommand, decodeContext, pathsOf } from "../spec/context.ts";
import type { Endpoint } from "../spec/endpoint.ts";
import { parseTypedSignature, sessionDigest } from "../spec/session-typed-data.ts";
import { decodeTransaction } from "../spec/transaction.ts";
import { failure, type Failure, refusalFailure } from "./failure.ts";
import { takeRate } from "./take-rate.ts";
import type { VenueContext } from "./venue-context.ts";

/**
 * Takes a signed transaction from a POST body to the exchange: form, context, whether command and path belong together
 * (D10), signatures, rate; the exchange makes the remaining checks of D6. Gives the transaction's hash. `name` is the
 * display name of a new session wallet.
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
  const wire = decodeContext(transaction.value.data, config.withdrawals.byte);
  if (!wire.ok) return failure(400, `${wire.error}.`);
  const paths = pathsOf(wire.value);
  if (!paths.includes(path)) {
    return failure(
      400,
      `This ${wire.value.name} does not belong to ${path} but to ${paths.join(", ")}.`,
    );
  }
  const { signature, unsigned, nonce } = transaction.value;
  const signer = crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery);
  if (signer === undefined)
    return failure(400, "tx: no signer can be recovered from the signature.");
  const { owner, sessionMaySign, command: decoded } = decodeCommand(wire.value);
  const command = exchangeCommand(context, decoded, name);
  if (!command.ok) return command;
  const limited = takeRate(context, `signer ${signer}`);
  if (limited !== undefined) return limited;

  const txHash = toHex(crypto.keccak256(bytes)) as OrderId;
  const result = exchange.submit(
    { signer, txHash, nonce, owner, sessionMaySign, command: command.value },
    clock.nowMs(),
  );
  if (result.type === "refused") return refusalFailure(result);
  if (result.rejected !== undefined) {
    context.log.debug({ txHash, reason: result.rejected }, "order rejected");
  }
  return ok(result.txHash);
}

/** The handler of an endpoint that does nothing but take signed transactions. */
export function takesTransactions({ path }: Pick<Endpoint, "path">) {
  return (
    context: VenueContext,
    _query: unknown,
    body: { readonly tx: string },
  ): Result<string, Failure> => submitTransaction(context, path, body.tx);
}

/** Adds to a session command what its context lacks: who signed the typed data (§5), and the new session's name. */
function exchangeCommand(
  { config, crypto }: VenueContext,
  command: ContextCommand,
  name: string,
): Result<ExchangeCommand, Failure> {
  if (command.type !== "session") return ok(command);
  const { l1signature, ...session } = command;
  const signature = parseTypedSignature(l1signature);
  if (signature === undefined) {
    return failure(400, "l1signature has a v other than 27 or 28, or r or s out of range.");
  }
  const digest = sessionDigest(session, config.l1ChainId, (bytes) => crypto.keccak256(bytes));
  const l1signer = crypto.recover(digest, signature.rs, signature.recovery);
  if (l1signer === undefined)
    return failure(400, "l1signature: no signer can be recovered from it.");
  return ok({ ...session, l1signer, name });
}
