import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { TouchlineError } from "../base/error.ts";
import { PART_ENDING } from "../ports/background-files.ts";
import type { ReadFile, Replacement } from "../ports/store.ts";
import { makeFolder, syncFolder } from "./folder.ts";
import { isMissing, writeFailed } from "./file-errors.ts";
import { openPrivate, OWNER_ONLY_FOLDER } from "./private-file.ts";

/** A pipe without a writer would hold back the opening for ever. Windows has neither. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The whole content of a file of at most `most` bytes. Throws the system's error, and TouchlineError `READ_FAILED`. */
export function readWhole(path: string, most = Number.POSITIVE_INFINITY): Buffer {
  const { descriptor, size } = openPlain(path);
  try {
    if (size > most) throw refused(path, "is too long");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The text of a file, as `readWhole` reads it. A byte order mark names the encoding and is left out; without one it is UTF-8. */
export function readText(path: string, most?: number): string {
  const bytes = readWhole(path, most);
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? "utf-16le"
      : first === 0xfe && second === 0xff
        ? "utf-16be"
        : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Throws the system's error, and TouchlineError `READ_FAILED` for anything that is not a file. */
function openPlain(path: string): { readonly descriptor: number; readonly size: number } {
  const descriptor = openSync(path, READ);
  const state = fstatSync(descriptor);
  if (state.isFile()) return { descriptor, size: state.size };
  closeSync(descriptor);
  throw refused(path, "is not a plain file");
}

function refused(path: string, reason: string): TouchlineError {
  return new TouchlineError("READ_FAILED", `${path} ${reason}.`, { context: { path, reason } });
}

/** Undefined when the file does not exist. Throws TouchlineError `READ_FAILED` for anything that is not a file. */
export function openForReading(path: string): ReadFile | undefined {
  let opened: ReturnType<typeof openPlain>;
  try {
    opened = openPlain(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
  const { descriptor, size } = opened;
  let isOpen = true;
  return {
    size,

    read(into, at) {
      let done = 0;
      while (done < into.length) {
        const count = readSync(descriptor, into, done, into.length - done, at + done);
        if (count === 0) throw new TouchlineError("READ_FAILED", `${path} ends too early.`);
        done += count;
      }
    },

    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Written beside the file under a name of its own, so that any number of processes may write at once; the last one stays. */
export class DiskReplacement implements Replacement {
  readonly #path: string;
  readonly #part: string;
  readonly #descriptor: number;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    this.#part = `${path}.${randomUUID()}${PART_ENDING}`;
    this.#descriptor = this.#tried(() => {
      makeFolder(dirname(path), OWNER_ONLY_FOLDER);
      const earlier = lstatSync(path, { throwIfNoEntry: false });
      if (earlier?.isFile() === false) throw new Error("it is not a plain file");
      const descriptor = openPrivate(this.#part, "new");
      if (earlier !== undefined) fchmodSync(descriptor, earlier.mode);
      return descriptor;
    });
  }

  append(bytes: Uint8Array): void {
    this.#tried(() => {
      let written = 0;
      while (written < bytes.length) {
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written);
      }
    });
  }

  commit(): void {
    this.#tried(() => {
      fsyncSync(this.#descriptor);
      this.#close();
      try {
        renameSync(this.#part, this.#path);
      } catch (thrown) {
        rmSync(this.#part, { force: true });
        throw thrown;
      }
    });
    syncFolder(dirname(this.#path));
  }

  discard(): void {
    if (!this.#isOpen) return;
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }

  #tried<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw writeFailed(this.#path, thrown);
    }
  }
}
