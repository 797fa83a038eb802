import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BackgroundFiles, type FileDetails, PART_ENDING } from "../ports/background-files.ts";
import { OWNER_ONLY, writeFlags } from "./private-file.ts";
import { isMissing } from "./file-errors.ts";

/** The BackgroundFiles port on the local file system. */
export const backgroundFiles: BackgroundFiles = {
  async details(folder) {
    const names = await readdir(folder).catch(unlessMissing);
    const found: FileDetails[] = [];
    for (const name of names?.sort() ?? []) {
      const details = await stat(join(folder, name)).catch(unlessMissing);
      if (details?.isFile() !== true) continue;
      found.push({ name, bytes: details.size, modifiedMs: details.mtimeMs });
    }
    return found;
  },

  read: (path) => readFile(path).catch(unlessMissing),

  async write(path, bytes, modifiedMs) {
    const part = `${path}${PART_ENDING}`;
    try {
      await writeDurably(part, bytes, modifiedMs);
      await rename(part, path);
    } catch (thrown) {
      // On a full disk it would take the journal's last space.
      await rm(part, { force: true }).catch(() => undefined);
      throw thrown;
    }
    await syncFolder(dirname(path));
  },

  remove: (path) => rm(path, { force: true }),
};

async function writeDurably(path: string, bytes: Uint8Array, modifiedMs: number): Promise<void> {
  // A file that is already there is that of a killed process or another user: its mode may be wrong, or it is a hard link.
  await rm(path, { force: true });
  const file = await open(path, writeFlags("new"), OWNER_ONLY);
  try {
    // A umask may have taken something away from the owner, too. A file system may have no modes.
    await file.chmod(OWNER_ONLY).catch(() => undefined);
    await file.writeFile(bytes);
    await file.utimes(modifiedMs / 1000, modifiedMs / 1000);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unlessMissing(thrown: unknown): undefined {
  if (!isMissing(thrown)) throw thrown;
}

/** Makes a new file's name durable. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const file = await open(folder, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch {
    // Not supported everywhere (Windows); the data itself is not affected.
  }
}
