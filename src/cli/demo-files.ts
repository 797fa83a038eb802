import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";

/** A file of `config/`, which a clone and the package both have. */
export function configFile(name: string): string {
  return fileURLToPath(new URL(`config/${name}`, packageRoot));
}

/** The recorded market that the demo plays; the package has none. */
export function hasDemoRecording(): boolean {
  return existsSync(configFile("recordings/zilusdt/manifest.json"));
}

const KEPT = 8;

/**
 * A new folder for this demo's journal: every demo has a wallet and a venue of its own. The last few are kept, to be looked at
 * with `touchline journal`.
 */
export function demoJournal(nowMs: number): string {
  const root = isClone ? fileURLToPath(packageRoot) : process.cwd();
  const parent = path.join(root, "data", "journal");
  mkdirSync(parent, { recursive: true });
  const old = readdirSync(parent)
    .filter((name) => /^demo-\d{8}T\d{6}Z-\d+$/.test(name))
    .sort();
  for (const name of old.slice(0, Math.max(0, old.length - KEPT + 1))) {
    rmSync(path.join(parent, name), { recursive: true, force: true });
  }
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  return path.join(parent, `demo-${stamp}-${process.pid}`);
}
