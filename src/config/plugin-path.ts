import path from "node:path";
import { filePath } from "./file-path.ts";
import type { YamlSource } from "./parse-yaml.ts";

/** Whether the plugin is a file rather than a built-in or a package. */
export function isPluginPath(plugin: string): boolean {
  return (
    /^(?:\.{0,2}|~)[\\/]/.test(plugin) || /\.[cm]?[jt]s$/.test(plugin) || path.isAbsolute(plugin)
  );
}

export interface PluginPlace {
  /** As written in the YAML: the name of a built-in, a path to a `.ts` or `.js` file, or an npm package. */
  readonly plugin: string;
  /** The YAML file, relative to which paths and packages are resolved. */
  readonly configFile: string;
}

/** Where the plugin that a strategy of the YAML names is loaded from. */
export function pluginPlace(source: YamlSource, index: number, plugin: string): PluginPlace {
  const key = ["strategies", index, "plugin"];
  return {
    plugin: isPluginPath(plugin) ? filePath(source, key, plugin) : plugin,
    configFile: source.isOverridden(key) ? path.resolve("-") : source.file,
  };
}
