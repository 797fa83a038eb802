import { unwatchFile, watchFile as watchStat } from "node:fs";

/** Looks this often, since notices of the system get lost for files that an editor replaces. */
const LOOK_MS = 500;

/** Calls back when the file has changed, until the returned function is called. */
export function watchFile(file: string, changed: () => void): () => void {
  const look = watchStat(file, { interval: LOOK_MS, persistent: false }, (now, before) => {
    if (now.mtimeMs !== before.mtimeMs && now.mtimeMs !== 0) changed();
  });
  return () => {
    look.unref();
    unwatchFile(file);
  };
}
