import { TouchlineError } from "../base/error.ts";

/** What the system's error codes mean for a path that a user gave, and what to do. */
const meanings: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EACCES: ["permission denied", "Change its permissions, or choose another path."],
  EPERM: ["permission denied", "Change its permissions, or choose another path."],
  EROFS: ["the file system is read-only", "Choose another path."],
  ENOTDIR: ["a part of the path is a file, not a folder", "Choose another path."],
  EEXIST: ["a file of this name is in the way", "Choose another path, or move that file away."],
  EISDIR: ["it is a folder, not a file", "Choose another path."],
  ENOENT: ["there is no such file or folder, and none can be made there", "Choose another path."],
  ENAMETOOLONG: ["the path is too long", "Choose another path."],
  ENOSPC: ["the disk is full", "Free some space, or choose another path."],
};

/** The error to show when the system refused a file operation; undefined for any other error, which is a bug. */
export function fileError(error: unknown): TouchlineError | undefined {
  if (!(error instanceof Error && "path" in error && "code" in error)) return undefined;
  const { path, code } = error;
  const meaning = typeof code === "string" ? meanings[code] : undefined;
  if (meaning === undefined || typeof path !== "string") return undefined;
  const [what, hint] = meaning;
  return new TouchlineError("FILE_REFUSED", `Cannot use ${path}: ${what}.`, {
    context: { path, reason: what },
    hint,
    cause: error,
  });
}
