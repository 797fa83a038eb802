import { type GivenPassword, givenPassword, typedSecret } from "./password.ts";

/** The key of a keystore, 32 bytes. The password is that of the options, or else is prompted for; without a terminal `hint` says what to do. */
export async function keystoreKey(
  file: string,
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
  hint = "Give it with --password-env or --password-file.",
): Promise<Uint8Array> {
  const { openKeystore } = await import("../platform/key-source.ts");
  const { readKeystore } = await import("../platform/keystore-file.ts");
  const sealed = readKeystore(file);
  const password =
    (await givenPassword(given, env)) ?? (await typedSecret(`Password of ${file}`, hint));
  return openKeystore(file, sealed, password);
}
