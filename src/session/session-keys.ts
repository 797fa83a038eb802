import { TouchlineError } from "../base/error.ts";
import type { SessionSettings } from "../config/signer-place.ts";
import type { Address } from "../domain/ids.ts";
import { keySource, namedAddress, openKeystore, readPassword } from "../platform/key-source.ts";
import { newPrivateKey } from "../platform/keys.ts";
import {
  listSecretFiles,
  readSecretFile,
  removeSecretFile,
  writeSecretFile,
} from "../platform/keystore-file.ts";
import { sealKey } from "../platform/keystore.ts";
import { ownerCommandSigner, ownerKeySigner } from "../platform/owner-signer.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { Log } from "../ports/log.ts";
import type { SessionKey, SessionKeys } from "./open-session.ts";
import type { SessionRenewal } from "./session-maker.ts";

export interface KeystorePlaces {
  readonly owner: Address;
  /** The key that the configuration names. */
  readonly key: KeyPlace;
  readonly settings: SessionSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly crypto: Crypto;
  readonly log: Log;
}

/** The configured key, and the keystores of the keys that the bot made. */
export function keystoreKeys({
  key,
  settings,
  env,
  crypto,
  log,
}: Omit<KeystorePlaces, "owner">): SessionKeys {
  const { renew } = settings;
  return {
    configured: () => namedSession(key, env, crypto),
    async all() {
      const open = async (): Promise<Signer> => crypto.signer(await keySource(key, env).open());
      const keys: SessionKey[] = [{ address: await namedSession(key, env, crypto), open }];
      for (const file of renew === undefined ? [] : listSecretFiles(renew.keys)) {
        const text = readSecretFile(file, "KEYSTORE_MISSING", "keystore");
        const address = readableAddress(file, text, log);
        if (renew === undefined || address === undefined) continue;
        const openMade = async (): Promise<Signer> =>
          crypto.signer(await openKeystore(file, text, readPassword(renew.password, env)));
        keys.push({ address, open: openMade });
      }
      return keys;
    },
  };
}

/** Undefined for a keystore that a kill or a power cut has left unfinished: the venue has no session of its key. */
function readableAddress(file: string, text: string, log: Log): Address | undefined {
  try {
    return namedAddress(file, text);
  } catch (thrown) {
    if (!(thrown instanceof TouchlineError) || thrown.code !== "KEYSTORE_INVALID") throw thrown;
    log.warn({ file }, "the keystore of a session is not readable and is left out");
    return undefined;
  }
}

/** How the configuration renews a session, with new keys in keystores; undefined when it does not. */
export function keystoreRenewal({
  owner,
  settings,
  env,
  crypto,
  log,
}: Omit<KeystorePlaces, "key">): SessionRenewal | undefined {
  const { renew } = settings;
  if (renew === undefined) return undefined;
  const { beforeMs, lifetimeMs, keys, owner: place } = renew;
  const fileOf = ({ address }: Signer): string => `${keys}/session-${address}.json`;
  return {
    owner:
      place.type === "command"
        ? ownerCommandSigner(
            owner,
            { command: place.command, timeoutMs: place.timeout, pass: place.env },
            env,
            { crypto, log },
          )
        : ownerKeySigner(owner, place, env, crypto),
    beforeMs,
    lifetimeMs,
    async newSigner() {
      const key = newPrivateKey();
      const signer = crypto.signer(key);
      const sealed = await sealKey(key, readPassword(renew.password, env));
      await writeSecretFile(fileOf(signer), sealed);
      return signer;
    },
    discard: (signer) => removeSecretFile(fileOf(signer)),
  };
}

/** The address of the configured session wallet. A keystore that names its address is not opened. */
async function namedSession(
  key: KeyPlace,
  env: KeystorePlaces["env"],
  crypto: Crypto,
): Promise<Address> {
  if (key.type === "keystore") {
    const text = readSecretFile(key.path, "KEYSTORE_MISSING", "keystore");
    const named = namedAddress(key.path, text);
    if (named !== undefined) return named;
  }
  return crypto.signer(await keySource(key, env).open()).address;
}
