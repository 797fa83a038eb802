import { TouchlineError } from "../base/error.ts";
import { readText } from "../platform/whole-file.ts";
import { takeChecked } from "./checked-files.ts";
import { type Environment, parseYaml, type YamlSource } from "./parse-yaml.ts";
import { ConfigError } from "./problem.ts";

/** Written by hand, a configuration has some kilobytes. */
const MAX_BYTES = 1 << 24;

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
    text = takeChecked(file) ?? readText(file, MAX_BYTES);
  } catch (error) {
    const message = unreadableText(error);
    throw new ConfigError([{ file, line: undefined, column: undefined, key: "", message }]);
  }
  if (/\.[cm]?[jt]s$/.test(file)) {
    const message = `is code and no YAML: \`touchline check --strategy ${file}\` checks a strategy`;
    throw new ConfigError([{ file, line: undefined, column: undefined, key: "", message }]);
  }
  const env = options.env ?? process.env;
  return parseYaml({ file, text, env, overrides: options.overrides ?? [] });
}

function unreadableText(error: unknown): string {
  if (error instanceof TouchlineError) return String(error.context["reason"]);
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return code === "ENOENT" ? "the file does not exist" : `cannot be read (${String(code)})`;
}
