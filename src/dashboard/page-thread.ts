import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { RelayedRequests } from "../control/relayed-requests.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { PageServer } from "./page-server.ts";
import { PageState } from "./page-state.ts";
import type { PageThreadData, PageThreadMessage, PageThreadOrder } from "./server.ts";

/** The page's thread; see `startDashboard`. */

assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const data = workerData as PageThreadData;
const state = new Int32Array(data.state);

/** On Linux a thread has a priority of its own: on a busy machine the bot's thread comes first. Elsewhere it is the process's. */
const PRIORITY = 10;
if (process.platform === "linux") setPriority(0, PRIORITY);

const requests = new RelayedRequests(tell);
const shown = new PageState({ ...data.about, version: data.version });
const options = {
  ...data,
  viewers: (count: number) => Atomics.store(state, 0, count),
  warn: (text: string) => tell({ type: "warning", text }),
  async command(line: string, by: CommandOrigin, bot: string | undefined) {
    const own = data.about.bot;
    if (bot === undefined || bot === own) return requests.command(line, by);
    throw new TouchlineError("BOT_UNKNOWN", `This is the API of ${own}, and not of ${bot}.`);
  },
};
const server = new PageServer(options, shown);

function tell(message: PageThreadMessage): void {
  port.postMessage(message, []);
}

port.on("message", (order: PageThreadOrder) => {
  switch (order.type) {
    case "update":
      shown.apply(order.update);
      server.changed();
      Atomics.add(state, 1, 1);
      return;
    case "strategies":
      server.setStrategies(order.strategies);
      return;
    case "response":
      requests.responded(order);
      return;
    case "login":
      tell({ type: "link", id: order.id, link: server.loginLink(order.role) });
      return;
  }
});
try {
  tell({ type: "listening", url: await server.listen() });
} catch (error) {
  const code = error instanceof Error ? String(Reflect.get(error, "code")) : "";
  const reason = errorText(error);
  tell({ type: "refused", code, reason });
}
