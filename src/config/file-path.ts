import path from "node:path";
import { errorText } from "../base/error-text.ts";
import { expandHome } from "../platform/user-folder.ts";
import type { YamlSource } from "./parse-yaml.ts";
import { ConfigError, type ConfigPath } from "./problem.ts";

/**
 * Resolves a path: relative to the file that contains it, or to the working folder if it comes from a flag. `~` at its start is the
 * user's home folder. Throws ConfigError for a `~` that is no such folder.
 */
export function filePath(source: YamlSource, key: ConfigPath, written: string): string {
  const from = source.isOverridden(key) ? "" : path.dirname(source.file);
  let whole: string;
  try {
    whole = expandHome(written);
  } catch (error) {
    source.problem(key, errorText(error));
    throw new ConfigError(source.problems);
  }
  return path.resolve(from, whole);
}
