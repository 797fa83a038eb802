import { fromHex } from "../base/hex.ts";
import { TouchlineError } from "../base/error.ts";
import { systemClock } from "../platform/clock.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { createHttp } from "../platform/http.ts";
import { keySource } from "../platform/key-source.ts";
import { secureBytes } from "../platform/random.ts";
import { createSocketConnector } from "../platform/socket.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { OwnerSigner } from "../ports/owner-signer.ts";
import { isScalar } from "../spec/curve-order.ts";
import { typedSignatureText } from "../spec/session-typed-data.ts";
import {
  type ConnectOptions,
  connectVenueOn,
  type Venue,
  type VenueClientPorts,
} from "./connect-venue.ts";

/** The client's ports for Node. */
export async function nodeClientPorts(): Promise<VenueClientPorts> {
  return {
    http: createHttp(),
    connector: createSocketConnector(),
    clock: systemClock,
    timer: systemTimer,
    crypto: await loadCrypto(),
    randomBytes: secureBytes,
  };
}

/** A client of the venue for Node. It sends no request before the first call. */
export async function connectVenue(
  options: Omit<ConnectOptions, "ports"> & { readonly ports?: Partial<VenueClientPorts> },
): Promise<Venue> {
  return connectVenueOn({ ...options, ports: { ...(await nodeClientPorts()), ...options.ports } });
}

/**
 * A signer from a private key: `0x` and 64 hex digits, 32 bytes, or the key's place (`{ type: "env", name }`,
 * `{ type: "keystore", path, password }`). Rejects with TouchlineError `KEY_INVALID`, `KEY_MISSING`, `PASSWORD_WRONG`, ….
 */
export async function openSigner(
  key: string | Uint8Array | KeyPlace,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Signer> {
  const crypto: Crypto = await loadCrypto();
  if (typeof key === "object" && !(key instanceof Uint8Array)) {
    return crypto.signer(await keySource(key, env).open());
  }
  const bytes = typeof key === "string" ? fromHex(key) : key;
  if (bytes?.length !== 32 || !isScalar(bytes)) {
    throw new TouchlineError("KEY_INVALID", "The key is not a private key: 0x and 64 hex digits.");
  }
  return crypto.signer(bytes);
}

/** An owner that signs with a key in memory. */
export function ownerOf(signer: Signer): OwnerSigner {
  return {
    address: signer.address,
    signTypedData: async ({ digest }) => typedSignatureText(signer.sign(digest)),
  };
}
