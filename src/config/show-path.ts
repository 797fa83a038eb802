import path from "node:path";
import { fileURLToPath } from "node:url";

/** A file (path or file URL) as people read it: relative when it lies in the working folder. */
export function showPath(file: string): string {
  const plain = file.startsWith("file:") ? fileURLToPath(file) : file;
  const relative = path.relative(process.cwd(), plain);
  return relative === "" || relative.startsWith("..") ? plain : relative;
}
