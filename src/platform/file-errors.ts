import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";

/** The system's code of an error, such as `ENOENT`; undefined for an error without one. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}

/** Whether an error of the file system says that the file does not exist. */
export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === "ENOENT";
}

/** As `isMissing`, also where a part of the path is a file instead of a folder. */
export function isNowhere(thrown: unknown): boolean {
  return isMissing(thrown) || codeOf(thrown) === "ENOTDIR";
}

/** The error for a file that cannot be written. */
export function writeFailed(path: string, thrown: unknown): TouchlineError {
  const reason = errorText(thrown);
  return new TouchlineError("WRITE_FAILED", `Cannot write to ${path}: ${reason}.`, {
    context: { path },
    ...(codeOf(thrown) === undefined ? {} : { hint: "Is the disk full?" }),
    cause: thrown,
  });
}
