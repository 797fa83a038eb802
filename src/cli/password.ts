import { text as readAll } from "node:stream/consumers";
import { usageError } from "./exit-code.ts";
import { flag, text } from "./option.ts";

/** How commands are given the password of a keystore; never as an argument. */
export const passwordOptions = {
  passwordEnv: text("--password-env <name>", "environment variable that holds the password"),
  passwordFile: text("--password-file <file>", "file that holds the password"),
  passwordStdin: flag("--password-stdin", "read the password from standard input"),
};

export interface GivenPassword {
  readonly passwordEnv: string | undefined;
  readonly passwordFile: string | undefined;
  readonly passwordStdin: boolean;
}

/** Shorter ones are guessed; scrypt only makes that slow. */
const GOOD_LENGTH = 12;

/** Undefined when no option names one. */
export async function givenPassword(
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { passwordEnv, passwordFile, passwordStdin } = given;
  const named = [passwordEnv !== undefined, passwordFile !== undefined, passwordStdin];
  if (named.filter(Boolean).length > 1) throw usageError("Name one place of the password.");
  const { readPassword } = await import("../platform/key-source.ts");
  if (passwordEnv !== undefined) return readPassword({ type: "env", name: passwordEnv }, env);
  if (passwordFile !== undefined) return readPassword({ type: "file", path: passwordFile }, env);
  if (!passwordStdin) return undefined;
  const typed = (await readAll(process.stdin)).replace(/\r?\n$/, "");
  if (typed === "") throw usageError("Standard input holds no password.");
  return typed;
}

/** The password of a new keystore: of the options, else typed twice. */
export async function newPassword(
  given: GivenPassword,
  env: Readonly<Record<string, string | undefined>>,
  warn: (sentence: string) => void,
): Promise<string> {
  const password = (await givenPassword(given, env)) ?? (await typedTwice());
  if (password.length < GOOD_LENGTH) {
    warn(
      `the password has fewer than ${GOOD_LENGTH} characters: easy to guess for who has the file.`,
    );
  }
  return password;
}

async function typedTwice(): Promise<string> {
  const password = await typedSecret(
    "Password of the new keystore",
    "Name the password with --password-env, --password-file or --password-stdin.",
  );
  if (password !== (await typedSecret("The same again", ""))) {
    throw usageError("The two passwords are not the same.");
  }
  return password;
}

/** Something typed and not shown; a usage error with `hint` when nobody sits there, or gives up. */
export async function typedSecret(what: string, hint: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`${what}: there is no terminal to ask.`, hint);
  const { isCancel, password } = await import("@clack/prompts");
  // stdout is for results.
  const typed = await password({
    message: what,
    output: process.stderr,
    validate: (value) => (value === undefined || value === "" ? "Type something." : undefined),
  });
  if (isCancel(typed)) throw usageError("Given up.");
  return typed;
}
