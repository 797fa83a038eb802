import { writeSync } from "node:fs";
import { url } from "node:inspector";
import { isMainThread, Worker } from "node:worker_threads";
import { guardImpure } from "./guard-impure.ts";

/** A call of a strategy outside of a live bot may take this long. */
export const MAX_CALL_MS = 3_000;
/** Frames to look at for the place of a call that is stopped. */
const DEEPEST = 50;
/** The name under which the thread finds `ended`. */
export const ENDED = "touchlineCallEnded";

/** What the watchdog's thread gets. */
export interface CallWatchdogData {
  /** One 32-bit number: odd while a call runs. */
  readonly calls: SharedArrayBuffer;
}

// The built package contains JavaScript.
const thread = import.meta.url.endsWith(".ts")
  ? "call-watchdog-thread.ts"
  : "call-watchdog-thread.js";
const calls = new Int32Array(new SharedArrayBuffer(4));
let hasStarted = false;
let running = "";
let wordsOf = (_stopped: Error): string => "";
let tell = (sentence: string): void => {
  writeSync(2, `touchline: ${sentence}\n`);
};

/** Sets what tells of a call that does not return; the process ends with exit code 1 after it, so it may not wait. */
export function tellOfBlockedCalls(how: (sentence: string) => void): void {
  tell = how;
}

/**
 * Makes a call of a strategy, which `what` names. When it does not return within `MAX_CALL_MS`, the thread of `startCallWatchdog` ends
 * this process, since no signal is handled meanwhile. Not while a debugger may have stopped the call.
 */
export function watchedCall<Result>(what: string, call: () => Result): Result {
  running = what;
  Atomics.add(calls, 0, 1);
  try {
    return call();
  } finally {
    Atomics.add(calls, 0, 1);
  }
}

/** Starts the thread that watches; later calls do nothing. `placeOf` words the place of a call that is stopped, from an error made there. */
export function startCallWatchdog(placeOf: (stopped: Error) => string): void {
  if (hasStarted || !isMainThread || url() !== undefined) return;
  hasStarted = true;
  wordsOf = placeOf;
  Reflect.set(globalThis, ENDED, ended);
  const workerData: CallWatchdogData = { calls: calls.buffer };
  // Flags of this process such as --input-type are not for a file.
  new Worker(new URL(thread, import.meta.url), { workerData, execArgv: [] }).unref();
}

/** Called in this thread by the watchdog's, in the middle of the call that does not return. */
function ended(): void {
  guardImpure(() => undefined);
  Error.stackTraceLimit = DEEPEST;
  const place = wordsOf(new Error("the call is here"));
  tell(`${running} did not return for ${MAX_CALL_MS / 1000} s${place}, so the process was ended.`);
  process.exit(1);
}
