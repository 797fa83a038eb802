import { createReadStream, statSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { usageError } from "./exit-code.ts";
import { asPath, flag, text } from "./option.ts";

/** Options for the password of a keystore; never an argument of the command line. */
export const passwordOptions = {
  passwordEnv: text("--password-env <name>", "environment variable that holds the password"),
  passwordFile: asPath(text("--password-file <file>", "file that holds the password")),
  passwordStdin: flag("--password-stdin", "read the password from standard input"),
};

export interface GivenPassword {
  readonly passwordEnv: string | undefined;
  readonly passwordFile: string | undefined;
  readonly passwordStdin: boolean;
}

/** Shorter passwords can be guessed; scrypt only slows that down. */
const GOOD_LENGTH = 12;

/** Reads the password named by the options; undefined when there is no such option. */
export async function givenPassword(
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { passwordEnv, passwordFile, passwordStdin } = given;
  const named = [passwordEnv !== undefined, passwordFile !== undefined, passwordStdin];
  if (named.filter(Boolean).length > 1) throw usageError("Give the password in only one way.");
  const { readPassword } = await import("../platform/key-source.ts");
  if (passwordEnv !== undefined) return readPassword({ type: "env", name: passwordEnv }, env);
  if (passwordFile === undefined) {
    return passwordStdin ? readFrom(process.stdin, "Standard input") : undefined;
  }
  // What a shell makes of <(…).
  const isPipe = statSync(passwordFile, { throwIfNoEntry: false })?.isFIFO() === true;
  return isPipe
    ? readFrom(createReadStream(passwordFile), passwordFile)
    : readPassword({ type: "file", path: passwordFile }, env);
}

async function readFrom(input: NodeJS.ReadableStream, name: string): Promise<string> {
  const { secretIn } = await import("../platform/key-source.ts");
  const typed = secretIn(await readAll(input));
  if (typed === "") throw usageError(`${name} holds no password.`);
  return typed;
}

/** The password of a new keystore: from the options, or else typed twice. */
export async function newPassword(
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
  warn: (sentence: string) => void,
): Promise<string> {
  const password = (await givenPassword(given, env)) ?? (await typedTwice());
  if (password.length < GOOD_LENGTH) {
    warn(
      `the password has fewer than ${GOOD_LENGTH} characters and is easy to guess for anyone who has the file.`,
    );
  }
  return password;
}

async function typedTwice(): Promise<string> {
  const password = await typedSecret(
    "Password of the new keystore",
    "Give the password with --password-env, --password-file or --password-stdin.",
  );
  if (password !== (await typedSecret("Repeat the password", ""))) {
    throw usageError("The two passwords differ.");
  }
  return password;
}

/** Prompts for a secret without echo. Throws a usage error with `hint` when there is no terminal or the user cancels. */
export async function typedSecret(what: string, hint: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`${what}: there is no terminal to prompt on.`, hint);
  const { isCancel, password } = await import("@clack/prompts");
  // Prompts go to stderr, since stdout is for results.
  const typed = await password({
    message: what,
    output: process.stderr,
    validate: (value) =>
      value === undefined || value === "" ? "It must not be empty." : undefined,
  });
  if (isCancel(typed)) throw usageError("Canceled.");
  return typed;
}
