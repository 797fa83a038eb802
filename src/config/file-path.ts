import path from "node:path";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";

/** A path in a file is relative to that file; one from a flag to the working folder. */
export function filePath(source: YamlSource, key: ConfigPath, written: string): string {
  return source.isOverridden(key)
    ? path.resolve(written)
    : path.resolve(path.dirname(source.file), written);
}
