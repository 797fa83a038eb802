import { closeSync, existsSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";
import { TouchlineError } from "../base/error.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { makeFolder } from "../platform/folder.ts";
import { openPrivate } from "../platform/private-file.ts";

/** Path of a file in `config/`, which exists in a clone and in the package. */
export function configFile(name: string): string {
  return fileURLToPath(new URL(`config/${name}`, packageRoot));
}

/** Whether the demo's recording is there: it is part of a clone but not of the package. */
export function hasDemoRecording(): boolean {
  return existsSync(configFile("recordings/zilusdt/manifest.json"));
}

/** Where a demo writes: in a clone its `data`, else that of the current folder. */
function dataFolder(): string {
  return path.join(isClone ? fileURLToPath(packageRoot) : process.cwd(), "data");
}

/** What `demo --keep` continues with: the key that its first run made, the venue's data and the journal. */
export function keptDemo(
  newKey: () => Uint8Array,
  folder = path.join(dataFolder(), "demo"),
): {
  readonly journal: string;
  readonly venueData: string;
  readonly key: Uint8Array;
} {
  makeFolder(folder);
  const file = path.join(folder, "key");
  if (!existsSync(file)) {
    const made = openPrivate(file, "new");
    writeSync(made, `${toHex(newKey())}\n`);
    closeSync(made);
  }
  const key = fromHex(readFileSync(file, "utf8").trim());
  if (key?.length !== 32) {
    throw new TouchlineError("KEY_INVALID", `${file} holds no key.`, {
      hint: `Delete ${folder}: the next \`demo --keep\` begins anew.`,
    });
  }
  return { journal: path.join(folder, "journal"), venueData: path.join(folder, "venue"), key };
}

const KEPT = 8;

/**
 * Creates a folder name for this demo's journal, since each demo has its own wallet and venue. The newest journals are kept for
 * inspection with `touchline journal`; older ones are deleted.
 */
export function demoJournal(nowMs: number): string {
  const parent = path.join(dataFolder(), "journal");
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
