import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { RelayedRequests } from "../control/relayed-requests.ts";
import { systemClock } from "../platform/clock.ts";
import { createHttp } from "../platform/http.ts";
import { secureBytes } from "../platform/random.ts";
import { createStore } from "../platform/store.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Log } from "../ports/log.ts";
import { AlertCenter } from "./alert-center.ts";
import type { AlertThreadData, AlertThreadMessage, AlertThreadOrder } from "./start-alerts.ts";

/** The thread of the alerts; see `startAlerts`. */

assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const { folder, ...data } = workerData as AlertThreadData;

function tell(message: AlertThreadMessage): void {
  port.postMessage(message, []);
}

const line =
  (level: keyof Log): Log[keyof Log] =>
  (fields, text) => {
    const { err, ...rest } = fields;
    const reason = err instanceof Error ? { reason: err.message } : {};
    tell({ type: "log", level, fields: { ...rest, ...reason }, text });
  };

const requests = new RelayedRequests(tell);
const store = createStore();
const isOurs = store.lock(folder);
const http = createHttp();
const center = isOurs
  ? new AlertCenter({
      ...data,
      folder,
      store,
      http,
      clock: systemClock,
      timer: systemTimer,
      log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
      randomBytes: secureBytes,
      command: (text, by) => requests.command(text, by),
    })
  : undefined;

port.on("message", (order: AlertThreadOrder) => {
  switch (order.type) {
    case "alert":
      center?.tell(order.alert);
      return;
    case "response":
      requests.responded(order);
      return;
    case "close":
      void close(order.limitMs);
      return;
  }
});
tell({ type: "begun", isOurs });

async function close(limitMs: number): Promise<void> {
  await center?.close(limitMs);
  store.unlock(folder);
  tell({ type: "closed" });
}
