import { statSync } from "node:fs";
import path from "node:path";
import { isPluginPath } from "../config/plugin-path.ts";
import { usageError } from "./exit-code.ts";
import { asPath, flag, text } from "./option.ts";

/** Option of commands that take a bot's YAML. */
export const strategyOption = asPath(
  text(
    "--strategy <file>",
    "run this strategy with its default parameters instead of the config's first one",
  ),
);

/** The option as overrides. `--set` is applied after them and may change the parameters. Throws `USAGE` for a file that does not exist. */
export function strategyOverrides(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  if (isPluginPath(file) && statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw usageError(
      `--strategy ${file} is not a file.`,
      `The path is relative to ${process.cwd()}.`,
    );
  }
  const base = path.basename(file).replace(/\.[cm]?[jt]s$/, "");
  const name = base.replace(/[^\w.-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "strategy";
  return [
    `strategies.0.name=${JSON.stringify(name)}`,
    `strategies.0.plugin=${JSON.stringify(file)}`,
    "strategies.0.params={}",
  ];
}

/** Takes changed parameters and changed code while the bot runs. */
export const watchOption = flag(
  "--watch",
  "take parameters that change in the file, as `touchline reload` does, and start anew with a changed file of a strategy, keeping its orders",
);
