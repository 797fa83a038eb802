import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { loadCrypto } from "../platform/crypto.ts";
import { withoutWaiting } from "../platform/line-outlet.ts";
import { createLog } from "../platform/log.ts";
import type { Signer } from "../ports/crypto.ts";
import { cancelFromJournal } from "../runtime/journal-cancels.ts";
import { liveAdapter } from "../runtime/live-adapter.ts";
import { nodePorts } from "../runtime/node-ports.ts";
import { exitCode, OPEN_ORDERS_HINT } from "./exit-code.ts";
import { Terminal } from "./terminal.ts";
import { shared, type WatchdogKey, type WatchdogThreadData } from "./watchdog.ts";

/** The watchdog's thread; see `Watchdog`. Output goes to the files themselves: the streams of a thread pass through the blocked one. */

const LOOK_MS = 100;
/** After a gap of this thread itself, a stopped process or a machine that slept, the bot's thread gets its whole time again. */
const OWN_GAP_MS = 1_000;
/** The cancels and their proof may take this long; then what is left is in question. */
const CANCEL_MS = 5_000;
/** After this the process ends: the reading of the journal or of the venue's clock hangs. */
const GIVE_UP_MS = 6_500;
/** A thread that is blocked outside JavaScript does not end by itself and is killed. On a busy machine the others need up to a second. */
const END_MS = 3_000;

assert(parentPort !== null, "runs as a thread");
const data = workerData as WatchdogThreadData;
const state = new Int32Array(data.state);
const keys = new Map<string, Uint8Array>();
parentPort.on("message", ({ address, key }: WatchdogKey) => keys.set(address, key));
parentPort.unref();

let beats = 0;
let beatMs = performance.now();
let lookedMs = beatMs;
const look = setInterval(() => {
  const nowMs = performance.now();
  const found = Atomics.load(state, shared.beats);
  if (found !== beats || nowMs - lookedMs > OWN_GAP_MS) beatMs = nowMs;
  beats = found;
  lookedMs = nowMs;
  if (nowMs - beatMs < data.maxBlockedMs) return;
  clearInterval(look);
  Atomics.store(state, shared.isEnding, 1);
  void end();
}, LOOK_MS);

/** Cancels the bot's orders, says why, and ends the process. */
async function end(): Promise<void> {
  const strategy = data.strategies[Atomics.load(state, shared.strategy) - 1];
  const culprit = strategy === undefined ? "The bot's thread" : `Strategy ${strategy}`;
  const seconds = data.maxBlockedMs / 1000;
  const orders = await Promise.race([
    cancelOrders().catch((error: unknown) => `${String(error)}; orders may still be open`),
    after(GIVE_UP_MS).then(() => "not all of its orders are known to have ended in time"),
  ]);
  const terminal = new Terminal(data.json, {
    out: (text) => write(1, text),
    err: (text) => write(2, text),
    isTerminal: false,
  });
  terminal.fail(
    new TouchlineError(
      strategy === undefined ? "BOT_BLOCKED" : "STRATEGY_BLOCKED",
      `${culprit} did not return for ${seconds} s, so the bot was ended: ${orders}.`,
      {
        hint: OPEN_ORDERS_HINT,
      },
    ),
  );
  endProcess();
}

/** What became of the orders, as the end of a sentence. */
async function cancelOrders(): Promise<string> {
  const log = createLog({
    level: "error",
    destination: { write: (line) => write(2, line) },
  });
  const crypto = await loadCrypto();
  const ports = nodePorts({ log, crypto });
  const left = await cancelFromJournal({
    settings: data,
    store: ports.store,
    adapter: liveAdapter(data, ports, ports.clock),
    clock: ports.clock,
    timer: ports.timer,
    limitMs: CANCEL_MS,
    randomBytes: ports.randomBytes,
    signerOf(address): Signer | undefined {
      const key = keys.get(address);
      return key === undefined ? undefined : crypto.signer(key);
    },
  });
  if (left.length === 0) return "its orders are canceled";
  return `the end of these orders could not be proven: ${left.join(", ")}`;
}

/** The bot has to end, even when its output is a full disk, a pipe that nobody reads or a stopped terminal. */
function write(descriptor: number, text: string): void {
  try {
    writeSync(withoutWaiting(descriptor), text);
  } catch {
    // There is no other place to say it.
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The blocked thread exits where it stands. A thread cannot set the exit code by itself. */
function endProcess(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), END_MS);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: `process.exit(${exitCode.failed})` });
}
