import os from "node:os";
import path from "node:path";

/** This user's home folder; undefined for a user without one, such as an id in a container that no user database has. */
export function homeFolder({
  homedir,
  userInfo,
}: Pick<typeof os, "homedir" | "userInfo"> = os): string | undefined {
  // An empty or relative HOME would make the folder depend on where the program was started.
  return [homedir, () => userInfo().homedir].map(pathOf).find((home) => home !== undefined);
}

/** A path whose `~` at the beginning is replaced by the home folder. Throws an Error with the problem for a `~` that is no such folder. */
export function expandHome(written: string): string {
  const [, user, rest = ""] = /^~([^\\/]*)(.*)$/s.exec(written) ?? [];
  if (user === undefined) return written;
  if (user !== "")
    throw new Error(
      `begins with ~${user}, which is not read as a home folder: write the whole path, or ./~${user} for a file of that name`,
    );
  const home = homeFolder();
  if (home !== undefined) return path.join(home, rest);
  throw new Error("begins with ~, and this user has no home folder: write the whole path");
}

function pathOf(ask: () => string): string | undefined {
  try {
    const home = ask();
    return path.isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The folder of the locks that belong to this user rather than to a project. It is in the home folder, not in `XDG_RUNTIME_DIR`: a
 * service and a terminal of the same user have the one in common, but not the other. Undefined without a home folder.
 */
export function userLockFolder(): string | undefined {
  const home = homeFolder();
  return home === undefined ? undefined : path.join(home, ".touchline", "locks");
}
