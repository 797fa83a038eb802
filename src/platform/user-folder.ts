import { homedir, userInfo } from "node:os";
import path from "node:path";

/**
 * The folder of the locks that belong to this user rather than to a project. It is in the home folder, not in `XDG_RUNTIME_DIR`: a
 * service and a terminal of the same user have the one in common, but not the other.
 */
export function userLockFolder(): string {
  // An empty or relative HOME would make the folder depend on where the bot was started.
  const home = path.isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  return path.join(home, ".touchline", "locks");
}
