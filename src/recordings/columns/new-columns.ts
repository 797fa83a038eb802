import { TouchlineError } from "../../base/error.ts";
import type { ReadFile, Replacement, Store } from "../../ports/store.ts";

/** A file of columns that is being written. */
export interface NewColumns {
  /** Throws TouchlineError `WRITE_FAILED`. */
  append(bytes: Uint8Array): void;
  /** Ends the file and opens it. Throws TouchlineError `WRITE_FAILED` or `READ_FAILED`. */
  finish(): ReadFile;
  /** Leaves nothing behind; does nothing after `finish`. */
  discard(): void;
}

/** On disk. It takes its name in one step, so that readers and other writers see a whole file or none. */
export class ColumnsOnDisk implements NewColumns {
  readonly #store: Store;
  readonly #path: string;
  readonly #replacement: Replacement;

  constructor(store: Store, path: string) {
    this.#store = store;
    this.#path = path;
    this.#replacement = store.openReplacement(path);
  }

  append(bytes: Uint8Array): void {
    this.#replacement.append(bytes);
  }

  finish(): ReadFile {
    this.#replacement.commit();
    const file = this.#store.openRead(this.#path);
    if (file !== undefined) return file;
    throw new TouchlineError("READ_FAILED", `${this.#path} was removed while it was opened.`);
  }

  discard(): void {
    this.#replacement.discard();
  }
}

/** In memory. */
export class ColumnsInMemory implements NewColumns {
  readonly #parts: Uint8Array[] = [];

  append(bytes: Uint8Array): void {
    this.#parts.push(bytes.slice());
  }

  finish(): ReadFile {
    const whole = sharedBytes(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return fileInMemory(whole);
  }

  discard(): void {
    this.#parts.length = 0;
  }
}

/** Threads can read these bytes without a copy. */
function sharedBytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

/** A file of columns in memory, which may be shared between threads. */
export function fileInMemory(bytes: Uint8Array): ReadFile {
  return {
    size: bytes.length,
    read: (into, at) => into.set(bytes.subarray(at, at + into.length)),
    close: () => undefined,
  };
}
