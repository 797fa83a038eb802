import type { Address } from "../domain/ids.ts";
import { addressOf } from "../domain/ids.ts";
import { plainAddress } from "../base/plain-address.ts";
import type { Signer, Crypto } from "../ports/crypto.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { WithdrawalStructure } from "../sdk/withdrawal.ts";
import { usageError } from "./exit-code.ts";
import { keystoreKey } from "./keystore-key.ts";
import { asPath, flag, integer, text, textOr } from "./option.ts";
import { type GivenPassword, passwordOptions } from "./password.ts";

/** Options of commands that use a venue without a bot. */

const DEFAULT_REST = "http://127.0.0.1:8717";
const DEFAULT_CHAIN_ID = 1001;
const DEFAULT_L1_CHAIN_ID = 8217;

export const venueOptions = {
  venue: text("--venue <url>", `REST address of the venue (default ${DEFAULT_REST})`),
  ws: text("--ws <url>", "WebSocket address (default: /ws on the REST address)"),
  chainId: integer("--chain-id <n>", `chain id of layer 2 (default ${DEFAULT_CHAIN_ID})`, {
    min: 1,
  }),
  allowInsecure: flag("--allow-insecure", "allow http and ws to another machine, unencrypted"),
  config: asPath(text("--config <file>", "take venue and account from a bot's YAML")),
};

const signerEnv = textOr(
  "--signer-env <name>",
  "environment variable that holds the private key",
  "TOUCHLINE_KEY",
);

const signerKeystore = asPath(
  text("--signer-keystore <file>", "keystore of the key, instead of a variable"),
);

/** Options of commands that sign. */
export const signingOptions = {
  ...venueOptions,
  signerEnv,
  signerKeystore,
  ...passwordOptions,
  owner: text("--owner <address>", "owner on whose behalf to sign (default: the signer)"),
};

/** Options of commands that read an account. */
export const addressOptions = {
  ...venueOptions,
  address: text(
    "--address <address>",
    "address of the account (default: that of --config, else of the signer)",
  ),
  signerEnv,
  signerKeystore,
};

interface GivenPlace {
  readonly signerEnv: string;
  readonly signerKeystore: string | undefined;
}

/** Options that give the signing key. */
export interface GivenKey extends GivenPlace, GivenPassword {}

export interface VenueAddress {
  readonly rest: string;
  readonly ws: string;
  readonly chainId: number;
  /** Chain id of layer 1, which is part of what owners sign. */
  readonly l1ChainId: number;
  /** From the configuration. */
  readonly owner: Address | undefined;
  /** Where the signing key is, according to the configuration. */
  readonly signer: KeyPlace | undefined;
  /** Where the owner's key is: the signer, unless that is a session wallet. */
  readonly ownerKey: KeyPlace | undefined;
  /** From the configuration. */
  readonly withdrawal: WithdrawalStructure | undefined;
  /** Folder of the config's journal. */
  readonly journal: string | undefined;
}

export interface GivenVenue {
  readonly venue: string | undefined;
  readonly ws: string | undefined;
  readonly chainId: number | undefined;
  readonly allowInsecure: boolean;
  /** Only for session commands. */
  readonly l1ChainId?: number | undefined;
  readonly config: string | undefined;
}

