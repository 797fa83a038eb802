import { TouchlineError } from "../base/error.ts";
import type { Replacement } from "../ports/store.ts";
import type { RecordingIo } from "./recording-io.ts";
import type { Steps } from "./steps.ts";

export interface ExportedFile {
  readonly path: string;
  readonly rows: number;
}

/** A file of an export that is being written. */
export interface NewExportFile {
  readonly path: string;
  /** Throws TouchlineError `WRITE_FAILED`. */
  append(bytes: Uint8Array): void;
}

/** The files of an export. They take their names at its end, so that one that fails or is killed leaves none that looks whole. */
export class ExportFiles {
  readonly #io: RecordingIo;
  readonly #folder: string;
  /** By their paths in small letters. */
  readonly #files = new Map<string, Replacement>();

  constructor(io: RecordingIo, folder: string) {
    this.#io = io;
    this.#folder = folder;
  }

  /** Throws TouchlineError `FILE_EXISTS`, also for a name that was opened before. */
  open(name: string): NewExportFile {
    const path = `${this.#folder}/${name}`;
    // Some disks know no capital letters: there the second file would take the first one's place.
    const key = path.toLowerCase();
    if (this.#files.has(key)) {
      throw new TouchlineError("FILE_EXISTS", `Two markets would be written to ${path}.`, {
        hint: "Export parts of the recording: `touchline recording cut … --market` makes them.",
      });
    }
    if (this.#io.store.stateOf(path) !== undefined) {
      throw new TouchlineError("FILE_EXISTS", `${path} already exists.`, {
        hint: "Name another folder, or move that file away.",
      });
    }
    const file = this.#io.store.openReplacement(path);
    this.#files.set(key, file);
    return { path, append: (bytes) => file.append(bytes) };
  }

  /** Gives all files their names. Throws TouchlineError `WRITE_FAILED`. */
  commit(): void {
    for (const file of this.#files.values()) file.commit();
  }

  /** Removes what has no name yet. */
  discard(): void {
    for (const file of this.#files.values()) file.discard();
  }
}

/** Writes an export into a folder. Its files have their names when `write` has ended, and are gone when it throws. */
export function* exportInto<Result>(
  io: RecordingIo,
  folder: string,
  write: (files: ExportFiles) => Steps<Result>,
): Steps<Result> {
  const files = new ExportFiles(io, folder);
  try {
    const result = yield* write(files);
    files.commit();
    return result;
  } finally {
    files.discard();
  }
}

/** Names that Windows takes for a device, whatever ends them. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** A market's symbol as part of a file name, or as all of it but the ending. */
export function plainSymbol(symbol: string): string {
  return symbol.replaceAll(/[^\w.-]/g, "-").replace(device, "$&-");
}
