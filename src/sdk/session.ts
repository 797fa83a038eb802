import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { isTimeNonce } from "../domain/time-nonce.ts";
import { DAY_MS, type UnixSec } from "../domain/time.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { OwnerSigner, TypedDataRequest } from "../ports/owner-signer.ts";
import { session, type SessionAction, sessionActions } from "../spec/commands/session.ts";
import type { Endpoint } from "../spec/endpoint.ts";
import { sessionCreate } from "../spec/endpoints/session-create.ts";
import { sessionDelete } from "../spec/endpoints/session-delete.ts";
import { sessionUpdate } from "../spec/endpoints/session-update.ts";
import { transactionLimits } from "../spec/limits.ts";
import { sessionDigest, sessionTypedData } from "../spec/session-typed-data.ts";
import { abortable, throwIfAborted } from "./abort.ts";
import type { VenueConnection } from "./call.ts";
import { type Signing, type SignedTransaction, signTransaction } from "./sign-transaction.ts";
import { type Sent, sendTransaction } from "./wallet.ts";

/** A change of a session wallet. The typed data, the context and the transaction share its nonce (§4.4). */
export interface SessionTerms {
  readonly action: SessionAction;
  readonly sessionWallet: Address;
  /** Unix seconds. To delete a session, its present expiry. */
  readonly expirySec: UnixSec;
  readonly nonce: number;
}

export interface SessionSigning extends Signing {
  /** Chain id of layer 1, a part of the typed data. */
  readonly l1ChainId: number;
}

/** A session lasts at most this long: a later expiry is most often a time in another unit. */
const LONGEST_MS = 366 * DAY_MS;

/** Throws `EXPIRY_INVALID` unless a session that is created or extended ends within a year from now. */
export function checkExpiry(
  { action, expirySec }: Omit<SessionTerms, "nonce">,
  nowMs: number,
): void {
  const leftMs = expirySec * 1000 - nowMs;
  const isWithinYear = Number.isSafeInteger(expirySec) && leftMs > 0 && leftMs <= LONGEST_MS;
  if (action === "delete" || isWithinYear) return;
  throw new TouchlineError(
    "EXPIRY_INVALID",
    `A session ends within a year from now; expiry ${expirySec}, in Unix seconds, ${leftMs <= 0 ? "is over" : "does not"}.`,
    { hint: `A day from now is ${Math.floor((nowMs + DAY_MS) / 1000)}.` },
  );
}

/** The typed data that the owner signs, and its digest (§5). Throws `EXPIRY_INVALID` when the nonce tells the time. */
export function sessionRequest(
  { l1ChainId, crypto }: Pick<SessionSigning, "l1ChainId" | "crypto">,
  terms: SessionTerms,
): TypedDataRequest {
  const { sessionWallet, expirySec, nonce } = terms;
  // Such a nonce is within a minute of the time (D6).
  if (isTimeNonce(nonce)) checkExpiry(terms, nonce - transactionLimits.timeNonceWindowMs);
  const message = { sessionWallet, expirySec, nonce };
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  return {
    typedData: sessionTypedData(message, l1ChainId, keccak256),
    digest: sessionDigest(message, l1ChainId, keccak256),
  };
}

/** Signs the transaction that carries the owner's signature. `signing.signer` is the session wallet or the owner (D7). */
export function signSession(
  signing: Signing,
  { action, sessionWallet, expirySec, nonce }: SessionTerms,
  l1signature: string,
): SignedTransaction {
  return signTransaction(
    signing,
    session,
    {
      type: typeOf[action],
      publickey: sessionWallet,
      expiresAt: expirySec,
      nonce,
      l1signature,
    },
    nonce,
  );
}

/** Gets the owner's signature, signs and sends; resolves once the venue accepted it. `name` is a label, used at creation only. */
export async function changeSession(
  venue: VenueConnection,
  signing: SessionSigning,
  terms: SessionTerms & { readonly owner: OwnerSigner; readonly name?: string | undefined },
  options?: CallOptions,
): Promise<Sent> {
  throwIfAborted(options?.signal);
  // A person with a hardware wallet may take minutes, or never answer.
  const requested = terms.owner.signTypedData(sessionRequest(signing, terms));
  const l1signature = await abortable(requested, options?.signal);
  const signed = signSession(signing, terms, l1signature);
  return sendSession(venue, terms, signed, options);
}

/** Sends a signed session transaction once. `name` is used at creation only. */
export function sendSession(
  venue: VenueConnection,
  { action, name }: { readonly action: SessionAction; readonly name?: string | undefined },
  signed: SignedTransaction,
  options?: CallOptions,
): Promise<Sent> {
  const bodyFields = action === "create" && name !== undefined ? { name } : {};
  return sendTransaction(venue, sessionEndpoints[action], { ...signed, bodyFields }, options);
}

const typeOf = Object.fromEntries(
  Object.entries(sessionActions).map(([type, { action }]) => [action, Number(type)]),
) as Readonly<Record<SessionAction, 1 | 2 | 3>>;

const sessionEndpoints: Readonly<Record<SessionAction, Endpoint>> = {
  create: sessionCreate,
  update: sessionUpdate,
  delete: sessionDelete,
};
