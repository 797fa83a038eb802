import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import type { CheckpointTask, CheckpointThreadData } from "./checkpoints.ts";

/** Worker thread that checkpoints a database's write-ahead log; see `Checkpoints`. */

/** Size of the log, in pages (64 MB), at which it is restarted. Below it a commit never waits. */
const RESTART_PAGES = 16_000;
/** How long to wait for a running commit before the log is restarted. */
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

/** Commits continue meanwhile. A full disk is reported by the next commit that needs space; until then the log holds all data. */
function fold(): void {
  try {
    const { log } = passive.get() ?? {};
    if (pages(log) < RESTART_PAGES) return;
    // A second passive pass leaves little to do, so that the restart, which blocks commits, is short.
    passive.get();
    restart.get();
  } catch {
    // Tried again at the next checkpoint.
  }
}

function pages(value: SQLOutputValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
