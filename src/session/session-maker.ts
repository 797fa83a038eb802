import { TouchlineError, TransportError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { unixSec } from "../domain/time.ts";
import { baseAddress } from "../gateway/request.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import { callVenue, type VenueConnection } from "../sdk/call.ts";
import { NONCE_AHEAD_MAX_MS } from "../sdk/nonce-source.ts";
import { changeSession } from "../sdk/session.ts";
import { sessionList, type WireSessionWallet } from "../spec/endpoints/session-list.ts";

export interface SessionVenue {
  readonly connection: VenueConnection;
  readonly owner: Address;
  readonly chainId: number;
  readonly l1ChainId: number;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The venue's time now, Unix milliseconds, which a single wrong answer does not move. Rejects as a query does. */
  venueNowMs(): Promise<number>;
}

/** The venue of an owner's sessions, from a bot's configuration. */
export function sessionVenue(
  {
    rest,
    chainId,
    l1ChainId,
  }: Pick<SessionVenue, "chainId" | "l1ChainId"> & { readonly rest: string },
  owner: Address,
  ports: Pick<SessionVenue, "crypto" | "clock" | "timer" | "venueNowMs"> & { readonly http: Http },
): SessionVenue {
  const { http, crypto, clock, timer, venueNowMs } = ports;
  const connection = { http, rest: baseAddress(rest) };
  return { connection, owner, chainId, l1ChainId, crypto, clock, timer, venueNowMs };
}

/** How a bot renews its session. */
export interface SessionRenewal {
  /** Gives the owner's signature, which may take minutes. */
  readonly owner: OwnerSigner;
  /** The next session is made this long before the end. */
  readonly beforeMs: number;
  readonly lifetimeMs: number;
  /** Makes a new key. Resolves once the key is on disk. */
  newSigner(): Promise<Signer>;
  /** Removes a key that `newSigner` has made and that no request has named. */
  discard?(signer: Signer): void;
}

/** Look-ups of a new session in the venue's list, half a second apart, until it is applied. */
const TRIES = 10;
const PAUSE_MS = 500;

/** Session wallets of the owner, by address in lower case. */
export async function fetchSessions(
  venue: SessionVenue,
): Promise<ReadonlyMap<Address, WireSessionWallet>> {
  const { connection, owner } = venue;
  const sessions = await callVenue(connection, sessionList, { address: owner });
  return new Map(
    sessions.map((session) => [session.sessionAddress.toLowerCase() as Address, session]),
  );
}

/**
 * Creates a session for a new key unless it exists, and resolves with its expiry (Unix seconds) once the venue shows it applied.
 * `isFirst`: the key has signed nothing yet, so the sequential nonce 0 is valid, however long the owner's signature takes. Otherwise
 * a time nonce ahead of the venue's clock leaves the owner a minute and a half. Rejects with `SESSION_NOT_APPLIED`.
 */
export async function makeSession(
  venue: SessionVenue,
  { owner, lifetimeMs }: SessionRenewal,
  signer: Signer,
  { name, isFirst }: { readonly name: string; readonly isFirst: boolean },
): Promise<number> {
  const known = (await fetchSessions(venue)).get(signer.address);
  if (known?.applied === true) return known.expiry;
  const nowMs = await venue.venueNowMs();
  const terms = {
    action: "create",
    sessionWallet: signer.address,
    expirySec: unixSec(Math.floor((nowMs + lifetimeMs) / 1000)),
    nonce: isFirst ? 0 : nowMs + NONCE_AHEAD_MAX_MS,
  } as const;
  try {
    await changeSession(venue.connection, { ...venue, signer }, { ...terms, name, owner });
  } catch (thrown) {
    // The outcome is unknown; the list below shows whether the session was made.
    if (!(thrown instanceof TransportError) || thrown.outcome === "not-sent") throw thrown;
  }
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const session = (await fetchSessions(venue)).get(signer.address);
    if (session?.applied === true) return session.expiry;
    await new Promise<void>((resolve) => {
      venue.timer.after(PAUSE_MS, resolve);
    });
  }
  throw new TouchlineError(
    "SESSION_NOT_APPLIED",
    `The venue does not show the new session ${signer.address} as applied.`,
  );
}

/** Ends a session with its own key and the owner's signature. */
export async function endSession(
  venue: SessionVenue,
  owner: OwnerSigner,
  signer: Signer,
  expirySec: number,
): Promise<void> {
  const nonce = (await venue.venueNowMs()) + NONCE_AHEAD_MAX_MS;
  const terms = { sessionWallet: signer.address, expirySec: unixSec(expirySec), nonce, owner };
  await changeSession(venue.connection, { ...venue, signer }, { action: "delete", ...terms });
}
