import { homedir } from "node:os";
import path from "node:path";

/**
 * The folder of the locks that belong to this user rather than to a project. It is in the home folder, not in `XDG_RUNTIME_DIR`: a
 * service and a terminal of the same user have the one in common, but not the other.
 */
export function userLockFolder(): string {
  return path.join(homedir(), ".touchline", "locks");
}
