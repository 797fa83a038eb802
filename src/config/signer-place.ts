import { TouchlineError } from "../base/error.ts";
import { keySource, readPassword } from "../platform/key-source.ts";
import type { KeyPlace, PasswordPlace } from "../ports/key-source.ts";
import { filePath } from "./file-path.ts";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";
import type { WrittenSession, WrittenSigner } from "./signer-config.ts";

/** Where an owner's signature comes from. */
export type OwnerPlace =
  | KeyPlace
  | {
      readonly type: "command";
      readonly command: readonly string[];
      readonly env: readonly string[];
      readonly timeout: number;
    };

/** How a bot manages its session. Paths are absolute. */
export interface SessionSettings {
  readonly stopBeforeMs: number;
  readonly renew:
    | {
        readonly owner: OwnerPlace;
        readonly beforeMs: number;
        readonly lifetimeMs: number;
        /** Folder for the keystores of sessions that the bot creates. */
        readonly keys: string;
        readonly password: PasswordPlace;
      }
    | undefined;
}

/** Path of the key's settings in the file. */
export function signerPath(written: WrittenSigner): ConfigPath {
  return written.type === "session" ? ["account", "signer", "key"] : ["account", "signer"];
}

/** Where the signing key is, with paths made absolute. */
export function signerPlace(source: YamlSource, written: WrittenSigner): KeyPlace {
  const key = written.type === "session" ? written.key : written;
  return absolute(source, key, signerPath(written));
}

export function sessionSettings(
  source: YamlSource,
  written: WrittenSigner,
): SessionSettings | undefined {
  if (written.type !== "session") return undefined;
  return { stopBeforeMs: written.stopBefore, renew: renewalOf(source, written) };
}

function renewalOf(source: YamlSource, { key, renew }: WrittenSession): SessionSettings["renew"] {
  if (renew === undefined) return undefined;
  const at = ["account", "signer", "renew"] as const;
  const { owner, before, lifetime, keys } = renew;
  const password =
    renew.password === undefined
      ? key.type === "keystore"
        ? absoluteSecret(source, key.password, ["account", "signer", "key", "password"])
        : undefined
      : absoluteSecret(source, renew.password, [...at, "password"]);
  // The schema requires a password.
  if (password === undefined) return undefined;
  return {
    owner:
      owner.type === "command"
        ? { ...owner, command: commandBeside(source, owner.command, [...at, "owner", "command"]) }
        : absolute(source, owner, [...at, "owner"]),
    beforeMs: before,
    lifetimeMs: lifetime,
    keys: filePath(source, [...at, "keys"], keys),
    password,
  };
}

/** A program by its path, and arguments such as `./ask.py`, are relative to the file, as all paths are; a bare name is found in `PATH`. */
function commandBeside(
  source: YamlSource,
  command: readonly string[],
  at: ConfigPath,
): readonly string[] {
  return command.map((word, index) => {
    const isPath = index === 0 ? /[\\/]/ : /^(\.{1,2}|~)[\\/]/;
    return isPath.test(word) ? filePath(source, [...at, index], word) : word;
  });
}

/** Problems that would prevent a session's renewal, as far as they can be seen in advance. */
export function renewalMistakes(
  source: YamlSource,
  written: WrittenSigner,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly { readonly at: ConfigPath; readonly message: string }[] {
  const renew = sessionSettings(source, written)?.renew;
  if (renew === undefined) return [];
  const at = ["account", "signer", "renew"] as const;
  const mistakes: { at: ConfigPath; message: string }[] = [];
  const { owner, password } = renew;
  const mistake = owner.type === "command" ? undefined : keySource(owner, env).mistake();
  if (mistake !== undefined) {
    mistakes.push({ at: [...at, "owner", ...mistake.at], message: mistake.message });
  }
  try {
    readPassword(password, env);
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    mistakes.push({ at: [...at, "password"], message: error.message });
  }
  return mistakes;
}

function absolute(source: YamlSource, written: KeyPlace, at: ConfigPath): KeyPlace {
  if (written.type === "env") return written;
  return {
    type: "keystore",
    path: filePath(source, [...at, "path"], written.path),
    password: absoluteSecret(source, written.password, [...at, "password"]),
  };
}

/** Where a secret is, with its path made absolute. */
export function absoluteSecret(
  source: YamlSource,
  written: PasswordPlace,
  at: ConfigPath,
): PasswordPlace {
  return written.type === "env"
    ? written
    : { type: "file", path: filePath(source, [...at, "file"], written.path) };
}
