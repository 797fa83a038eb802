import { Session } from "node:inspector";
import { workerData } from "node:worker_threads";
import { type CallWatchdogData, ENDED, MAX_CALL_MS } from "./call-watchdog.ts";

/** The watchdog's thread; see `watchedCall`. */

const LOOK_MS = 100;
/** After a gap of this thread itself, a stopped process or a machine that slept, the call gets its whole time again. */
const OWN_GAP_MS = 1_000;
/** A thread that is blocked outside JavaScript does not end by itself and is killed. */
const END_MS = 1_000;

const calls = new Int32Array((workerData as CallWatchdogData).calls);
let call = 0;
let sinceMs = performance.now();
let lookedMs = sinceMs;
const look = setInterval(() => {
  const nowMs = performance.now();
  const found = Atomics.load(calls, 0);
  if (found !== call || found % 2 === 0 || nowMs - lookedMs > OWN_GAP_MS) sinceMs = nowMs;
  call = found;
  lookedMs = nowMs;
  if (nowMs - sinceMs < MAX_CALL_MS) return;
  clearInterval(look);
  setTimeout(() => process.kill(process.pid, "SIGKILL"), END_MS);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: `${ENDED}()` });
}, LOOK_MS);
