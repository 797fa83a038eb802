import { spawn } from "node:child_process";
import { TouchlineError } from "../base/error.ts";
import { isPluginPath } from "../config/plugin-path.ts";
import { watchFile } from "../platform/watch-file.ts";
import type { LoadedConfig } from "./retune.ts";

/** A process keeps the modules that it has loaded, so changed code of a strategy needs a process of its own, to be checked and to run. */

const CHECK_MS = 30_000;

/** Calls `changed` when a strategy's own file has, and the configuration is valid with it; `refused` says what is wrong with it. */
export function watchStrategies(
  { config, options }: LoadedConfig,
  tell: { changed(file: string): void; refused(error: TouchlineError): void },
): () => void {
  const files = new Set(config.strategies.map(({ plugin }) => plugin).filter(isPluginPath));
  const look = async (file: string): Promise<void> => {
    const text = await mistakes(config.file, options.overrides ?? []);
    if (text === undefined) tell.changed(file);
    else tell.refused(new TouchlineError("CONFIG_INVALID", `Nothing was changed. ${text}`));
  };
  const watches = [...files].map((file) => watchFile(file, () => void look(file)));
  return () => {
    for (const stop of watches) stop();
  };
}

/** What `touchline check` says against the configuration, with file and line; undefined when it is valid. */
function mistakes(config: string, overrides: readonly string[]): Promise<string | undefined> {
  const settings = overrides.flatMap((each) => ["--set", each]);
  const child = spawn(process.execPath, sameProgram(["check", config, ...settings]), {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: CHECK_MS,
  });
  let text = "";
  child.stderr.on("data", (part) => {
    text += String(part);
  });
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : text.trim() || "check failed"));
  });
}

/** Whether this process can be replaced by a new one. */
export const canStartAnew = typeof process.execve === "function" && process.platform !== "win32";

/** Replaces this process by a new one with the same command line, which keeps its id. `leftMs`: what is left of `--duration`. */
export async function startAnew(leftMs: number | undefined): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write("", resolve));
  }
  const args = process.argv.slice(2);
  if (leftMs !== undefined) args.push("--duration", `${Math.max(1, Math.round(leftMs))}ms`);
  process.execve?.(process.execPath, [process.execPath, ...sameProgram(args)], process.env);
}

function sameProgram(args: readonly string[]): string[] {
  return [...process.execArgv, process.argv[1] ?? "", ...args];
}
