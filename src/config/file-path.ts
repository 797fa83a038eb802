import path from "node:path";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";

/** Resolves a path: relative to the file that contains it, or to the working folder if it comes from a flag. */
export function filePath(source: YamlSource, key: ConfigPath, written: string): string {
  return source.isOverridden(key)
    ? path.resolve(written)
    : path.resolve(path.dirname(source.file), written);
}
