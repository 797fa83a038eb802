import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { TouchlineError } from "../base/error.ts";

/** Only its owner may read a keystore. */
const OWNER_ONLY = 0o600;
/** A keystore or a password is shorter. */
const MAX_BYTES = 1 << 16;

/** A small text file; rejects what cannot be read with `code`. */
export function readSecretFile(file: string, code: string, what: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error("it is too long");
    return readFileSync(file, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && Reflect.get(error, "code") === "ENOENT";
    const reason = error instanceof Error ? error.message : String(error);
    throw new TouchlineError(
      code,
      isMissing ? `there is no ${what} ${file}` : `the ${what} ${file} cannot be read: ${reason}`,
      { context: { file } },
    );
  }
}

/** True when others than its owner may read the file. */
export function isReadableByOthers(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
}

/** Makes a file that only its owner may read, on disk when it returns; never writes over one. Throws `FILE_EXISTS`. */
export function writeSecretFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", OWNER_ONLY);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "EEXIST") throw error;
    throw new TouchlineError("FILE_EXISTS", `${file} is there already.`, {
      context: { file },
      hint: "A keystore is never written over. Take another name.",
    });
  }
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Is there a file of that name? */
export function isSecretFile(file: string): boolean {
  return existsSync(file);
}

/** Keystores in a folder, sorted; empty when there is no such folder. */
export function listSecretFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => path.join(folder, name));
}
