import path from "node:path";
import { fileURLToPath } from "node:url";

/** A path or file URL for display: relative if it is inside the working folder. */
export function showPath(file: string): string {
  const plain = file.startsWith("file:") ? fileURLToPath(file) : file;
  const relative = path.relative(process.cwd(), plain);
  return relative === "" || relative.startsWith("..") ? plain : relative;
}
