import { TouchlineError } from "../base/error.ts";
import type { OwnerPlace, SessionSettings } from "../config/signer-place.ts";
import type { Address } from "../domain/ids.ts";
import { retryWhileUnreachable } from "../gateway/retry-while-unreachable.ts";
import { keySource, namedAddress, openKeystore, readPassword } from "../platform/key-source.ts";
import { newPrivateKey } from "../platform/keys.ts";
import { listSecretFiles, readSecretFile, writeSecretFile } from "../platform/keystore-file.ts";
import { sealKey } from "../platform/keystore.ts";
import { ownerCommandSigner, ownerKeySigner } from "../platform/owner-signer.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { Log } from "../ports/log.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import {
  fetchSessions,
  makeSession,
  type SessionRenewal,
  type SessionVenue,
} from "./session-maker.ts";

export interface OpenSessionOptions {
  readonly venue: SessionVenue;
  /** The key that the configuration names. */
  readonly key: KeyPlace;
  readonly settings: SessionSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export interface OpenedSession {
  readonly signer: Signer;
  /** Unix seconds. */
  readonly expirySec: number;
  /** The venue's clock minus ours. */
  readonly offsetMs: number;
  readonly renew: SessionRenewal | undefined;
}

interface Candidate {
  readonly address: Address;
  open(): Promise<Signer>;
}

/** An active session wallet that the bot has the key of. */
export interface ActiveSession extends Candidate {
  /** Unix seconds. */
  readonly expirySec: number;
}

/** The active sessions among the configured key and the keys that the bot made, latest expiry first. */
export async function activeSessions(
  options: OpenSessionOptions,
): Promise<readonly ActiveSession[]> {
  const { venue, log } = options;
  const sessions = await retryWhileUnreachable(venue.timer, log, () => fetchSessions(venue));
  return (await candidatesOf(options))
    .flatMap((candidate) => {
      const session = sessions.get(candidate.address);
      return session?.applied === true ? [{ ...candidate, expirySec: session.expiry }] : [];
    })
    .toSorted((left, right) => right.expirySec - left.expirySec);
}

/**
 * Opens the session wallet that a bot signs with: the first of `activeSessions` if it outlasts `stopBeforeMs`. Otherwise a bot that
 * may renew makes a new one. Rejects with `SESSION_NOT_APPLIED` when it may not.
 */
export async function openSession(options: OpenSessionOptions): Promise<OpenedSession> {
  const { venue, settings, env, log } = options;
  const { owner, crypto, clock, timer } = venue;
  const renew = renewalOf(options);
  const [best] = await activeSessions(options);
  // A session within `stopBeforeMs` of its end is of no use, since the bot would stop at once.
  const nowMs = await retryWhileUnreachable(timer, log, () => venue.venueNowMs());
  const offsetMs = nowMs - clock.nowMs();
  if (best !== undefined && best.expirySec * 1000 - nowMs > settings.stopBeforeMs) {
    return { signer: await best.open(), expirySec: best.expirySec, offsetMs, renew };
  }
  if (renew !== undefined) {
    const signer = await renew.newSigner();
    const expirySec = await makeSession(venue, renew, signer, { name: "touchline", isFirst: true });
    log.info({ session: signer.address }, "no session was active, so a new one was made");
    return { signer, expirySec, offsetMs, renew };
  }
  const named = await namedSession(options.key, env, crypto);
  throw new TouchlineError(
    "SESSION_NOT_APPLIED",
    best === undefined
      ? `The session wallet ${named} is not active for ${owner}.`
      : `The session wallet ${named} of ${owner} ends within ${settings.stopBeforeMs / 1000} s, which is when the bot would stop.`,
    {
      context: { owner, session: named },
      hint: "`touchline session list` shows the sessions, `touchline session create` makes one, `touchline session extend` changes its end.",
    },
  );
}

/** The address of the configured session wallet. A keystore that names its address is not opened. */
export async function namedSession(
  key: KeyPlace,
  env: OpenSessionOptions["env"],
  crypto: Crypto,
): Promise<Address> {
  if (key.type === "keystore") {
    const text = readSecretFile(key.path, "KEYSTORE_MISSING", "keystore");
    const named = namedAddress(key.path, text);
    if (named !== undefined) return named;
  }
  return crypto.signer(await keySource(key, env).open()).address;
}

async function candidatesOf(options: OpenSessionOptions): Promise<readonly Candidate[]> {
  const { key, settings, env, venue } = options;
  const { crypto } = venue;
  const open = async () => crypto.signer(await keySource(key, env).open());
  const candidates = [{ address: await namedSession(key, env, crypto), open }];
  const { renew } = settings;
  for (const file of renew === undefined ? [] : listSecretFiles(renew.keys)) {
    const text = readSecretFile(file, "KEYSTORE_MISSING", "keystore");
    const address = namedAddress(file, text);
    if (renew === undefined || address === undefined) continue;
    const openMade = async () =>
      crypto.signer(await openKeystore(file, text, readPassword(renew.password, env)));
    candidates.push({ address, open: openMade });
  }
  return candidates;
}

function renewalOf({ settings, env, venue }: OpenSessionOptions): SessionRenewal | undefined {
  const { renew } = settings;
  if (renew === undefined) return undefined;
  const { crypto, owner } = venue;
  const { beforeMs, lifetimeMs, keys } = renew;
  return {
    owner: ownerSigner(owner, renew.owner, env, crypto),
    beforeMs,
    lifetimeMs,
    async newSigner() {
      const key = newPrivateKey();
      const signer = crypto.signer(key);
      const sealed = await sealKey(key, readPassword(renew.password, env));
      writeSecretFile(`${keys}/session-${signer.address}.json`, sealed);
      return signer;
    },
  };
}

function ownerSigner(
  owner: Address,
  place: OwnerPlace,
  env: OpenSessionOptions["env"],
  crypto: Crypto,
): OwnerSigner {
  return place.type === "command"
    ? ownerCommandSigner(
        owner,
        { command: place.command, timeoutMs: place.timeout, pass: place.env },
        env,
        crypto,
      )
    : ownerKeySigner(owner, place, env, crypto);
}
