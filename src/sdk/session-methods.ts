import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import type { SessionAction } from "../spec/commands/session.ts";
import type { VenueConnection } from "./call.ts";
import type { NonceSource } from "./nonce-source.ts";
import { changeSession } from "./session.ts";
import { type Sent, withFreshNonce } from "./wallet.ts";

/** A session wallet to create, update or delete. */
export interface SessionChange {
  /** Signs the typed data as the owner. */
  readonly owner: OwnerSigner;
  /** Signs the transaction: the session wallet's key, or the owner's (D7). */
  readonly signer: Signer;
  /** Default: the signer's address. */
  readonly sessionWallet?: Address;
  /** Unix seconds; to delete a session, its present expiry. */
  readonly expirySec: number;
}

export interface SessionMethods {
  createSession(
    change: SessionChange & { readonly name?: string },
    options?: CallOptions,
  ): Promise<Sent>;
  /** Changes the session's expiry. */
  updateSession(change: SessionChange, options?: CallOptions): Promise<Sent>;
  deleteSession(change: SessionChange, options?: CallOptions): Promise<Sent>;
}

export function sessionMethods({
  connection,
  chainId,
  l1ChainId,
  crypto,
  noncesOf,
}: {
  readonly connection: VenueConnection;
  readonly chainId: number;
  readonly l1ChainId: number;
  readonly crypto: Crypto;
  /** The nonces of the key with this address. */
  noncesOf(address: Address): NonceSource;
}): SessionMethods {
  const change =
    (action: SessionAction) =>
    async (
      session: SessionChange & { readonly name?: string },
      callOptions?: CallOptions,
    ): Promise<Sent> => {
      const { owner, signer, sessionWallet = signer.address, expirySec, name } = session;
      // The owner signs each attempt, since the typed data includes the nonce.
      return withFreshNonce(async () => {
        const nonce = await noncesOf(signer.address).next(callOptions);
        return changeSession(
          connection,
          { owner: owner.address, signer, chainId, l1ChainId, crypto },
          { action, sessionWallet, expirySec: unixSec(expirySec), nonce, owner, name },
          callOptions,
        );
      });
    };
  return {
    createSession: change("create"),
    updateSession: change("update"),
    deleteSession: change("delete"),
  };
}
