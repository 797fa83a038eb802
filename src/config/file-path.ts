import path from "node:path";
import { homeFolder } from "../platform/user-folder.ts";
import type { YamlSource } from "./parse-yaml.ts";
import { ConfigError, type ConfigPath } from "./problem.ts";

/**
 * Resolves a path: relative to the file that contains it, or to the working folder if it comes from a flag. `~` at its start is the
 * user's home folder. Throws ConfigError for a `~` that is no such folder.
 */
export function filePath(source: YamlSource, key: ConfigPath, written: string): string {
  const from = source.isOverridden(key) ? "" : path.dirname(source.file);
  const [, user, rest = ""] = /^~([^\\/]*)(.*)$/s.exec(written) ?? [];
  if (user === undefined) return path.resolve(from, written);
  const home = homeFolder();
  if (user === "" && home !== undefined) return path.join(home, rest);
  source.problem(
    key,
    user === ""
      ? "begins with ~, and this user has no home folder: write the whole path"
      : `begins with ~${user}, which is not read as a home folder: write the whole path, or ./~${user} for a file of that name`,
  );
  throw new ConfigError(source.problems);
}
