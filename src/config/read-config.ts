import { readFileSync } from "node:fs";
import { type Environment, parseYaml, type YamlSource } from "./parse-yaml.ts";
import { ConfigError } from "./problem.ts";

export interface ConfigOptions {
  /** `path.to.key=value` of every `--set`. */
  readonly overrides?: readonly string[];
  /** Default: the process's environment. */
  readonly env?: Environment;
}

/** Reads a YAML file. Throws ConfigError when it cannot be read; all other problems are collected in `problems`. */
export function readConfig(file: string, options: ConfigOptions = {}): YamlSource {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    const message =
      code === "ENOENT"
        ? "the file does not exist"
        : code === "EISDIR"
          ? "is a folder, not a YAML file"
          : `cannot be read (${String(code)})`;
    throw new ConfigError([{ file, line: undefined, column: undefined, key: "", message }]);
  }
  const env = options.env ?? process.env;
  return parseYaml({ file, text, env, overrides: options.overrides ?? [] });
}
