import type { Address } from "../domain/ids.ts";
import { asPath, argument } from "./option.ts";
import type { Terminal } from "./terminal.ts";

export const keystoreArgument = asPath(
  argument("<file>", "the keystore file, such as keys/bot.json"),
);

/** Writes a new keystore, checks that the password opens it, and prints its address. */
export async function saveKey(
  event: string,
  { file, key, password }: { file: string; key: Uint8Array; password: string },
  terminal: Terminal,
): Promise<void> {
  const { sealKey } = await import("../platform/keystore.ts");
  const { readKeystore, writeSecretFile } = await import("../platform/keystore-file.ts");
  await writeSecretFile(file, await sealKey(key, password));
  const written = readKeystore(file);
  const address = await checkKey(file, written, password);
  terminal.emit(event, { file, address });
  terminal.print(`${file}: ${terminal.bold(address)}`);
  terminal.print(
    "Keep a copy of the file and the password: if you lose either, the key is lost. In a bot's YAML:",
  );
  terminal.print(
    `  signer: { type: keystore, path: ${file}, password: { env: TOUCHLINE_PASSWORD } }`,
  );
}

/** Opens a keystore and returns its address. Rejects with `PASSWORD_WRONG` or `KEYSTORE_INVALID`. */
export async function checkKey(file: string, text: string, password: string): Promise<Address> {
  const { openKeystore } = await import("../platform/key-source.ts");
  const { loadCrypto } = await import("../platform/crypto.ts");
  const crypto = await loadCrypto();
  return crypto.signer(await openKeystore(file, text, password)).address;
}
