import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Others may read a folder, and the umask may refuse that too; but they cannot put files into it. */
const OTHERS_READ_FOLDER = 0o755;

/**
 * Makes a folder and those above it that are missing, one by one: Node's own recursive form never returns where the system refuses
 * new folders as missing, under `/proc` for example. A `mode` that is given holds whatever the umask. Throws the system's error.
 */
export function makeFolder(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode ?? OTHERS_READ_FOLDER);
    // A umask may have taken something away from the owner, too.
    if (mode !== undefined) chmodSync(path, mode);
  } catch (thrown) {
    // Another process may have made it meanwhile.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw thrown;
  }
}

/** Makes the names of new files in a folder durable. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Not supported everywhere (Windows); the data itself is not affected.
  }
}
