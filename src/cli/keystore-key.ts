import { type GivenPassword, givenPassword, typedSecret } from "./password.ts";

/** The key of a keystore, 32 bytes. The password is that of the options, or else is prompted for. */
export async function keystoreKey(
  file: string,
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array> {
  const { openKeystore } = await import("../platform/key-source.ts");
  const { readSecretFile } = await import("../platform/keystore-file.ts");
  const sealed = readSecretFile(file, "KEYSTORE_MISSING", "keystore");
  const password =
    (await givenPassword(given, env)) ??
    (await typedSecret(`Password of ${file}`, "Give it with --password-env or --password-file."));
  return openKeystore(file, sealed, password);
}
