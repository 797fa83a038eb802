import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { retryWhileUnreachable } from "../gateway/retry-while-unreachable.ts";
import type { Signer } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import {
  fetchSessions,
  makeSession,
  type SessionRenewal,
  type SessionVenue,
} from "./session-maker.ts";

/** A session wallet's key, which may still have to be decrypted. */
export interface SessionKey {
  readonly address: Address;
  open(): Promise<Signer>;
}

/** Where a bot keeps the keys of its session wallets. */
export interface SessionKeys {
  /** Address of the key that the configuration names. */
  configured(): Promise<Address>;
  /** The configured key and the keys that the bot made. */
  all(): Promise<readonly SessionKey[]>;
}

export interface OpenSessionOptions {
  readonly venue: SessionVenue;
  readonly keys: SessionKeys;
  /** As in `SessionKeeperOptions`. */
  readonly stopBeforeMs: number;
  /** Undefined: no session is made. */
  readonly renew: SessionRenewal | undefined;
  readonly log: Log;
}

export interface OpenedSession {
  readonly signer: Signer;
  /** Unix seconds. */
  readonly expirySec: number;
  /** The venue's clock minus ours. */
  readonly offsetMs: number;
  /** It was made just now. */
  readonly isNew: boolean;
}

/** An active session wallet that the bot has the key of. */
export interface ActiveSession extends SessionKey {
  /** Unix seconds. */
  readonly expirySec: number;
}

/** The active sessions whose keys the bot has, latest expiry first. */
export async function activeSessions({
  venue,
  keys,
  log,
}: Pick<OpenSessionOptions, "venue" | "keys" | "log">): Promise<readonly ActiveSession[]> {
  const sessions = await retryWhileUnreachable(venue.timer, log, () => fetchSessions(venue));
  return (await keys.all())
    .flatMap((key) => {
      const session = sessions.get(key.address);
      return session?.applied === true ? [{ ...key, expirySec: session.expiry }] : [];
    })
    .toSorted((left, right) => right.expirySec - left.expirySec);
}

/**
 * Opens the session wallet that a bot signs with: the first of `activeSessions` if it outlasts `stopBeforeMs`. Otherwise a bot that
 * may renew makes a new one. Rejects with `SESSION_NOT_APPLIED` when it may not.
 */
export async function openSession(options: OpenSessionOptions): Promise<OpenedSession> {
  const { venue, keys, stopBeforeMs, renew, log } = options;
  const { owner, clock, timer } = venue;
  const [best] = await activeSessions(options);
  // A session within `stopBeforeMs` of its end is of no use, since the bot would stop at once.
  const nowMs = await retryWhileUnreachable(timer, log, () => venue.venueNowMs());
  const offsetMs = nowMs - clock.nowMs();
  if (best !== undefined && best.expirySec * 1000 - nowMs > stopBeforeMs) {
    return { signer: await best.open(), expirySec: best.expirySec, offsetMs, isNew: false };
  }
  if (renew !== undefined) {
    const signer = await renew.newSigner();
    const making = makeSession(venue, renew, signer, { name: "touchline", isFirst: true });
    const expirySec = await making.catch((thrown: unknown) => {
      // Otherwise each start by a supervisor would leave a key.
      if (thrown instanceof TouchlineError && thrown.code === "OWNER_SIGNATURE")
        renew.discard?.(signer);
      throw thrown;
    });
    log.info({ session: signer.address }, "no session was active, so a new one was made");
    return { signer, expirySec, offsetMs, isNew: true };
  }
  const named = await keys.configured();
  throw new TouchlineError(
    "SESSION_NOT_APPLIED",
    best === undefined
      ? `The session wallet ${named} is not active for ${owner}.`
      : `The session wallet ${named} of ${owner} ends within ${stopBeforeMs / 1000} s, which is when the bot would stop.`,
    {
      context: { owner, session: named },
      hint: "`touchline session list` shows the sessions, `touchline session create` makes one, `touchline session extend` changes its end.",
    },
  );
}
