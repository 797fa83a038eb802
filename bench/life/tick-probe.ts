import { subscribe } from "node:diagnostics_channel";
import { isMainThread } from "node:worker_threads";
import { OwnWebSocket } from "./own-websocket.ts";
import type { PartProbe, TickPart } from "./part-probe.ts";

/**
 * Loaded into a bot of either side with `--import`. It measures from outside: from the socket's callback with a depth frame to the first
 * POST that undici is given before the next frame. On SIGUSR2 it prints the samples since the last one as a JSON line on stderr;
 * the line `probing` says that the signal may come.
 */

/** The start of a depth frame has its channel. */
const HEAD_BYTES = 80;
const ORDER_PATHS = /^\/api\/.*order/;

if (isMainThread) {
  let receivedMs = Number.NaN;
  let frames = 0;
  let us: number[] = [];
  let parts: Readonly<Record<TickPart, number>>[] = [];
  let partProbe: PartProbe | undefined;
  if (process.env["LIFE_PARTS"] !== undefined) {
    const { PartProbe } = await import("./part-probe.ts");
    partProbe = new PartProbe();
  }
  const { emit } = OwnWebSocket.prototype;
  OwnWebSocket.prototype.emit = function (
    this: InstanceType<typeof OwnWebSocket>,
    event: string,
    ...args: unknown[]
  ) {
    if (event === "message" && args[0] instanceof Buffer) {
      const isDepth = args[0].toString("latin1", 0, HEAD_BYTES).includes('"depth@');
      if (isDepth) frames += 1;
      receivedMs = isDepth ? performance.now() : Number.NaN;
      if (isDepth) partProbe?.begin();
    }
    return emit.call(this, event, ...args);
  };
  subscribe("undici:request:create", (message) => {
    const nowMs = performance.now();
    const { request } = message as {
      readonly request: { readonly method: string; readonly path: string };
    };
    if (request.method !== "POST" || Number.isNaN(receivedMs)) return;
    if (ORDER_PATHS.test(request.path)) {
      us.push((nowMs - receivedMs) * 1000);
      const part = partProbe?.take(receivedMs, nowMs);
      if (part !== undefined) parts.push(part);
    }
    receivedMs = Number.NaN;
  });
  process.on("SIGUSR2", () => {
    process.stderr.write(`${JSON.stringify({ event: "ticks", frames, us, parts })}\n`);
    us = [];
    parts = [];
    frames = 0;
  });
  process.stderr.write('{"event":"probing"}\n');
}
