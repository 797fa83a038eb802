import { parseDelay } from "./delay-setting.ts";
import { filePath } from "./file-path.ts";
import { ways } from "./latency-trace.ts";
import { isPluginPath } from "./plugin-path.ts";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";

/** Absolute paths of the files that a replay of a bot's config reads: its own plugins, without what they import, and latency traces. */
export function replayFiles(source: YamlSource): readonly string[] {
  const files: string[] = [];
  const add = (key: ConfigPath, file: string): void => {
    files.push(filePath(source, key, file));
  };
  const strategies = source.at(["strategies"]);
  for (const index of Array.isArray(strategies) ? strategies.keys() : []) {
    const key = ["strategies", index, "plugin"];
    const plugin = source.at(key);
    if (typeof plugin === "string" && isPluginPath(plugin)) add(key, plugin);
  }
  for (const way of ways) {
    const key = ["models", "latency", way];
    const written = source.at(key);
    const delay = typeof written === "string" ? parseDelay(written) : undefined;
    if (delay?.type === "trace") add(key, delay.file);
  }
  return files;
}
