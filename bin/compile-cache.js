// Where Node keeps compiled code. Its own choice is a folder that any user of this machine may make first, with code of theirs in it.
// Plain JavaScript, no syntax newer than Node 20.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** The environment for a Node that we start: its cache is in this user's home, or it has none. A choice of the user's own stays. */
export function withCompileCache(env) {
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return env;
  const folder = compileCacheFolder();
  return folder === undefined
    ? { ...env, NODE_DISABLE_COMPILE_CACHE: "1" }
    : { ...env, NODE_COMPILE_CACHE: folder };
}

/** Undefined where somebody other than this user and root could change the folder, or it cannot be made. */
function compileCacheFolder() {
  try {
    // An empty or relative HOME would mean a folder below the current one.
    if (!path.isAbsolute(os.homedir())) return undefined;
    let folder = fs.realpathSync(os.homedir());
    // Windows has neither users' ids nor modes; its homes are private.
    const uid = process.getuid?.();
    for (const name of [".touchline", "compile-cache"]) {
      if (uid !== undefined && !isSafe(folder, uid)) return undefined;
      folder = path.join(folder, name);
      if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
    }
    const state = fs.lstatSync(folder);
    const isOwn = state.uid === uid && state.isDirectory() && (state.mode & 0o077) === 0;
    return uid === undefined || (isOwn && isSafe(folder, uid)) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only this user and root can replace a path: where others may write, only a sticky bit and the owner of what is there help. */
function isSafe(place, uid) {
  const { uid: owner, mode } = fs.lstatSync(place);
  if (owner !== uid && owner !== 0) return false;
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) return false;
  const parent = path.dirname(place);
  return parent === place || isSafe(parent, uid);
}
