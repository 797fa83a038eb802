import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { TouchlineError } from "../base/error.ts";
import { CHECKED_FILES, isOutdated, textsOf } from "../config/checked-files.ts";
import { isPluginPath } from "../config/plugin-path.ts";
import { watchFile } from "../platform/watch-file.ts";
import type { LoadedConfig } from "./retune.ts";

/** A process keeps the modules that it has loaded, so changed code of a strategy needs a process of its own, to be checked and to run. */

const CHECK_MS = 30_000;

/** The texts of the configuration and of the strategies' own files that have been found valid, by file. */
export type CheckedTexts = ReturnType<typeof textsOf>;

/** Calls `changed` when a strategy's own file has, and the configuration is valid with it; `refused` says what is wrong with it. */
export function watchStrategies(
  { config, options }: LoadedConfig,
  tell: {
    changed(file: string, checked: CheckedTexts): void;
    refused(error: TouchlineError): void;
  },
): () => void {
  const files = new Set(config.strategies.map(({ plugin }) => plugin).filter(isPluginPath));
  const look = async (file: string): Promise<void> => {
    const checked = textsOf([config.file, ...files]);
    const text = await mistakes(config.file, options.overrides ?? []);
    if (!isDeepStrictEqual(checked, textsOf([config.file, ...files]))) return look(file);
    if (text === undefined) tell.changed(file, checked);
    else tell.refused(new TouchlineError("CONFIG_INVALID", `Nothing was changed. ${text}`));
  };
  const watches = [...files].map((file) => watchLoaded(file, () => void look(file)));
  return () => {
    for (const stop of watches) stop();
  };
}

/** As `watchFile`; also when the file has changed while this process took the place of another. */
export function watchLoaded(file: string, changed: () => void): () => void {
  const stop = watchFile(file, changed);
  if (isOutdated(file)) changed();
  return stop;
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

/**
 * Replaces this process by a new one with the same command line, which keeps its id, and begins with the checked texts: a bad edit since
 * then must not keep it from its orders. `leftMs`: what is left of `--duration`.
 */
export async function startAnew(checked: CheckedTexts, leftMs: number | undefined): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write("", resolve));
  }
  const args = process.argv.slice(2);
  if (leftMs !== undefined) args.push("--duration", `${Math.max(1, Math.round(leftMs))}ms`);
  const texts = path.join(mkdtempSync(path.join(tmpdir(), "touchline-")), "checked.json");
  writeFileSync(texts, JSON.stringify(checked), { mode: 0o600 });
  const env = { ...process.env, [CHECKED_FILES]: texts };
  process.execve?.(process.execPath, [process.execPath, ...sameProgram(args)], env);
}

function sameProgram(args: readonly string[]): string[] {
  return [...process.execArgv, process.argv[1] ?? "", ...args];
}
