import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import type { KeyPlace, KeySource, PasswordPlace } from "../ports/key-source.ts";
import { privateKeyFromEnv } from "./keys.ts";
import { readKeystore, readSecretFile } from "./keystore-file.ts";
import { keystoreAddress, openSealedKey } from "./keystore.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function keySource(place: KeyPlace, env: Environment): KeySource {
  return place.type === "env" ? envSource(place.name, env) : keystoreSource(place, env);
}

/** Reads a keystore's password. Throws `PASSWORD_MISSING`. */
export function readPassword(place: PasswordPlace, env: Environment): string {
  const kind = { code: "PASSWORD_MISSING", what: "password", of: " of the keystore" };
  return readSecret(place, kind, env);
}

/** Reads a secret from its variable or file. Throws TouchlineError with `code`; `what` and `of` name the secret for people. */
export function readSecret(
  place: PasswordPlace,
  { code, what, of = "" }: { readonly code: string; readonly what: string; readonly of?: string },
  env: Environment,
): string {
  const secret = secretIn(
    place.type === "env"
      ? (env[place.name] ?? "")
      : readSecretFile(place.path, code, `${what} file`),
  );
  if (secret !== "") return secret;
  throw new TouchlineError(
    code,
    place.type === "env"
      ? `the environment variable ${place.name} is not set`
      : `the ${what} file ${place.path} is empty`,
    { hint: `It must hold the ${what}${of}.` },
  );
}

/** A secret as written in a file, a pipe or a mounted variable: without the line breaks at its end and a byte order mark. */
export function secretIn(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/[\r\n]+$/, "");
}

function envSource(name: string, env: Environment): KeySource {
  return {
    mistake: () => mistakeOf(["name"], () => privateKeyFromEnv(name, env)),
    open: async () => privateKeyFromEnv(name, env),
  };
}

function keystoreSource(
  { path, password }: Extract<KeyPlace, { type: "keystore" }>,
  env: Environment,
): KeySource {
  const read = (): string => readKeystore(path);
  return {
    mistake: () =>
      mistakeOf(["path"], () => namedAddress(path, read())) ??
      mistakeOf(["password"], () => readPassword(password, env)),
    open: async () => openKeystore(path, read(), readPassword(password, env)),
  };
}

/** Decrypts the text of a keystore; errors name the file. Rejects as `openSealedKey` does. */
export async function openKeystore(
  file: string,
  text: string,
  password: string,
): Promise<Uint8Array> {
  try {
    return await openSealedKey(text, password);
  } catch (error) {
    throw withFile(error, file);
  }
}

/** The address named in the text of a keystore; errors name the file. Throws `KEYSTORE_INVALID`. */
export function namedAddress(file: string, text: string): Address | undefined {
  try {
    return keystoreAddress(text);
  } catch (error) {
    throw withFile(error, file);
  }
}

/** Adds the file's name to errors about the content of a keystore. */
function withFile(error: unknown, file: string): unknown {
  if (!(error instanceof TouchlineError)) return error;
  const { code, message, hint } = error;
  const options = { context: { file }, ...(hint === undefined ? {} : { hint }) };
  if (code === "KEYSTORE_INVALID") return new TouchlineError(code, `${file} ${message}`, options);
  if (code === "PASSWORD_WRONG") {
    return new TouchlineError(code, `The password of ${file} is wrong.`, options);
  }
  return error;
}

function mistakeOf(at: readonly string[], run: () => unknown): ReturnType<KeySource["mistake"]> {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    const { message, hint } = error;
    // A hint is a sentence; here it ends one.
    const clause = hint?.replace(/\.$/, "");
    const hinted =
      clause === undefined ? "" : `; ${clause.charAt(0).toLowerCase()}${clause.slice(1)}`;
    return { at, message: `${message}${hinted}` };
  }
}
