import { TouchlineError } from "../base/error.ts";
import type { RecordingIo } from "./recording-io.ts";

export interface ExportedFile {
  readonly path: string;
  readonly rows: number;
}

/** Path of a new file of an export. Throws TouchlineError `FILE_EXISTS`. */
export function newFilePath({ store }: RecordingIo, folder: string, name: string): string {
  const path = `${folder}/${name}`;
  if (store.stateOf(path) === undefined) return path;
  throw new TouchlineError("FILE_EXISTS", `${path} already exists.`, {
    hint: "Name another folder, or move that file away.",
  });
}

/** A market's symbol as part of a file name. */
export function plainSymbol(symbol: string): string {
  return symbol.replaceAll(/[^\w.-]/g, "-");
}
