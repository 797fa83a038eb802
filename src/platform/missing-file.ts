/** Whether an error of the file system says that the file does not exist. */
export function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

/** Whether an error of the file system says that a part of the path is a file, not a folder. */
export function isThroughFile(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOTDIR";
}
