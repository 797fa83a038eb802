import { readFileSync } from "node:fs";
import { type Environment, parseYaml, type YamlSource } from "./parse-yaml.ts";
import { ConfigError } from "./problem.ts";

export interface ConfigOptions {
  /** `path.to.key=value` of every `--set`. */
  readonly overrides?: readonly string[];
  /** Default: this process's. */
  readonly env?: Environment;
}

/** Reads a YAML file; throws ConfigError when there is none. Everything else that is wrong stands in its `problems`. */
export function readConfig(file: string, options: ConfigOptions = {}): YamlSource {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    const message =
      code === "ENOENT"
        ? "there is no such file"
        : code === "EISDIR"
          ? "is a folder, a YAML file is needed"
          : `cannot be read (${String(code)})`;
    throw new ConfigError([{ file, line: undefined, column: undefined, key: "", message }]);
  }
  const env = options.env ?? process.env;
  return parseYaml({ file, text, env, overrides: options.overrides ?? [] });
}
