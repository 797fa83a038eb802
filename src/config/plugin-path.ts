import path from "node:path";

/** Whether the plugin is a file rather than a built-in or a package. */
export function isPluginPath(plugin: string): boolean {
  return (
    /^(?:\.{0,2}|~)[\\/]/.test(plugin) || /\.[cm]?[jt]s$/.test(plugin) || path.isAbsolute(plugin)
  );
}
