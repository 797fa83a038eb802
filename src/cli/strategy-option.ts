import path from "node:path";
import { text } from "./option.ts";

/** For commands that take a bot's YAML. */
export const strategyOption = text(
  "--strategy <file>",
  "run this strategy, with its default parameters, in place of the first one of the config",
);

/** The same as overrides; `--set` may still change the parameters after them. */
export function strategyOverrides(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  const base = path.basename(file).replace(/\.[cm]?[jt]s$/, "");
  const name = base.replace(/[^\w.-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "strategy";
  return [
    `strategies.0.name=${JSON.stringify(name)}`,
    `strategies.0.plugin=${JSON.stringify(file)}`,
    "strategies.0.params={}",
  ];
}
