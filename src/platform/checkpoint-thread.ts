import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import type { CheckpointTask, CheckpointThreadData } from "./checkpoints.ts";

/** The thread that folds a database's log into its file; see `Checkpoints`. */

/** Pages in the log from which on it begins anew, 64 MB: until then a commit never waits. */
const RESTART_PAGES = 16_000;
/** For a commit to end, before the log begins anew. */
const COMMIT_WAIT_MS = 1000;

assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const { path, closed } = workerData as CheckpointThreadData;
const file = new DatabaseSync(path, { timeout: COMMIT_WAIT_MS });
file.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
const passive = file.prepare("PRAGMA wal_checkpoint(PASSIVE)");
const restart = file.prepare("PRAGMA wal_checkpoint(RESTART)");

port.on("message", (task: CheckpointTask) => {
  if (task === "fold") {
    fold();
    port.postMessage("folded");
    return;
  }
  file.close();
  const flag = new Int32Array(closed);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  port.close();
});

/** Commits go on meanwhile. A disk that is full is told to the next commit that finds no room; until then the log has it all. */
function fold(): void {
  try {
    const { log } = passive.get() ?? {};
    if (pages(log) < RESTART_PAGES) return;
    // What was committed meanwhile is little, so that the last step, which commits have to wait for, is short.
    passive.get();
    restart.get();
  } catch {
    // Tried again with the next ones.
  }
}

function pages(value: SQLOutputValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
