import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import WebSocket from "ws";
import { collectedMemory } from "./memory.ts";

/**
 * Loaded before a program (`--import`), writes its memory after a full collection and the WebSocket messages received so far to the file that
 * MEMORY_PROBE_FILE names, one JSON line each MEMORY_PROBE_MS.
 */
const file = process.env["MEMORY_PROBE_FILE"];
const everyMs = Number(process.env["MEMORY_PROBE_MS"] ?? "30000");

if (isMainThread && file !== undefined) {
  const { emit } = WebSocket.prototype;
  let [frames, depthFrames] = [0, 0];
  WebSocket.prototype.emit = function (this: WebSocket, ...event: Parameters<typeof emit>) {
    const [name, data] = event;
    if (name === "message") {
      frames += 1;
      if (Buffer.isBuffer(data) && data.subarray(0, 64).includes('"depth@')) depthFrames += 1;
    }
    return Reflect.apply(emit, this, event);
  };
  setInterval(() => {
    const sample = { atMs: Date.now(), frames, depthFrames, ...collectedMemory() };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  }, everyMs).unref();
}