export interface ConfigInputs {
  readonly overrides: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Determines the venue: from flags, else from the configuration, else the local paper venue. */
export async function venueAddress(
  given: GivenVenue,
  { overrides, env }: ConfigInputs,
): Promise<VenueAddress> {
  const configured =
    given.config === undefined ? undefined : await readVenue(given.config, { overrides, env });
  if (given.config === undefined && overrides.length > 0) {
    throw usageError("--set overrides a value of a configuration, so it needs --config.");
  }
  const rest = (given.venue ?? configured?.rest ?? DEFAULT_REST).replace(/\/+$/, "");
  if (!/^https?:\/\//.test(rest) || !URL.canParse(rest)) {
    throw usageError("--venue must be an address such as http://127.0.0.1:8717.");
  }
  const ws =
    given.ws ??
    (given.venue === undefined ? configured?.ws : undefined) ??
    `${rest.replace(/^http/, "ws")}/ws`;
  if (!given.allowInsecure && configured?.allowInsecure !== true) {
    refusePlain("--venue", rest);
    refusePlain("--ws", ws);
  }
  return {
    rest,
    ws,
    chainId: given.chainId ?? configured?.chainId ?? DEFAULT_CHAIN_ID,
    l1ChainId: given.l1ChainId ?? configured?.l1ChainId ?? DEFAULT_L1_CHAIN_ID,
    owner: configured?.owner,
    signer: configured?.signer,
    ownerKey: configured?.ownerKey,
    withdrawal: configured?.withdrawal,
    journal: configured?.journal,
  };
}

function refusePlain(flagName: string, address: string): void {
  const problem = plainAddress(address);
  if (problem !== undefined) throw usageError(`${flagName} ${problem}, or give --allow-insecure.`);
}

/** Reads only venue and account, so that a configuration with broken strategies can still be used. */
async function readVenue(file: string, inputs: ConfigInputs) {
  const { readConfig } = await import("../config/read-config.ts");
  const { botSchema } = await import("../config/bot-config.ts");
  const { venueAddress } = await import("../config/venue-address.ts");
  const { filePath } = await import("../config/file-path.ts");
  const { sessionSettings, signerPlace } = await import("../config/signer-place.ts");
  const { ConfigError } = await import("../config/problem.ts");
  const source = readConfig(file, inputs);
  if (source.value === undefined) throw new ConfigError(source.problems);
  const venue = source.validate(venueAddress, ["venue"]);
  const account = source.validate(botSchema.shape.account, ["account"]);
  if (venue === undefined || source.problems.length > 0) throw new ConfigError(source.problems);
  const journal = source.validate(botSchema.shape.journal, ["journal"]);
  const signer = account === undefined ? undefined : signerPlace(source, account.signer);
  const session = account === undefined ? undefined : sessionSettings(source, account.signer);
  const renewer = session?.renew?.owner;
  const ownerKey = renewer?.type === "command" ? undefined : renewer;
  return {
    ...venue,
    owner: account?.owner,
    signer,
    ownerKey: session === undefined ? signer : ownerKey,
    journal:
      journal === undefined ? undefined : filePath(source, ["journal", "path"], journal.path),
  };
}

/** Whose signature a command needs: only the owner's own key may move money off the account (D7). */
export type SignedBy = "owner" | "anyone";

/** Opens the signing key: from the flags, else the configuration, else the default variable. */
export async function openSigner(
  given: GivenKey,
  address: VenueAddress,
  env: ConfigInputs["env"],
  by: SignedBy,
): Promise<{ readonly crypto: Crypto; readonly signer: Signer }> {
  const { keySource } = await import("../platform/key-source.ts");
  const { loadCrypto } = await import("../platform/crypto.ts");
  const file = keystoreOf(given);
  const key =
    file === undefined
      ? await keySource(placeOf(given.signerEnv, address, by), env).open()
      : await keystoreKey(file, given, env);
  const crypto = await loadCrypto();
  return { crypto, signer: crypto.signer(key) };
}

function keystoreOf({ signerEnv: name, signerKeystore: file }: GivenPlace): string | undefined {
  if (file !== undefined && name !== signerEnv.fallback) {
    throw usageError("Give either --signer-env or --signer-keystore, not both.");
  }
  return file;
}

/** Where the key is: in the flag's variable if one is given, else according to the configuration. */
function placeOf(given: string, address: VenueAddress, by: SignedBy): KeyPlace {
  const named: KeyPlace = { type: "env", name: given };
  if (given !== signerEnv.fallback) return named;
  if (by === "anyone") return address.signer ?? named;
  if (address.signer !== undefined && address.ownerKey === undefined) {
    throw usageError(
      "The configuration's signer is a session wallet, but only the owner's own key may send money.",
      "Give the owner's key with --signer-env or --signer-keystore.",
    );
  }
  return address.ownerKey ?? named;
}

/** Determines the account to read. */
export async function accountAddress(
  given: GivenPlace & { readonly address: string | undefined },
  address: VenueAddress,
  env: ConfigInputs["env"],
): Promise<Address> {
  if (given.address !== undefined) return addressArgument("--address", given.address);
  if (address.owner !== undefined) return address.owner;
  const file = keystoreOf(given);
  if (file !== undefined) return keystoreAddress(file);
  const place = placeOf(given.signerEnv, address, "anyone");
  if (place.type === "env" && env[place.name] === undefined) {
    throw usageError(
      "The account is missing.",
      `Give --address, a --config with an account, or put the key into ${place.name}.`,
    );
  }
  const { keySource } = await import("../platform/key-source.ts");
  const { loadCrypto } = await import("../platform/crypto.ts");
  const key = await keySource(place, env).open();
  return (await loadCrypto()).signer(key).address;
}

/** The address in the keystore file, which need not be decrypted. */
async function keystoreAddress(file: string): Promise<Address> {
  const { namedAddress } = await import("../platform/key-source.ts");
  const { readKeystore } = await import("../platform/keystore-file.ts");
  const named = namedAddress(file, readKeystore(file));
  if (named !== undefined) return named;
  throw usageError(`${file} does not contain its address.`, "Give --address.");
}

/** An address with a wrong checksum (EIP-55) is refused: a transfer is final, and another account shows no orders. */
export async function addressArgument(flag: string, written: string): Promise<Address> {
  const address = addressOf(written);
  if (address === undefined) throw usageError(`${flag} must be 0x and 40 hex digits.`);
  const { loadKeccak256 } = await import("../platform/keccak.ts");
  const { hasWrongChecksum, wrongChecksum } = await import("../spec/checksum-address.ts");
  if (!hasWrongChecksum(written, await loadKeccak256())) return address;
  throw usageError(
    `${flag} ${wrongChecksum}`,
    "An address in lower case has no checksum and is accepted as it is.",
  );
}
