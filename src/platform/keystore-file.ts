import { closeSync, existsSync, fsync, readdirSync, rmSync, writeFile } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { makeFolder } from "./folder.ts";
import { codeOf, isMissing, writeFailed } from "./file-errors.ts";
import { openPrivate, OWNER_ONLY_FOLDER } from "./private-file.ts";
import { readText } from "./whole-file.ts";

/** No keystore or password is longer. */
const MAX_BYTES = 1 << 16;

const syncAsync = promisify(fsync);
const writeFileAsync = promisify(writeFile);

/** Reads a small text file. Throws TouchlineError with `code` when it cannot be read. */
export function readSecretFile(file: string, code: string, what: string): string {
  try {
    return readText(file, MAX_BYTES);
  } catch (error) {
    throw new TouchlineError(code, unreadableText(file, what, error), { context: { file } });
  }
}

/** The text of a keystore. Throws TouchlineError `KEYSTORE_MISSING`. */
export function readKeystore(file: string): string {
  return readSecretFile(file, "KEYSTORE_MISSING", "keystore");
}

function unreadableText(file: string, what: string, error: unknown): string {
  if (isMissing(error)) return `there is no ${what} ${file}`;
  if (error instanceof TouchlineError) return `the ${what} ${file} ${error.context["reason"]}`;
  const reason = errorText(error);
  return `the ${what} ${file} cannot be read: ${reason}`;
}

/**
 * Writes a new file that only its owner may read, and resolves once it is on disk. A running bot goes on meanwhile. Never overwrites a
 * file: rejects with `FILE_EXISTS`, and with `WRITE_FAILED` when the disk does not take it.
 */
export async function writeSecretFile(file: string, text: string): Promise<void> {
  makeFolder(path.dirname(file), OWNER_ONLY_FOLDER);
  let descriptor: number;
  try {
    descriptor = openPrivate(file, "new");
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new TouchlineError("FILE_EXISTS", `${file} already exists.`, {
      context: { file },
      hint: "A keystore is never overwritten. Choose another name.",
    });
  }
  try {
    await writeFileAsync(descriptor, text);
    await syncAsync(descriptor);
  } catch (error) {
    rmSync(file, { force: true });
    throw writeFailed(file, error);
  } finally {
    closeSync(descriptor);
  }
}

/** A file that cannot be removed stays. */
export function removeSecretFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder may have become read-only meanwhile.
  }
}

export function isSecretFile(file: string): boolean {
  return existsSync(file);
}

/** Keystore files of a folder, sorted; empty when the folder does not exist. */
export function listSecretFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => path.join(folder, name));
}
