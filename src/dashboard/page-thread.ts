import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { PageServer } from "./page-server.ts";
import type { PageThreadData, PageThreadMessage } from "./server.ts";

/** The page's thread; see `startDashboard`. */

assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const data = workerData as PageThreadData;
const state = new Int32Array(data.state);

/** On Linux a thread has a priority of its own: on a busy machine the bot's thread comes first. Elsewhere it is the process's. */
const PRIORITY = 10;
if (process.platform === "linux") setPriority(0, PRIORITY);

const server = new PageServer({
  ...data,
  viewers: (count) => Atomics.store(state, 0, count),
});

function tell(message: PageThreadMessage): void {
  port.postMessage(message, []);
}

port.on("message", (update: string) => {
  server.update(update);
  Atomics.add(state, 1, 1);
});
try {
  tell({ type: "listening", url: await server.listen() });
} catch (error) {
  const code = error instanceof Error ? String(Reflect.get(error, "code")) : "";
  const reason = error instanceof Error ? error.message : String(error);
  tell({ type: "refused", code, reason });
}
