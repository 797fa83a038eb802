import type { Address } from "../domain/ids.ts";
import { argument } from "./option.ts";
import type { Terminal } from "./terminal.ts";

export const keystoreArgument = argument("<file>", "the keystore, like keys/bot.json");

/** Writes a new keystore, proves that the password opens it, and says whose it is. */
export async function saveKey(
  event: string,
  file: string,
  key: Uint8Array,
  password: string,
  terminal: Terminal,
): Promise<void> {
  const { sealKey } = await import("../platform/keystore.ts");
  const { readSecretFile, writeSecretFile } = await import("../platform/keystore-file.ts");
  writeSecretFile(file, await sealKey(key, password));
  const written = readSecretFile(file, "KEYSTORE_MISSING", "keystore");
  const address = await checkKey(file, written, password);
  terminal.emit(event, { file, address });
  terminal.print(`${file}: ${terminal.bold(address)}`);
  terminal.print(
    "Keep a copy of the file and the password: without both the key is gone. In a bot's YAML:",
  );
  terminal.print(
    `  signer: { type: keystore, path: ${file}, password: { env: TOUCHLINE_PASSWORD } }`,
  );
}

/** Opens a keystore and gives its address. Rejects with `PASSWORD_WRONG` or `KEYSTORE_INVALID`. */
export async function checkKey(file: string, text: string, password: string): Promise<Address> {
  const { openKeystore } = await import("../platform/key-source.ts");
  const { loadCrypto } = await import("../platform/crypto.ts");
  const crypto = await loadCrypto();
  return crypto.signer(await openKeystore(file, text, password)).address;
}
