import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";
import { makeFolder } from "../platform/folder.ts";

/** Path of a file in `config/`, which exists in a clone and in the package. */
export function configFile(name: string): string {
  return fileURLToPath(new URL(`config/${name}`, packageRoot));
}

/** Whether the demo's recording is there: it is part of a clone but not of the package. */
export function hasDemoRecording(): boolean {
  return existsSync(configFile("recordings/zilusdt/manifest.json"));
}

const KEPT = 8;

/**
 * Creates a folder name for this demo's journal, since each demo has its own wallet and venue. The newest journals are kept for
 * inspection with `touchline journal`; older ones are deleted.
 */
export function demoJournal(nowMs: number): string {
  const root = isClone ? fileURLToPath(packageRoot) : process.cwd();
  const parent = path.join(root, "data", "journal");
  makeFolder(parent);
  const old = readdirSync(parent)
    .filter((name) => /^demo-\d{8}T\d{6}Z-\d+$/.test(name))
    .sort();
  for (const name of old.slice(0, Math.max(0, old.length - KEPT + 1))) {
    rmSync(path.join(parent, name), { recursive: true, force: true });
  }
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  return path.join(parent, `demo-${stamp}-${process.pid}`);
}
