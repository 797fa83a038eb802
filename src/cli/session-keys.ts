import type { Address } from "../domain/ids.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import { usageError } from "./exit-code.ts";
import { asPath, flag, integer, text } from "./option.ts";
import { keystoreKey } from "./keystore-key.ts";
import { type GivenPassword, newPassword, passwordOptions } from "./password.ts";
import type { Terminal } from "./terminal.ts";
import { addressArgument, venueOptions, type VenueAddress } from "./venue-options.ts";

/** The two keys of a session command: the owner's, used once, and the session wallet's. */

const ownerOptions = {
  signerEnv: text(
    "--owner-env <name>",
    "variable that holds the owner's key (default TOUCHLINE_KEY)",
  ),
  ownerKeystore: asPath(text("--owner-keystore <file>", "keystore of the owner's key")),
  ownerPasswordEnv: text(
    "--owner-password-env <name>",
    "variable with its password (default: typed)",
  ),
  owner: text(
    "--owner <address>",
    "address of the owner (default: from --config, else that of the key)",
  ),
};

export const sessionOptions = {
  ...venueOptions,
  l1ChainId: integer(
    "--l1-chain-id <n>",
    "chain id of layer 1 in the data that the owner signs (default 8217)",
    { min: 1 },
  ),
  ...ownerOptions,
  sessionKeystore: asPath(
    text("--session-keystore <file>", "keystore of the session wallet's key"),
  ),
  sessionEnv: text("--session-env <name>", "variable that holds the session wallet's key"),
  ...passwordOptions,
  printRequest: flag("--print-request", "print the data that the owner has to sign; send nothing"),
  signature: text(
    "--signature <hex>",
    "the owner's signature of the data that --print-request printed",
  ),
  nonce: integer("--nonce <n>", "nonce that --print-request printed", { min: 0 }),
};

type Environment = Readonly<Record<string, string | undefined>>;

interface GivenSession extends GivenPassword {
  readonly sessionKeystore: string | undefined;
  readonly sessionEnv: string | undefined;
}

/** The session wallet's key; undefined when no option names one. With `mayCreate`, a missing keystore is created with a new key. */
export async function sessionSigner(
  given: GivenSession,
  { crypto, env, terminal }: { crypto: Crypto; env: Environment; terminal: Terminal },
  mayCreate: boolean,
): Promise<{ readonly signer: Signer; readonly isNew: boolean } | undefined> {
  const { sessionKeystore: file, sessionEnv: name } = given;
  if (file !== undefined && name !== undefined) {
    throw usageError("Give the session wallet's key in only one way.");
  }
  const { newPrivateKey, privateKeyFromEnv } = await import("../platform/keys.ts");
  if (name !== undefined) {
    return { signer: crypto.signer(privateKeyFromEnv(name, env)), isNew: false };
  }
  if (file === undefined) return undefined;
  const { isSecretFile, writeSecretFile } = await import("../platform/keystore-file.ts");
  if (mayCreate && !isSecretFile(file)) {
    const { sealKey } = await import("../platform/keystore.ts");
    const password = await newPassword(given, env, (sentence) => terminal.warn(sentence));
    const key = newPrivateKey();
    await writeSecretFile(file, await sealKey(key, password));
    return { signer: crypto.signer(key), isNew: true };
  }
  return { signer: crypto.signer(await keystoreKey(file, given, env)), isNew: false };
}

interface GivenOwner {
  readonly signerEnv: string | undefined;
  readonly ownerKeystore: string | undefined;
  readonly ownerPasswordEnv: string | undefined;
  readonly owner: string | undefined;
}

/** Opens the owner's key for one signature. Throws a usage error when it is not the key of the given owner. */
export async function ownerSigner(
  given: GivenOwner,
  address: VenueAddress,
  crypto: Crypto,
  env: Environment,
): Promise<Signer> {
  const { keySource } = await import("../platform/key-source.ts");
  const { ownerKeystore: file, ownerPasswordEnv: passwordEnv } = given;
  let key: Uint8Array;
  if (file === undefined) {
    const named = { type: "env", name: given.signerEnv ?? "TOUCHLINE_KEY" } as const;
    const place = given.signerEnv === undefined ? (address.ownerKey ?? named) : named;
    key = await keySource(place, env).open();
  } else {
    const password = { passwordEnv, passwordFile: undefined, passwordStdin: false };
    key = await keystoreKey(file, password, env, "Give --owner-password-env.");
  }
  const signer = crypto.signer(key);
  const owner = await configuredOwner(given, address);
  if (owner === undefined || owner === signer.address) return signer;
  throw usageError(
    `The owner's key belongs to ${signer.address}, but the owner is ${owner}.`,
    "Give the owner's own key with --owner-env or --owner-keystore; a session wallet's key cannot be used here.",
  );
}

/** The owner's address from the options or the configuration. */
export async function configuredOwner(
  given: { readonly owner: string | undefined },
  address: VenueAddress,
): Promise<Address | undefined> {
  return given.owner === undefined ? address.owner : addressArgument("--owner", given.owner);
}
